// What rewards say about the missing values (method#reward-informed). With f_cc the reward model of the complete rounds:
//   fallback: of several models of z, the one with the smallest sum over missing rows of (r - f_cc(x, g(x), a))^2;
//   reward-informed correction: Gauss-Newton on that sum, each step a ridge regression of the residual on slope * B, the ridge one of
//   four: the one whose correction predicts held-out rewards best.
// It identifies E[z | x, missing] from rewards where missingness depends on the hidden value; it needs slopes away from 0.

import { addSums, BLOCK_ROUNDS, emptySums, type Ridge, ridgeCoefficients, type Sums, sumRows } from '@primo/numeric'
import { correctMissing, expandMissing, MISSING_ROWS, type MissingRows, missingRows } from './missing-rows.js'
import { type RewardInput, type RewardProbe, rewardProbe } from './reward-probe.js'

export interface RewardLosses {
  readonly missing: number
  /** Mean over missing rows of (r - f_cc(x, g, a))^2, by candidate. */
  readonly losses: readonly number[]
}

/** What else is asked of the rows while they are there. */
export interface RowsVisitor {
  /** B of the rows is in them, in the whole basis; they are taken up by the probe. */
  readonly visit: (rows: MissingRows, probe: RewardProbe) => void
}

/** `candidates` are coefficients of corrections in the basis (a prefix will do), after the map; an empty list is g~ itself. */
export function rewardLosses(
  input: RewardInput,
  candidates: readonly (readonly number[])[],
  visitor?: RowsVisitor,
): RewardLosses {
  const { parts, encoding, which, basis, moved, fold } = input
  const probe = rewardProbe(input)
  const g = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  const sums = candidates.map(() => 0)
  let missing = 0
  for (const rows of missingRows(parts, encoding, which, basis, fold)) {
    missing += rows.count
    expandMissing(rows, basis)
    probe.begin(rows)
    for (let i = 0; i < candidates.length; i++) {
      correctMissing(rows, basis.columns, candidates[i]!, g, moved)
      probe.valuesAt(rows, g, values)
      sums[i] = addSquares(sums[i]!, rows, values)
    }
    visitor?.visit(rows, probe)
  }
  return { missing, losses: sums.map((sum) => (missing === 0 ? 0 : sum / missing)) }
}

function addSquares(before: number, { count, reward }: MissingRows, values: Float64Array): number {
  let sum = before
  for (let row = 0; row < count; row++) sum += (reward[row]! - values[row]!) ** 2
  return sum
}

const STEPS = 2

/** Coefficients in the whole basis, starting from a correction. */
export function rewardInformed(input: RewardInput, start: readonly number[], ridge: Ridge): readonly number[] {
  const { basis } = input
  let coefficients = Array.from({ length: basis.columns }, (_, k) => start[k] ?? 0)
  for (let step = 0; step < STEPS; step++) {
    const change = ridgeCoefficients(stepSums(input, coefficients), ridge)
    coefficients = coefficients.map((value, k) => value + change[k]!)
  }
  return coefficients
}

/** A reward says far less than a value: what is right already is best left alone until many rewards say otherwise. */
const FACTORS = [1, 10, 100, 1000]

export interface InformedRidge {
  readonly ridges: Float64Array
  /** Mean squared residual of held-out missing rows: before, and with what the other fold's rewards made of the correction. */
  readonly before: number
  readonly after: number
}

/** The ridges, a multiple of those of the calibration, that predict held-out rewards best. */
export function informedRidge(input: RewardInput, start: readonly number[], calibration: Float64Array): InformedRidge {
  const tried = FACTORS.map((factor): InformedRidge => {
    const ridges = calibration.map((ridge) => factor * ridge)
    const [before, after] = heldOutLosses(input, start, ridges)
    return { ridges, before, after }
  })
  return tried.reduce((best, one) => (one.after < best.after ? one : best))
}

function heldOutLosses(input: RewardInput, start: readonly number[], ridge: Ridge): readonly [number, number] {
  let [before, after, rows] = [0, 0, 0]
  for (const fold of [0, 1] as const) {
    const informed = rewardInformed({ ...input, fold }, start, ridge)
    const { losses, missing } = rewardLosses({ ...input, fold: fold === 0 ? 1 : 0 }, [start, informed])
    before += missing * losses[0]!
    after += missing * losses[1]!
    rows += missing
  }
  return rows === 0 ? [0, 0] : [before / rows, after / rows]
}

/** Sums of [slope B, r - f_cc] over the missing rows at the present correction. */
function stepSums(input: RewardInput, coefficients: readonly number[]): Sums {
  const { parts, encoding, which, basis, moved, fold } = input
  const { columns } = basis
  const width = columns + 1
  const probe = rewardProbe(input)
  const g = new Float64Array(MISSING_ROWS)
  const slopes = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  const buffer = new Float64Array(BLOCK_ROUNDS * width)
  const total = emptySums(columns)
  let filled = 0
  const flush = () => {
    if (filled > 0) addSums(total, sumRows(buffer, 0, filled, columns, null, 0, buffer))
    filled = 0
  }
  for (const rows of missingRows(parts, encoding, which, basis, fold)) {
    const { b } = rows
    expandMissing(rows, basis)
    correctMissing(rows, columns, coefficients, g, moved)
    for (let row = 0; row < rows.count; row++) g[row] = clip(g[row]!)
    probe.begin(rows)
    probe.slopesAt(rows, g, slopes)
    probe.valuesAt(rows, g, values)
    for (let row = 0; row < rows.count; row++) {
      const slope = slopes[row]!
      const to = filled * width
      for (let k = 0, from = row * columns; k < columns; k++) buffer[to + k] = slope * b[from + k]!
      buffer[to + columns] = rows.reward[row]! - values[row]!
      filled++
      if (filled === BLOCK_ROUNDS) flush()
    }
  }
  flush()
  return total
}

function clip(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
