// npm run study:calibration-rate: how the error of the calibrated model falls with the number of rows, in a linear case
// that is well specified (g* - g~ linear in x, linear correction class), and what a ball of half the right radius costs.
// Alg.2 as printed: random half split, IPW weights, L2 ball. Ends with a verdict; exit code 1 when a claim fails.

import {
  type CovariateBatch,
  type CovariateRows,
  calibrate,
  calibrationSettings,
  encodingOf,
  number,
  type Problem,
  Random,
} from '@primo/core'
import { progressBar } from '../report/progress.js'
import { slope, summarise } from '../report/statistics.js'
import { textTable } from '../report/text-table.js'

const DIMENSION = 5
const BLOCK = 4096
// g* - g~ in this basis: 1, x1, ..., x5 with x uniform on [-1,1]^5.
const CORRECTION = [0.2, 0.25, -0.2, 0.1, 0, 0.15]
const DELTA0 = Math.sqrt(CORRECTION.reduce((sum, value, k) => sum + (k === 0 ? value * value : (value * value) / 3), 0))
const SIZES = [2 ** 8, 2 ** 9, 2 ** 10, 2 ** 11, 2 ** 12, 2 ** 13, 2 ** 14, 2 ** 15, 2 ** 16]
const REPEATS = 60

const problem: Problem = {
  context: Object.fromEntries(Array.from({ length: DIMENSION }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })])),
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['only'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)

/** Rows with g~ = 0, z = correction + noise, observed with a probability between .1 and .9 that depends on x1 and x2. */
function makeRows(count: number, random: Random): CovariateRows {
  const batches: CovariateBatch[] = []
  let knownCount = 0
  for (let first = 0; first < count; first += BLOCK) {
    const size = Math.min(BLOCK, count - first)
    const context = Float64Array.from({ length: size * DIMENSION }, () => 2 * random.uniform() - 1)
    const truth = new Float64Array(size)
    const known = new Uint8Array(size)
    for (let row = 0; row < size; row++) {
      const at = row * DIMENSION
      truth[row] = correctionAt(context, at) + 0.3 * (2 * random.uniform() - 1)
      known[row] = random.uniform() < 1 / (1 + Math.exp(-1.2 * context[at]! + 0.8 * context[at + 1]!)) ? 1 : 0
      knownCount += known[row]!
    }
    batches.push({ block: first / BLOCK, count: size, context, pretrained: new Float64Array(size), truth, known })
  }
  return { contextWidth: DIMENSION, width: 1, count, knownCount, withoutPrediction: 0, batches }
}

function correctionAt(x: Float64Array, at: number): number {
  let sum = CORRECTION[0]!
  for (let k = 0; k < DIMENSION; k++) sum += CORRECTION[k + 1]! * x[at + k]!
  return sum
}

/** ||g^ - g*||_2 in closed form: the basis is orthogonal under the uniform law. */
function errorOf(coefficients: readonly number[]): number {
  return Math.sqrt(
    CORRECTION.reduce((sum, value, k) => sum + (coefficients[k]! - value) ** 2 * (k === 0 ? 1 : 1 / 3), 0),
  )
}

const settings = calibrationSettings({ class: 'linear', clip: 'none', observation: { floor: 0.1 } }, ['z'])
const balls = { 'right ball': DELTA0, 'half ball': DELTA0 / 2 }
const progress = progressBar('calibrating', SIZES.length)
const table = SIZES.map((size) => {
  const errors: Record<string, number[]> = { 'right ball': [], 'half ball': [] }
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const random = Random.fromSeed(1000 + repeat).split('rows', size)
    const rows = makeRows(size, random)
    for (const [name, radius] of Object.entries(balls)) {
      const { correction } = calibrate(rows, encoding.context, settings, radius, random.split('split'))
      errors[name]!.push(correction === null ? DELTA0 : errorOf(correction.coefficients[0]!))
    }
  }
  progress.advance()
  return { size, right: summarise(errors['right ball']!), half: summarise(errors['half ball']!) }
})
progress.done()

console.log(
  `||g^ - g*|| by number of rows, linear case, delta0 = ${DELTA0.toFixed(3)}, ${REPEATS} repetitions (seeds 1000 to ${999 + REPEATS})\n`,
)
console.log(
  textTable(
    ['rows', 'right ball', 'se', 'half ball', 'se'],
    table.map(({ size, right, half }) => [
      String(size),
      right.mean.toFixed(4),
      right.standardError.toFixed(4),
      half.mean.toFixed(4),
      half.standardError.toFixed(4),
    ]),
  ),
)
const logs = (pick: (row: (typeof table)[number]) => number) => table.map((row) => Math.log(pick(row)))
const rate = slope(
  logs((row) => row.size),
  logs((row) => row.right.mean),
)
const last = table.at(-1)!
const apart = (last.half.mean - last.right.mean) / Math.hypot(last.half.standardError, last.right.standardError)
const rateHolds = rate > -0.6 && rate < -0.4
const ballHolds = apart > 3
console.log(
  `\nSlope of log error on log rows: ${rate.toFixed(3)} (parametric rate: -0.5), ${rateHolds ? 'inside' : 'OUTSIDE'} [-0.6, -0.4].`,
)
console.log(
  `A ball half as large as the truth is ${ballHolds ? 'visibly worse' : 'NOT visibly worse'}: ${last.half.mean.toFixed(4)} against ${last.right.mean.toFixed(4)} at ${last.size} rows (${apart.toFixed(0)} standard errors).`,
)
process.exitCode = rateHolds && ballHolds ? 0 : 1
