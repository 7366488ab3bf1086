// Scores and quadratic forms of rows in two lanes over actions, where the machine has them: a thin driver of
// scores-module.ts. Rows are written by the caller straight into the module's memory, and what they are multiplied with
// stays there until others need the room, so nothing is copied but the results.

import { MAX_VECTORS, scoresModule } from './scores-module.js'
import { wasmInstance } from './wasm-instance.js'

type ScoreKernel = (matrix: number, phi: number, count: number, columns: number, out: number) => void
type ScoreKernels = Readonly<Record<`scores${number}` | `forms${number}`, ScoreKernel>>

/** Numbers of up to ten actions side by side, `2 * vectors` to an entry; places without an action hold zeros. */
export interface ActionGroup {
  readonly first: number
  readonly count: number
  readonly vectors: number
  readonly values: Float64Array
  /** Where the values stand in the memory, if they were put there since it was last cleared. */
  readonly place: { at: number; clearing: number }
}

/** Scores and quadratic forms of rows in SIMD, on memory of its own. */
export interface SimdScores {
  /** Room for this many doubles of rows at the beginning of the memory; valid until it is asked for again. */
  readonly rows: (cells: number) => Float64Array
  /** out[row * actions + a] = sum_k theta_a[k] phi[k] of the rows that stand in the memory. */
  readonly scores: (
    groups: readonly ActionGroup[],
    count: number,
    columns: number,
    out: Float64Array,
    at: number,
    actions: number,
  ) => void
  /** The same for phi' M_a phi, the upper triangles of M_a row by row. */
  readonly forms: SimdScores['scores']
}

const instance = wasmInstance<ScoreKernels>(scoresModule)

const scoresOf = kernelsOf('scores')
const formsOf = kernelsOf('forms')

/** By the number of vectors. */
function kernelsOf(kind: 'scores' | 'forms'): readonly (ScoreKernel | undefined)[] {
  return Array.from({ length: MAX_VECTORS + 1 }, (_, vectors) => instance?.kernels[`${kind}${vectors}`])
}

/** null: this machine has none. */
export const simdScores: SimdScores | null =
  instance === null
    ? null
    : {
        rows: (cells) => instance.cells(cells),
        scores: (groups, count, columns, out, at, actions) => run(scoresOf, groups, count, columns, out, at, actions),
        forms: (groups, count, columns, out, at, actions) => run(formsOf, groups, count, columns, out, at, actions),
      }

function run(
  kernels: readonly (ScoreKernel | undefined)[],
  groups: readonly ActionGroup[],
  count: number,
  columns: number,
  out: Float64Array,
  at: number,
  actions: number,
): void {
  const results = (count * columns + 1) & ~1
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g]!
    const { first, count: own, vectors } = group
    const lanes = 2 * vectors
    const matrix = placeOf(group, results + count * lanes)
    kernels[vectors]!(8 * matrix, 0, count, columns, 8 * results)
    const cells = instance!.cells(0)
    for (let row = 0, from = results, to = at + first; row < count; row++, from += lanes, to += actions) {
      for (let a = 0; a < own; a++) out[to + a] = cells[from + a]!
    }
  }
}

/** Doubles that values may take before the memory is cleared of them. */
const MAX_VALUES = 2 ** 18
let clearing = 0
/** Where values begin, behind the largest rows and results so far, and where the next ones go. */
let begin = 2 ** 15
let next = begin

/** The place of a group's values, behind so many doubles of rows and results. */
function placeOf({ place, values }: ActionGroup, before: number): number {
  if (before > begin || (next > begin && next + values.length > begin + MAX_VALUES)) {
    clearing++
    if (before > begin) begin = 2 * before
    next = begin
  }
  if (place.clearing === clearing) return place.at
  place.clearing = clearing
  place.at = next
  next += 2 * Math.ceil(values.length / 2)
  instance!.cells(next).set(values, place.at)
  return place.at
}

/** The entries of each action's list side by side, in groups. */
export function actionGroups(lists: readonly (readonly number[])[]): readonly ActionGroup[] {
  const groups: ActionGroup[] = []
  for (let first = 0; first < lists.length; first += 2 * MAX_VECTORS) {
    const own = lists.slice(first, first + 2 * MAX_VECTORS)
    const vectors = Math.ceil(own.length / 2)
    const entries = own[0]!.length
    const values = new Float64Array(entries * 2 * vectors)
    own.forEach((list, a) => {
      for (let k = 0; k < entries; k++) values[k * 2 * vectors + a] = list[k]!
    })
    groups.push({ first, count: own.length, vectors, values, place: { at: 0, clearing: -1 } })
  }
  return groups
}
