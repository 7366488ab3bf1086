// Orthogonality (method#theory-checks; errata E14, E15, E16): what the observation model does to the calibrated
// imputer. Whatever bounded ehat is used, a well-specified ghat moves by its variance only: the error stays and falls
// as n^-1/2. The paper's middle term "non-positive by ERM" is positive about half the time, and its process has
// variance even at ghat = g*.

import { fitObservation, observationProbability, observationSettings } from '@primo/core/engine'
import { referenceData, summarise } from '@primo/lab'
import { Random, solveRidge, sumRows } from '@primo/numeric'
import { between, type Check, near } from './check.js'
import { CONTEXT_WIDTH, drawEnvironment, type EnvironmentDraws } from './environment-draws.js'

const COLUMNS = 19
const ROWS = 2000
type Weighting = 'true e' | 'constant e' | 'wrong e'

export const orthogonalityCheck: Check = {
  title: 'E14-E16: a wrong observation model costs variance only',
  // The quoted run states neither its class nor its wrong e, so only ratios of the errors are evidence: 19 columns
  // (1, x, x^2, 8 products), a number chosen to give the quoted size; wrong e = logistic(2.4 x3 - 1.6 x4), floored at
  // .1. Slopes in n: study calibration-rate.
  lines: ({ seed, quick }) => {
    const random = Random.fromSeed(seed).split('orthogonality')
    const repeats = quick ? 40 : 400
    const samples = Array.from({ length: repeats }, (_, k) => {
      const stream = random.split(ROWS, k)
      const draws = drawEnvironment(referenceData('A'), ROWS, stream)
      // The covariate is a member of the class: fixed coefficients, the environment's own noise.
      const truth = Float64Array.from({ length: COLUMNS }, (_, j) => 0.3 * Math.cos(2 * j))
      const eta = draws.covariate.map((z, i) => z - draws.mean[i]!)
      const square = (weighting: Weighting) => distance(weightedFit(draws, truth, eta, weighting), truth) ** 2
      return {
        'constant e': square('constant e'),
        'true e': square('true e'),
        'wrong e': square('wrong e'),
        positive: middleTerm(draws, truth, eta, stream.split('first half')) > 0 ? 1 : 0,
      }
    })
    const mean = (of: keyof (typeof samples)[number]) => summarise(samples.map((sample) => sample[of])).mean
    const over = (weighting: Weighting) => Math.sqrt(mean(weighting) / mean('constant e'))
    const share = mean('positive')
    return [
      near({
        what: `n = ${ROWS}, constant e: RMSE of ghat`,
        measured: Math.sqrt(mean('constant e')),
        quoted: 0.039,
        tolerance: 0.008,
      }),
      between({ what: 'RMSE, true e / constant e', measured: over('true e'), low: 1, high: 1.25, quoted: '1.07' }),
      between({ what: 'RMSE, wrong e / constant e', measured: over('wrong e'), low: 1, high: 1.7, quoted: '1.33' }),
      between({
        what: 'share of samples with L_n(ghat, ehat) > L_n(ghat, e*) (E14)',
        measured: share,
        standardError: Math.sqrt((share * (1 - share)) / repeats),
        low: 0.2,
        high: 0.8,
        quoted: '0.52 (printed: 0)',
      }),
      between({
        what: 'variance of (b eta^2 - tau^2)/e at ghat = g* (E15)',
        measured: varianceAtTruth(random.split('variance'), quick),
        low: 0.01,
        quoted: '0.0795 (printed: 0)',
      }),
    ]
  },
}

function weightOf(draws: EnvironmentDraws, row: number, weighting: Weighting): number {
  if (weighting === 'constant e') return 1
  if (weighting === 'true e') return 1 / draws.probability[row]!
  const at = row * CONTEXT_WIDTH
  return 1 / Math.max(0.1, 1 / (1 + Math.exp(-2.4 * draws.context[at + 2]! + 1.6 * draws.context[at + 3]!)))
}

