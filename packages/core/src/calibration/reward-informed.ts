// What rewards say about the missing values (SPEC D5 ii, iii). With f_cc the reward model of the complete rounds:
//   fallback: of several models of z, the one with the smallest sum over missing rows of (r - f_cc(x, g(x), a))^2;
//   reward-informed correction: Gauss-Newton on that sum, each step a ridge regression of the residual on slope * B(x).
// It identifies E[z | x, missing] from rewards where missingness depends on the hidden value; it needs slopes away from 0.

import { ridgeCoefficients } from '../numeric/least-squares.js'
import { addSums, BLOCK_ROUNDS, emptySums, type Sums, sumRows } from '../numeric/sums.js'
import { forEachMissing } from './missing-rows.js'
import { type RewardInput, rewardProbe } from './reward-probe.js'

export interface RewardLosses {
  readonly missing: number
  /** Mean over missing rows of (r - f_cc(x, g, a))^2, by candidate. */
  readonly losses: readonly number[]
}

/** `candidates` are coefficients of corrections in the basis (a prefix will do), after the map; an empty list is g~ itself. */
export function rewardLosses(input: RewardInput, candidates: readonly (readonly number[])[]): RewardLosses {
  const { table, range, encoding, which, basis, moved } = input
  const { valueAt } = rewardProbe(input)
  const b = new Float64Array(basis.columns)
  const sums = candidates.map(() => 0)
  let missing = 0
  forEachMissing(table, range, encoding, which, (row) => {
    basis.expand(row.context, 0, b, 0)
    missing++
    for (let i = 0; i < candidates.length; i++) {
      sums[i] = sums[i]! + (row.reward - valueAt(row, corrected(row.pretrained, candidates[i]!, b, moved))) ** 2
    }
  })
  return { missing, losses: sums.map((sum) => (missing === 0 ? 0 : sum / missing)) }
}

const STEPS = 2

/** Coefficients in the whole basis, starting from a correction. */
export function rewardInformed(input: RewardInput, start: readonly number[], ridge: number): readonly number[] {
  const { basis } = input
  let coefficients = Array.from({ length: basis.columns }, (_, k) => start[k] ?? 0)
  for (let step = 0; step < STEPS; step++) {
    const change = ridgeCoefficients(stepSums(input, coefficients), ridge)
    coefficients = coefficients.map((value, k) => value + change[k]!)
  }
  return coefficients
}

/** Sums of [slope B, r - f_cc] over the missing rows at the present correction. */
function stepSums(input: RewardInput, coefficients: readonly number[]): Sums {
  const { table, range, encoding, which, basis, moved } = input
  const { columns } = basis
  const width = columns + 1
  const { valueAt, slopeAt } = rewardProbe(input)
  const b = new Float64Array(columns)
  const buffer = new Float64Array(BLOCK_ROUNDS * width)
  const total = emptySums(columns)
  let filled = 0
  const flush = () => {
    if (filled > 0) addSums(total, sumRows(buffer, 0, filled, columns, null, 0, buffer))
    filled = 0
  }
  forEachMissing(table, range, encoding, which, (row) => {
    basis.expand(row.context, 0, b, 0)
    const g = clip(corrected(row.pretrained, coefficients, b, moved))
    const slope = slopeAt(row, g)
    const to = filled * width
    for (let k = 0; k < columns; k++) buffer[to + k] = slope * b[k]!
    buffer[to + columns] = row.reward - valueAt(row, g)
    filled++
    if (filled === BLOCK_ROUNDS) flush()
  })
  flush()
  return total
}

function corrected(
  pretrained: number,
  coefficients: readonly number[],
  b: Float64Array,
  moved: RewardInput['moved'],
): number {
  let value = coefficients.length === 0 || moved === undefined ? pretrained : pretrained + moved(pretrained)
  for (let k = 0; k < coefficients.length; k++) value += coefficients[k]! * b[k]!
  return value
}

function clip(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
