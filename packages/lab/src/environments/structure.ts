// The structure behind an environment, as functions of numbers in the user's units:
//   x ~ drawContext,  z* = g*(x) + eta,  b ~ P(b = 1 | x, eta, round),
//   g~ = g* + what the imputer's quality says,  mean rewards f*(x, z*, a),  rewards from one draw shared by the actions.
// A context is one number per feature: a number itself, a boolean 0 or 1, a category the index of its level.
// Missingness, imputer quality and delay are data, so any of them can be laid on any structure. At most one covariate.

import type { Problem } from '@primo/core'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'
import { type ConditionalMeans, conditionalMeans } from './conditional-means.js'
import { type DelaySpec, delaySource } from './delay.js'
import type { Environment, WorldBlock } from './environment.js'
import type { ImputerQuality } from './imputers.js'
import { insideUnits } from './inside-units.js'
import { compileMissingness, type MissingnessSpec } from './mechanisms.js'
import { type RowVisitor, rowSource } from './rows.js'

/** The law of z* given its mean. */
export type CovariateLaw =
  /** z* = mean + eta, eta by its quantile function, the same for all contexts, with mean 0. */
  | { readonly kind: 'additive'; readonly eta: (draw: number) => number }
  /** One of a few values; writes their probabilities. */
  | {
      readonly kind: 'discrete'
      readonly values: readonly number[]
      readonly writeShares: (mean: number, shares: Float64Array) => void
    }

/** The truth behind a covariate: its mean, its noise, when it is observed and what the model predicts. */
export interface CovariateStructure {
  /** g*(x) before any move. */
  readonly mean: (x: Float64Array) => number
  /** Where the mean goes when it moves and the pre-trained model does not notice (a stale model). */
  readonly moved: (x: Float64Array) => number
  readonly law: CovariateLaw
  /** How far the mean moves by an input that explains all of eta. */
  readonly inputUnit: number
  /** Error of the pre-trained model where its bias is 1. */
  readonly bias: (x: Float64Array, mean: number) => number
  /** What observation depends on: P(b = 1) = sigmoid(index(x) + mnarStrength eta / etaUnit), at least `clip` under MAR. */
  readonly index: (x: Float64Array) => number
  readonly etaUnit: number
  readonly clip: number
  readonly missingness: MissingnessSpec
  readonly imputer: ImputerQuality
}

/** The law behind an environment, in the user's units: `buildEnvironment` makes rounds of it. */
export interface Structure {
  readonly name: string
  readonly problem: Problem
  readonly interactions: readonly (readonly string[])[]
  readonly drawContext: (random: Random, x: Float64Array) => void
  readonly covariate: CovariateStructure | null
  /** Writes f*(x, z, a) for every action, in the reward's units; z is 0 where there is no covariate. */
  readonly rewardMeans: (x: Float64Array, z: number, out: Float64Array, round: number) => void
  /** Degree of f* as a polynomial in z; absent: not a polynomial, the floor sums over the nodes of the quadrature. */
  readonly degree?: 1 | 2
  /** Writes the reward that each action would have given, from its mean and one uniform draw. */
  readonly realise: (x: Float64Array, z: number, means: Float64Array, draw: number, out: Float64Array) => void
  readonly delay: DelaySpec | null
  /** Root mean square of g~ - g* where it is known exactly; absent: measured. */
  readonly delta0?: number
}

/** An environment whose structure is known: its constants can be computed. */
export interface KnownEnvironment extends Environment {
  readonly structure: Structure
  /** Visits the rounds of a block with all that is behind them. */
  readonly rows: (seed: number, index: number, count: number, visit: RowVisitor) => void
  /** What the mean rewards of a row are to someone who knows everything but z. */
  readonly conditional: ConditionalMeans
}

/** Makes an environment of functions of numbers in the user's units. */
export function buildEnvironment(structure: Structure): KnownEnvironment {
  const { name, problem, interactions, covariate } = structure
  const mechanism = covariate === null ? null : compileMissingness(structure, covariate)
  const rows = rowSource(structure, mechanism)
  const units = insideUnits(problem)
  const conditional = conditionalMeans(structure, mechanism)
  const delays = structure.delay === null ? null : delaySource(structure.delay)
  const actions = problem.actions.length
  const covariates = covariate === null ? 0 : 1

  function block(seed: number, index: number, count: number): WorldBlock {
    const context = new Float64Array(count * units.contextWidth)
    const truth = new Float64Array(count * covariates)
    const observed = new Uint8Array(count * covariates)
    const pretrained = new Float64Array(count * covariates)
    const means = new Float64Array(count * actions)
    const rewards = new Float64Array(count * actions)
    const floor = new Float64Array(count)
    const expected = new Float64Array(actions)
    rows(seed, index, count, (row, at) => {
      units.writeContext(row.x, context, at * units.contextWidth)
      if (covariate !== null) {
        truth[at] = units.covariate(row.z)
        pretrained[at] = units.covariate(row.pretrained)
        observed[at] = row.observed ? 1 : 0
        if (!row.observed) {
          conditional(row, 'missing', expected)
          floor[at] = units.rewardSpan(row.means[largest(row.means)]! - row.means[largest(expected)]!)
        }
      }
      for (let a = 0, to = at * actions; a < actions; a++, to++) {
        means[to] = units.reward(row.means[a]!)
        rewards[to] = units.reward(row.rewards[a]!)
      }
    })
    const delay = delays === null ? null : delays(seed, index, count)
    return { count, context, truth, observed, pretrained, means, rewards, floor, delay }
  }

  const delta0 = structure.delta0 ?? measuredDelta0(structure, rows)
  return {
    name,
    problem,
    interactions,
    ...(delta0 === undefined ? {} : { delta0 }),
    structure,
    rows,
    conditional,
    block,
  }
}

/** The index of the largest value; the smallest index where several are. */
export function largest(values: Float64Array): number {
  let best = 0
  for (let a = 1; a < values.length; a++) if (values[a]! > values[best]!) best = a
  return best
}

const DELTA0_BLOCKS = 4

/** Undefined without a covariate and where the mean moves: there is no one value then. */
function measuredDelta0(structure: Structure, rows: KnownEnvironment['rows']): number | undefined {
  if (structure.covariate === null || structure.covariate.imputer.stale !== null) return undefined
  let sum = 0
  for (let index = 0; index < DELTA0_BLOCKS; index++) {
    rows(0, index, BLOCK_ROUNDS, (row) => {
      sum += (row.pretrained - row.mean) ** 2
    })
  }
  return Math.sqrt(sum / (DELTA0_BLOCKS * BLOCK_ROUNDS))
}