/**
 * Orthogonal columns with mean square 1 under the uniform law: 1, sqrt(3) x, (x^2 - 1/3) scaled, 8 products 3 x_i
 * x_j.
 */
function writeColumns(x: Float64Array, at: number, out: Float64Array): void {
  out[0] = 1
  let to = 1
  for (let k = 0; k < CONTEXT_WIDTH; k++) {
    const value = x[at + k]!
    out[to++] = Math.sqrt(3) * value
    out[to++] = Math.sqrt(45 / 4) * (value * value - 1 / 3)
  }
  for (let i = 0; i < CONTEXT_WIDTH && to < COLUMNS; i++) {
    for (let j = i + 1; j < CONTEXT_WIDTH && to < COLUMNS; j++) out[to++] = 3 * x[at + i]! * x[at + j]!
  }
}

function weightedFit(
  draws: EnvironmentDraws,
  truth: Float64Array,
  eta: Float64Array,
  weighting: Weighting,
): Float64Array {
  const seen = draws.observed.reduce((sum, b) => sum + b, 0)
  const rows = new Float64Array(seen * (COLUMNS + 1))
  const weights = new Float64Array(seen)
  const columns = new Float64Array(COLUMNS)
  for (let i = 0, k = 0; i < draws.rows; i++) {
    if (!draws.observed[i]) continue
    writeColumns(draws.context, i * CONTEXT_WIDTH, columns)
    rows.set(columns, k * (COLUMNS + 1))
    rows[k * (COLUMNS + 1) + COLUMNS] = dot(columns, truth) + eta[i]!
    weights[k++] = weightOf(draws, i, weighting)
  }
  const scratch = new Float64Array(rows.length)
  return solveRidge(sumRows(rows, 0, seen, COLUMNS, weights, 0, scratch), 1e-8).coefficients
}

/** L_n(ghat, ehat) - L_n(ghat, e*) of Alg.2: ehat a logit fitted on another sample, ghat weighted by it. */
function middleTerm(draws: EnvironmentDraws, truth: Float64Array, eta: Float64Array, random: Random): number {
  const other = drawEnvironment(referenceData('A'), draws.rows, random)
  const batch = { block: 0, count: other.rows, context: other.context, observed: other.observed }
  const model = fitObservation({ contextWidth: CONTEXT_WIDTH, batches: [batch] }, observationSettings({ floor: 0.1 }))
  const fitted = draws.probability.map((_, i) => observationProbability(model, draws.context, i * CONTEXT_WIDTH))
  const fit = weightedFit({ ...draws, probability: fitted }, truth, eta, 'true e')
  const columns = new Float64Array(COLUMNS)
  let difference = 0
  for (let i = 0; i < draws.rows; i++) {
    if (!draws.observed[i]) continue
    writeColumns(draws.context, i * CONTEXT_WIDTH, columns)
    const loss = (dot(columns, truth) + eta[i]! - dot(columns, fit)) ** 2
    difference += loss * (1 / fitted[i]! - 1 / draws.probability[i]!)
  }
  return difference / draws.rows
}

function distance(fit: Float64Array, truth: Float64Array): number {
  let square = 0
  for (let j = 0; j < COLUMNS; j++) square += (fit[j]! - truth[j]!) ** 2
  return Math.sqrt(square)
}

function varianceAtTruth(random: Random, quick: boolean): number {
  const draws = drawEnvironment(referenceData('A'), quick ? 50_000 : 400_000, random)
  let sum = 0
  let square = 0
  for (let i = 0; i < draws.rows; i++) {
    const eta = draws.covariate[i]! - draws.mean[i]!
    const value = ((draws.observed[i] ? eta * eta : 0) - 0.25) / draws.probability[i]!
    sum += value
    square += value * value
  }
  return square / draws.rows - (sum / draws.rows) ** 2
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!
  return sum
}
