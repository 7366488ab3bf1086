// Interval of the mean value of observing V over missing rows. V is a function of the reward model, so its error is that of the model
// above all: draws theta_a + C_a^(1/2) e of a linear or hierarchical model with covariance C_a give V's spread and, since a maximum
// of noisy scores is too large, its bias; the basic bootstrap interval [2 V - q_0.975, 2 V - q_0.025] takes both into account.
// Added to it in square: the spread over rows, and that of the residuals' scale from the known rows (V goes with its square).
// Given that the reward class is right. The covariance takes imputed values for exact, so the draws are widened. Other models have no
// covariance, and there is no interval; nor where the bias is more than a quarter of V: the model is not known well enough yet.

import { cholesky, type Random } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compileValueOfObserving } from '../engine/value-of-observing.js'
import type { HierarchicalModel } from '../model/hierarchical-model.js'
import type { LinearModel } from '../oracle/linear-model.js'
import type { RewardModel } from '../oracle/oracle.js'
import type { ReportSample } from './report-sample.js'

export interface ValueIntervalInput {
  readonly state: EpochState
  readonly engine: Engine
  readonly sample: ReportSample
  readonly which: number
  /** Rows of the sample where it is missing, and V of each, in units of the mean reward's range. */
  readonly rows: readonly number[]
  readonly values: readonly number[]
  /** Rows of the sample where it is known. */
  readonly known: number
  readonly random: Random
}

const DRAWS = 80
const MAX_ROWS = 256
const NORMAL_95 = 1.96
const MAX_BIAS = 0.25
/** Of the standard deviation of the draws. */
const WIDENED = 1.4

/** Ends in units of the mean reward's range; null: the reward model does not say how well it is known, or not well enough. */
export function valueInterval(input: ValueIntervalInput): { readonly lower: number; readonly upper: number } | null {
  const { state, engine, sample, which, rows, values, known, random } = input
  const model = state.rewardModel
  if (model === null || known < 2) return null
  const covariance = covarianceOf(model)
  if (covariance === null) return null
  const step = Math.ceil(rows.length / MAX_ROWS)
  const some = rows.filter((_, k) => k % step === 0)
  const center = mean(values.filter((_, k) => k % step === 0))
  const { coefficients } = model as LinearModel | HierarchicalModel
  const roots = covariance.map((matrix, a) => choleskyOf(matrix, coefficients[a]!.length))
  const drawn: number[] = []
  for (let draw = 0; draw < DRAWS; draw++) {
    const stream = random.split('draw', draw)
    const rewardModel = { ...model, coefficients: perturbed(coefficients, roots, stream) } as RewardModel
    const valueAt = compileValueOfObserving(engine, { ...state, rewardModel })!
    drawn.push(mean(some.map((row) => valueAt(sample.block, row, which))))
  }
  if (mean(drawn) - center > MAX_BIAS * center) return null
  drawn.sort((a, b) => a - b)
  const estimate = mean(values)
  const spread = values.reduce((sum, value) => sum + (value - estimate) ** 2, 0) / values.length
  const other = NORMAL_95 * Math.sqrt(spread / values.length + (2 * estimate) ** 2 / (2 * known))
  const below = quantile(drawn, 0.975) - center
  const above = center - quantile(drawn, 0.025)
  return {
    lower: Math.max(0, estimate - Math.hypot(Math.max(0, below), other)),
    upper: estimate + Math.hypot(Math.max(0, above), other),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function quantile(sorted: readonly number[], p: number): number {
  return sorted[Math.round(p * (sorted.length - 1))]!
}

function choleskyOf(matrix: readonly number[], columns: number): Float64Array {
  const full = Float64Array.from(matrix)
  for (let k = 0; k < columns; k++) full[k * columns + k] = full[k * columns + k]! + 1e-12
  return cholesky(full, columns)
}

/** By action, row-major; null: the model has none. */
function covarianceOf(model: RewardModel): readonly (readonly number[])[] | null {
  if (model.kind === 'hierarchical')
    return model.covariance.map((upper, a) => full(upper, model.coefficients[a]!.length))
  if (model.kind !== 'linear' || model.covariance === null) return null
  return model.covariance.map((matrix) => matrix.map((value) => model.sigma ** 2 * value))
}

/** From the upper triangle, row by row. */
function full(upper: readonly number[], columns: number): readonly number[] {
  const place = (i: number, j: number) => i * columns - (i * (i - 1)) / 2 + j - i
  return Array.from({ length: columns ** 2 }, (_, k) => {
    const [i, j] = [Math.floor(k / columns), k % columns]
    return upper[place(Math.min(i, j), Math.max(i, j))]!
  })
}

function perturbed(
  coefficients: readonly (readonly number[])[],
  roots: readonly Float64Array[],
  random: Random,
): readonly (readonly number[])[] {
  return coefficients.map((theta, a) => {
    const columns = theta.length
    const noise = Float64Array.from({ length: columns }, () => random.normal())
    return theta.map((value, i) => {
      let sum = 0
      for (let j = 0; j <= i; j++) sum += roots[a]![i * columns + j]! * noise[j]!
      return value + WIDENED * sum
    })
  })
}
