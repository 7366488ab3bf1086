// A linear case for Cal (Alg.2) that is well specified: g* - g~ is linear in x, x uniform on [-1,1]^5, z = g* + eta,
// observed with e*(x) = sigmoid(1.2 x1 - .8 x2). The error ||g^ - g*||_2 is in closed form, the columns being
// orthogonal under the law of x.

import { number, type Problem } from '@primo/core'
import { type CovariateBatch, type CovariateRows, calibrate, calibrationSettings, encodingOf } from '@primo/core/engine'
import { mergeBlocks, type Random, solveRidge, sumRows } from '@primo/numeric'

const DIMENSION = 5
const BLOCK = 4096
// g* - g~ in the columns 1, x1, ..., x5.
const CORRECTION = [0.2, 0.25, -0.2, 0.1, 0, 0.15]

export const COLUMNS = CORRECTION.length
export const ETA_BOUND = 0.3
/** eps0: e* stays above .119. */
export const FLOOR = 0.1
export const DELTA0 = Math.sqrt(meanSquare((k) => CORRECTION[k]!))

function meanSquare(coefficient: (k: number) => number): number {
  return CORRECTION.reduce((sum, _, k) => sum + (k === 0 ? 1 : 1 / 3) * coefficient(k) ** 2, 0)
}

const problem: Problem = {
  context: Object.fromEntries(Array.from({ length: DIMENSION }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })])),
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['only'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)
const settings = calibrationSettings({ class: 'linear', clip: 'none', observation: { floor: FLOOR } }, ['z'])

export interface LinearRows extends CovariateRows {
  readonly batches: readonly CovariateBatch[]
}

/** Rows with g~ = 0. */
export function linearRows(count: number, random: Random): LinearRows {
  const batches: CovariateBatch[] = []
  let knownCount = 0
  for (let first = 0; first < count; first += BLOCK) {
    const size = Math.min(BLOCK, count - first)
    const context = Float64Array.from({ length: size * DIMENSION }, () => 2 * random.uniform() - 1)
    const truth = new Float64Array(size)
    const known = new Uint8Array(size)
    for (let row = 0; row < size; row++) {
      const at = row * DIMENSION
      let mean = CORRECTION[0]!
      for (let k = 0; k < DIMENSION; k++) mean += CORRECTION[k + 1]! * context[at + k]!
      truth[row] = mean + ETA_BOUND * (2 * random.uniform() - 1)
      known[row] = random.uniform() < observed(context, at, 1) ? 1 : 0
      knownCount += known[row]!
    }
    batches.push({ block: first / BLOCK, count: size, context, pretrained: new Float64Array(size), truth, known })
  }
  return { contextWidth: DIMENSION, width: 1, count, knownCount, withoutPrediction: 0, batches }
}

/** e*(x) with tilt 1; with another tilt what it is not. */
function observed(x: Float64Array, at: number, tilt: number): number {
  return 1 / (1 + Math.exp(tilt * (-1.2 * x[at]! + 0.8 * x[at + 1]!)))
}

function errorOf(coefficients: ArrayLike<number>): number {
  return Math.sqrt(meanSquare((k) => coefficients[k]! - CORRECTION[k]!))
}

/** The error of Alg.2 as printed: random half split, IPW weights, L2 ball. */
export function calibrationError(rows: LinearRows, radius: number, random: Random): number {
  const { correction } = calibrate(rows, encoding.context, settings, radius, random)
  return correction === null ? DELTA0 : errorOf(correction.coefficients[0]!)
}

/** The wrong e-hat is small where e* is large, and steeper. */
const WRONG_TILT = -3

export type GivenObservation = 'true e' | 'constant e' | 'wrong e'

/** The error of the weighted fit on all known rows with an e-hat that is given, right or wrong; no ball. */
export function weightedError(rows: LinearRows, given: GivenObservation): number {
  const width = COLUMNS + 1
  const scratch = new Float64Array(BLOCK * width)
  const table = new Float64Array(BLOCK * width)
  const weights = new Float64Array(BLOCK)
  const leaves = rows.batches.map((batch) => {
    let count = 0
    for (let row = 0; row < batch.count; row++) {
      if (batch.known[row] !== 1) continue
      const at = row * DIMENSION
      const to = count * width
      table[to] = 1
      for (let k = 0; k < DIMENSION; k++) table[to + 1 + k] = batch.context[at + k]!
      table[to + COLUMNS] = batch.truth[row]!
      weights[count++] =
        given === 'constant e'
          ? 1
          : 1 / Math.max(FLOOR, observed(batch.context, at, given === 'true e' ? 1 : WRONG_TILT))
    }
    return { block: batch.block, sums: sumRows(table, 0, count, COLUMNS, weights, 0, scratch) }
  })
  return errorOf(solveRidge(mergeBlocks(leaves, COLUMNS), RIDGE).coefficients)
}

/** As small as keeps few rows solvable. */
const RIDGE = 1e-6
