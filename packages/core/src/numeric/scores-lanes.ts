// Scores and quadratic forms of many rows in two lanes over actions, where the machine has them: a thin driver of scores-module.ts.
// Rows are written by the caller straight into the module's memory, so nothing is copied but the results.

import { MOST_VECTORS, scoresModule } from './scores-module.js'
import { wasmInstance } from './wasm-instance.js'

type ScoreKernel = (matrix: number, phi: number, count: number, columns: number, out: number) => void
type ScoreKernels = Readonly<Record<`scores${number}` | `forms${number}`, ScoreKernel>>

/** Numbers of up to eight actions side by side, `2 * vectors` to an entry; places without an action hold zeros. */
export interface ActionGroup {
  readonly first: number
  readonly count: number
  readonly vectors: number
  readonly values: Float64Array
}

export interface ScoreLanes {
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
  readonly forms: ScoreLanes['scores']
}

const instance = wasmInstance<ScoreKernels>(scoresModule)

/** null: this machine has none. */
export const scoreLanes: ScoreLanes | null =
  instance === null
    ? null
    : {
        rows: (cells) => instance.cells(cells),
        scores: (...given) => run('scores', ...given),
        forms: (...given) => run('forms', ...given),
      }

function run(
  kind: 'scores' | 'forms',
  ...[groups, count, columns, out, at, actions]: Parameters<ScoreLanes['scores']>
) {
  const { kernels, cells: cellsFor } = instance!
  const rows = 2 * Math.ceil((count * columns) / 2)
  for (const { first, count: own, vectors, values } of groups) {
    const lanes = 2 * vectors
    const results = rows + values.length
    const cells = cellsFor(results + count * lanes)
    cells.set(values, rows)
    kernels[`${kind}${vectors}`]!(8 * rows, 0, count, columns, 8 * results)
    for (let row = 0, from = results, to = at + first; row < count; row++, from += lanes, to += actions) {
      for (let a = 0; a < own; a++) out[to + a] = cells[from + a]!
    }
  }
}

/** The entries of each action's list side by side, in groups. */
export function actionGroups(lists: readonly (readonly number[])[]): readonly ActionGroup[] {
  const groups: ActionGroup[] = []
  for (let first = 0; first < lists.length; first += 2 * MOST_VECTORS) {
    const own = lists.slice(first, first + 2 * MOST_VECTORS)
    const vectors = Math.ceil(own.length / 2)
    const entries = own[0]!.length
    const values = new Float64Array(entries * 2 * vectors)
    own.forEach((list, a) => {
      for (let k = 0; k < entries; k++) values[k * 2 * vectors + a] = list[k]!
    })
    groups.push({ first, count: own.length, vectors, values })
  }
  return groups
}
