// Propensities of a log that has none: cross-fitted scores of what was played (behaviour-scores.ts), calibrated by a slope and an offset per
// action on the held-out rows, raised to a minimum. The class with the smallest held-out log loss is used.

import { linkScores } from '@primo/core/engine'
import { Random, sortOrder } from '@primo/numeric'
import { fitLink } from '../training/link-fit.js'
import { type BehaviourClass, type BehaviourColumns, behaviourColumns, behaviourScores } from './behaviour-scores.js'
import type { EvaluationLog } from './evaluation-log.js'
import { randomFolds } from './folds.js'
import type { LoggedChoices } from './logged-choices.js'

/** Estimated propensities, and how far they can be trusted. */
export interface BehaviourModel {
  readonly class: BehaviourClass
  /** Other classes that the held-out rows cannot tell from it. */
  readonly rivals: readonly BehaviourClass[]
  /** Mean negative log likelihood of what was played, held out; of the shares of the actions alone. */
  readonly loss: number
  readonly sharesLoss: number
  /** What the log odds were multiplied by: 1 where they were calibrated as they were. */
  readonly slope: number
  /** Share of the rows whose played action was raised to the minimum. */
  readonly clippedShare: number
  /** Of the played actions. */
  readonly smallest: number
  /** Rows and actions by estimated probability: how often the action was played there. */
  readonly calibration: readonly { readonly predicted: number; readonly played: number; readonly count: number }[]
  /** By action: how often it was played, and quantiles of its estimated propensity over the rows where it could be. */
  readonly overlap: readonly {
    readonly action: string
    readonly played: number
    readonly quantiles: readonly { readonly share: number; readonly propensity: number }[]
  }[]
}

/** A model with what it says of every row. */
export interface FittedBehaviour {
  readonly model: BehaviourModel
  /** Rows x K. */
  readonly propensities: Float64Array
  /** Held-out log loss of each row. */
  readonly losses: Float64Array
  readonly scores: readonly Float64Array[]
  readonly columns: BehaviourColumns
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
export function behaviourModel(log: EvaluationLog, options: BehaviourOptions): FittedBehaviour {
  const { class: kind, folds: foldCount = 5, seed = 0, minimum = 0.01 } = options
  const { rows: n, actions, action, eligible } = log.choices
  const random = Random.fromSeed(seed).split('behaviour')
  const columns = behaviourColumns(log, kind)
  const scores = behaviourScores(log, kind, columns, randomFolds(n, foldCount, random), random.split(kind))
  const target = { type: 'category', levels: log.header.actions } as const
  const link = fitLink(target, scores, Float64Array.from(action), null)
  const propensities = new Float64Array(n * actions)
  const losses = new Float64Array(n)
  const p = new Float64Array(actions)
  let clipped = 0
  let smallest = 1
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < actions; a++) p[a] = scores[a]![i]!
    linkScores({ target, link }, p)
    losses[i] = -Math.log(Math.max(p[action[i]!]!, 1e-12))
    if (p[action[i]!]! < minimum) clipped++
    let sum = 0
    for (let a = 0; a < actions; a++) {
      p[a] = eligible?.[i * actions + a] === 0 ? 0 : Math.max(p[a]!, minimum)
      sum += p[a]!
    }
    for (let a = 0; a < actions; a++) propensities[i * actions + a] = p[a]! / sum
    smallest = Math.min(smallest, propensities[i * actions + action[i]!]!)
  }
  const model: BehaviourModel = {
    class: kind,
    rivals: [],
    loss: losses.reduce((sum, loss) => sum + loss, 0) / n,
    sharesLoss: sharesLoss(log.choices),
    slope: link.slope,
    clippedShare: clipped / n,
    smallest,
    calibration: calibrationGroups(propensities, log.choices),
    overlap: log.header.actions.map((name, a) => ({ action: name, ...overlapOf(propensities, log.choices, a) })),
  }
  return { model, propensities, losses, scores, columns }
}

const GROUPS = 10

function sharesLoss({ rows, actions, action }: LoggedChoices): number {
  const counts = new Float64Array(actions)
  for (const a of action) counts[a] = counts[a]! + 1
  return counts.reduce((sum, count) => sum - (count === 0 ? 0 : (count / rows) * Math.log(count / rows)), 0)
}

const SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]

function overlapOf(propensities: Float64Array, { rows, actions, action, eligible }: LoggedChoices, a: number) {
  const own = propensities.filter((_, k) => k % actions === a && eligible?.[k] !== 0).sort()
  return {
    played: action.reduce((sum, one) => sum + (one === a ? 1 : 0), 0) / rows,
    quantiles:
      own.length === 0
        ? []
        : SHARES.map((share) => ({ share, propensity: own[Math.round(share * (own.length - 1))]! })),
  }
}

/** Ten groups of alike probabilities; equal ones stay together. */
function calibrationGroups(propensities: Float64Array, { action, actions }: LoggedChoices) {
  const order = sortOrder(propensities)
  const groups: { predicted: number; played: number; count: number }[] = []
  for (let from = 0, to = 0; from < order.length; from = to) {
    to = Math.max(from + 1, Math.floor(((groups.length + 1) * order.length) / GROUPS))
    while (to < order.length && propensities[order[to]!] === propensities[order[to - 1]!]) to++
    let [predicted, played] = [0, 0]
    for (let place = from; place < to; place++) {
      const k = order[place]!
      predicted += propensities[k]!
      if (action[Math.floor(k / actions)] === k % actions) played++
    }
    const count = to - from
    groups.push({ predicted: predicted / count, played: played / count, count })
  }
  return groups
}
