// Propensities of a log that has none: a multinomial logit of what was played, on the context, the values of the covariates and
// whether they were missing (and, in the wider class, squares and products of these), cross-fitted over folds. The class with the smaller
// held-out loss is used; the log odds are divided by the number that makes held-out loss least; small probabilities are raised to a minimum.

import { BLOCK_ROUNDS, Random } from '@primo/numeric'
import type { EvaluationLog } from './evaluation-log.js'
import { randomFolds } from './folds.js'
import { fitLogit, logitProbabilities } from './multinomial-logit.js'

export type BehaviourClass = 'linear' | 'products'

/** Estimated propensities, and how far they can be trusted. */
export interface BehaviourModel {
  readonly class: BehaviourClass
  /** Rows x K. */
  readonly propensities: Float64Array
  /** Mean negative log likelihood of what was played, held out; of the shares of the actions alone. */
  readonly loss: number
  readonly sharesLoss: number
  /** What the log odds were divided by: 1 where they were calibrated as they were. */
  readonly scale: number
  /** Share of the rows whose played action was raised to the minimum. */
  readonly clippedShare: number
  /** Of the played actions. */
  readonly smallest: number
  /** Rows and actions by estimated probability: how often the action was played there. */
  readonly calibration: readonly { readonly predicted: number; readonly played: number; readonly count: number }[]
}

export interface BehaviourOptions {
  readonly class: BehaviourClass
  /** Default 5. */
  readonly folds?: number
  readonly seed?: number
  /** Least probability; default 0.01. */
  readonly minimum?: number
}

/** Estimates with which probability each action was played in every row. */
export function behaviourModel(log: EvaluationLog, options: BehaviourOptions): BehaviourModel {
  const { folds: foldCount = 5, seed = 0, minimum = 0.01 } = options
  const { rows: n, actions, action } = log.choices
  const { rows, width } = behaviourRows(log, options.class)
  const folds = randomFolds(n, foldCount, Random.fromSeed(seed).split('behaviour'))
  const thetas = Array.from({ length: foldCount }, (_, fold) => {
    const kept = Uint32Array.from({ length: n }, (__, i) => i).filter((i) => folds[i] !== fold)
    const training = new Float64Array(kept.length * width)
    for (const [k, i] of kept.entries()) training.set(rows.subarray(i * width, (i + 1) * width), k * width)
    return fitLogit(
      training,
      width,
      Uint16Array.from(kept, (i) => action[i]!),
      actions,
    )
  })
  const p = new Float64Array(actions)
  const heldOutLoss = (scale: number) => {
    let sum = 0
    for (let i = 0; i < n; i++) {
      logitProbabilities(thetas[folds[i]!]!, rows, i * width, width, p, scale)
      sum -= Math.log(Math.max(p[action[i]!]!, 1e-12))
    }
    return sum / n
  }
  const scale = SCALES.reduce((best, one) => (heldOutLoss(one) < heldOutLoss(best) ? one : best), 1)
  const propensities = new Float64Array(n * actions)
  let clipped = 0
  let smallest = 1
  for (let i = 0; i < n; i++) {
    logitProbabilities(thetas[folds[i]!]!, rows, i * width, width, p, scale)
    if (p[action[i]!]! < minimum) clipped++
    let sum = 0
    for (let a = 0; a < actions; a++) {
      p[a] = Math.max(p[a]!, minimum)
      sum += p[a]!
    }
    for (let a = 0; a < actions; a++) propensities[i * actions + a] = p[a]! / sum
    smallest = Math.min(smallest, propensities[i * actions + action[i]!]!)
  }
  return {
    class: options.class,
    propensities,
    loss: heldOutLoss(scale),
    sharesLoss: sharesLoss(action, actions),
    scale,
    clippedShare: clipped / n,
    smallest,
    calibration: calibrationBins(propensities, action, actions),
  }
}

const SCALES = [0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2]
const BINS = 10

function sharesLoss(action: Uint16Array, actions: number): number {
  const counts = new Float64Array(actions)
  for (const a of action) counts[a] = counts[a]! + 1
  return counts.reduce(
    (sum, count) => sum - (count === 0 ? 0 : (count / action.length) * Math.log(count / action.length)),
    0,
  )
}

function calibrationBins(propensities: Float64Array, action: Uint16Array, actions: number) {
  const bins = Array.from({ length: BINS }, () => ({ predicted: 0, played: 0, count: 0 }))
  propensities.forEach((p, k) => {
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]!
    bin.predicted += p
    bin.played += action[Math.floor(k / actions)] === k % actions ? 1 : 0
    bin.count++
  })
  return bins
    .filter(({ count }) => count > 0)
    .map(({ predicted, played, count }) => ({ predicted: predicted / count, played: played / count, count }))
}

/** Columns in [-1, 1], the first 1. */
function behaviourRows({ rounds, choices }: EvaluationLog, kind: BehaviourClass) {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = rounds.shape
  const base = p + m + c
  const width = 1 + base + (kind === 'products' ? (base * (base + 1)) / 2 : 0)
  const rows = new Float64Array(choices.rows * width)
  for (let i = 0; i < choices.rows; i++) {
    const block = rounds.block(i)
    const row = i % BLOCK_ROUNDS
    const at = i * width
    rows[at] = 1
    for (let k = 0; k < p; k++) rows[at + 1 + k] = block.context[row * p + k]!
    for (let k = 0; k < m; k++) rows[at + 1 + p + k] = finite(block.covariates[row * m + k]!)
    for (let k = 0; k < c; k++) rows[at + 1 + p + m + k] = block.observed[row * c + k] === 1 ? 0 : 1
    if (kind === 'linear') continue
    let to = at + 1 + base
    for (let j = 0; j < base; j++) for (let k = j; k < base; k++) rows[to++] = rows[at + 1 + j]! * rows[at + 1 + k]!
  }
  return { rows, width }
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}
