// Estimators of a policy's value from a log; w = pi(a_i|x_i)/p_i, q = a model of the mean reward fitted on other rows,
// d_i = sum_a pi(a|x_i) q(x_i, a). All are ratios of two sums over rows, so one code makes all intervals.
//   ips         sum w r / n                               unbiased (Horvitz and Thompson 1952)
//   snips       sum w r / sum w                           consistent, bias O(1/n) (Swaminathan and Joachims 2015)
//   direct      sum d / n                                 as good as q, which its terms do not show: no interval
//   dr          sum [d + w (r - q_i)] / n                 unbiased (Dudik, Langford and Li 2011)
//   clipped-ips sum min(w, M) r / n                       biased by what is cut off; bounded weights
//   clipped-dr  sum [d + min(w, M) (r - q_i)] / n         the same around q
//   switch      sum [d + w 1{w <= M} (r - q_i)] / n       q alone where w > M (Wang, Agarwal and Dudik 2017)
//   replay      mean r where a draw from pi is a_i        unbiased when the log is uniform (Li and others 2011)

import type { Random } from '@primo/numeric'
import type { LoggedChoices, TargetPropensities } from './logged-choices.js'

/** Estimators of a policy's value from a log. */
export const estimatorNames = ['ips', 'snips', 'direct', 'dr', 'clipped-ips', 'clipped-dr', 'switch', 'replay'] as const

/** The name of an estimator. */
export type EstimatorName = (typeof estimatorNames)[number]

/** The estimate is sum top / sum bottom; bottom null: the number of rows. */
export interface Terms {
  readonly top: Float64Array
  readonly bottom: Float64Array | null
  /** What a term of `top` can be (of an accepted row, for replay); null: not bounded, so no Bernstein interval. */
  readonly bounds: { readonly min: number; readonly max: number } | null
  /** M of the clipped and switching ones. */
  readonly threshold?: number
  /** The terms are a model's: their spread says nothing of its error. */
  readonly modelled?: true
}

export interface EstimatorInput {
  readonly choices: LoggedChoices
  readonly target: TargetPropensities
  readonly weights: Float64Array
  /** The largest weight there can be: 1 over the smallest propensity. */
  readonly largestWeight: number
  /** q, rows x K; null: none, and estimators that need it give null. */
  readonly rewards: Float64Array | null
  /** M, or 'auto': the smallest estimate of variance plus squared bound of the bias. */
  readonly threshold: number | 'auto'
  readonly random: Random
}

export function estimatorTerms(name: EstimatorName, input: EstimatorInput): Terms | null {
  const { choices, weights, largestWeight } = input
  const { rows, reward, rewardRange } = choices
  switch (name) {
    case 'ips':
      return { top: reward.map((r, i) => weights[i]! * r), bottom: null, bounds: scaled(rewardRange, largestWeight) }
    case 'snips':
      return { top: reward.map((r, i) => weights[i]! * r), bottom: weights, bounds: null }
    case 'clipped-ips': {
      const at = (cap: number) => reward.map((r, i) => Math.min(weights[i]!, cap) * r)
      const threshold = chosenThreshold(input, at, clippedMass)
      return { top: at(threshold), bottom: null, bounds: scaled(rewardRange, threshold), threshold }
    }
    case 'replay':
      return replayTerms(input)
  }
  if (input.rewards === null) return null
  const { expected, played } = modelled(input, input.rewards)
  if (name === 'direct') return { top: expected, bottom: null, bounds: null, modelled: true }
  const around = (weight: (i: number) => number) => {
    const top = new Float64Array(rows)
    for (let i = 0; i < rows; i++) top[i] = expected[i]! + weight(i) * (reward[i]! - played[i]!)
    return top
  }
  if (name === 'dr') return { top: around((i) => weights[i]!), bottom: null, bounds: aroundModel(input, largestWeight) }
  const clipped = name === 'clipped-dr'
  const at = (cap: number) =>
    around((i) => (clipped ? Math.min(weights[i]!, cap) : weights[i]! <= cap ? weights[i]! : 0))
  const threshold = chosenThreshold(input, at, clipped ? clippedMass : switchedMass)
  return { top: at(threshold), bottom: null, bounds: aroundModel(input, threshold), threshold }
}

/** d_i, and q of the action played. */
function modelled({ choices, target }: EstimatorInput, q: Float64Array) {
  const { rows, actions, action } = choices
  const expected = new Float64Array(rows)
  const played = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    let sum = 0
    for (let a = 0; a < actions; a++) sum += target[i * actions + a]! * q[i * actions + a]!
    expected[i] = sum
    played[i] = q[i * actions + action[i]!]!
  }
  return { expected, played }
}

function replayTerms({ choices, target, random }: EstimatorInput): Terms {
  const { rows, actions, action, reward, rewardRange, seen } = choices
  const top = new Float64Array(rows)
  const bottom = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    // Whether a draw from pi is a_i.
    if (random.uniform() >= target[i * actions + action[i]!]!) continue
    bottom[i] = seen === undefined ? 1 : seen[i]!
    top[i] = bottom[i]! * reward[i]!
  }
  return { top, bottom, bounds: seen === undefined ? rewardRange : null }
}

function scaled({ min, max }: { min: number; max: number }, weight: number) {
  return { min: weight * Math.min(0, min), max: weight * Math.max(0, max) }
}

/** d + w (r - q) with all three inside the reward's range; a model that leaves it widens the bounds. */
function aroundModel({ choices, rewards }: EstimatorInput, weight: number) {
  const { min, max } = choices.rewardRange
  let low = min
  let high = max
  for (const q of rewards!) {
    low = Math.min(low, q)
    high = Math.max(high, q)
  }
  return { min: low - weight * (high - min), max: high + weight * (max - low) }
}

function clippedMass(weight: number, cap: number): number {
  return Math.max(0, weight - cap)
}

function switchedMass(weight: number, cap: number): number {
  return weight > cap ? weight : 0
}

const CANDIDATES = [0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1]

/** M with the smallest variance/n + (lost mass x range of the reward)^2; the mass that a cap loses bounds the bias. */
function chosenThreshold(
  { threshold, weights, choices }: EstimatorInput,
  at: (cap: number) => Float64Array,
  lost: (weight: number, cap: number) => number,
): number {
  if (threshold !== 'auto') return threshold
  const { rows, rewardRange } = choices
  const sorted = Float64Array.from(weights).sort()
  let best = sorted[rows - 1]!
  let least = Number.POSITIVE_INFINITY
  for (const p of CANDIDATES) {
    const cap = sorted[Math.ceil(p * rows) - 1] ?? sorted[0]!
    if (cap <= 0) continue
    let mass = 0
    for (const weight of weights) mass += lost(weight, cap)
    const error = varianceOf(at(cap)) / rows + ((mass / rows) * (rewardRange.max - rewardRange.min)) ** 2
    if (error >= least) continue
    least = error
    best = cap
  }
  return best
}

export function varianceOf(values: Float64Array): number {
  const rows = values.length
  let sum = 0
  for (const value of values) sum += value
  const mean = sum / rows
  let square = 0
  for (const value of values) square += (value - mean) ** 2
  return rows > 1 ? square / (rows - 1) : 0
}
