// An environment from a function that draws one round in the user's units. Rounds of a block are drawn one after the other from the stream
// (seed, 'world', block).

import {
  type CovariateSpecs,
  checkProblem,
  type DeclaredProblem,
  type Feature,
  type Features,
  type Prediction,
  type Problem,
  type ValuesOf,
} from '@primo/core'
import { encodeContext, encodePrediction, encodeValue, encodingOf, predictWith } from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError, Random } from '@primo/numeric'
import type { Environment, WorldBlock } from './environment.js'
import { settledInside, settledReward } from './inside-units.js'

/** One round of a world with all that is behind it, in the user's units. */
export interface WorldRound<Given = object, Covariates = object, Action extends string = string> {
  readonly context: Given
  /** The true values, whether a policy sees them or not. */
  readonly covariates: Covariates
  /** Covariates that a policy does not see in this round; default none. */
  readonly missing?: readonly (keyof Covariates)[]
  /** What the pre-trained models say; default: what the problem's imputers say of the context. */
  readonly predictions?: { readonly [Name in keyof Covariates]?: Prediction }
  /** Mean reward of every action. */
  readonly means: Readonly<Record<Action, number>>
  /** The reward that every action would have given; default its mean. */
  readonly rewards?: Readonly<Record<Action, number>>
  /** How many later rounds are decided before the reward arrives; default 0. */
  readonly delay?: number
}

/** A world as its problem and the law of its rounds. */
export interface EnvironmentSpec<
  Context extends Features = Features,
  Covariates extends CovariateSpecs = CovariateSpecs,
  Action extends string = string,
> {
  /** Shown in tables and plots. */
  readonly name: string
  readonly problem: DeclaredProblem<Context, Covariates, Action>
  /** Products of features that the linear reward class needs; default none. */
  readonly interactions?: readonly (readonly string[])[]
  /** Draws a round, counted from 0. All randomness comes from `random`. */
  readonly round: (random: Random, round: number) => WorldRound<ValuesOf<Context>, ValuesOf<Covariates>, Action>
}

/**
 * An environment of your own, in your own units.
 * @example
 * const world = defineEnvironment({
 *   name: 'coins',
 *   problem: defineProblem({ context: {}, covariates: {}, actions: ['left', 'right'], reward: { min: 0, max: 1 } }),
 *   round: (random) => ({
 *     context: {},
 *     covariates: {},
 *     means: { left: 0.4, right: 0.6 },
 *     rewards: { left: random.uniform() < 0.4 ? 1 : 0, right: random.uniform() < 0.6 ? 1 : 0 },
 *   }),
 * })
 */
export function defineEnvironment<
  const Context extends Features,
  const Covariates extends CovariateSpecs,
  const Action extends string,
>({ name, problem, interactions = [], round }: EnvironmentSpec<Context, Covariates, Action>): Environment {
  const checked: Problem = checkProblem(problem as Problem)
  const fill = blockWriter(checked)
  return {
    name,
    problem: checked,
    interactions,
    block: (seed, index, count) => {
      const random = Random.fromSeed(seed).split('world', index)
      return fill(count, (at) => round(random, index * BLOCK_ROUNDS + at) as unknown as WorldRound)
    },
  }
}

function blockWriter(problem: Problem) {
  const encoding = encodingOf(problem)
  const { contextWidth, covariateWidth, covariates } = encoding
  const { min, max } = problem.reward.mean ?? problem.reward
  const actions = problem.actions.length

  function predictions(row: WorldRound, out: Float64Array, at: number): void {
    const given = row.predictions as Readonly<Record<string, Prediction>> | undefined
    for (const { name, feature, at: column, width } of covariates) {
      const { imputer } = feature
      if (imputer.kind === 'ensemble')
        throw new PrimoError('invalid-problem', `covariates.${name}.imputer must be one model here, got an ensemble`)
      const said = given?.[name] ?? predictWith(imputer, problem.context, row.context as never, undefined)
      if (encodePrediction({ feature }, said, out, at + column) === null) settle(feature, out, at + column)
      // A model that fails gives no prediction.
      else out.fill(Number.NaN, at + column, at + column + width)
    }
  }

  return (count: number, draw: (at: number) => WorldRound): WorldBlock => {
    const context = new Float64Array(count * contextWidth)
    const truth = new Float64Array(count * covariateWidth)
    const pretrained = new Float64Array(count * covariateWidth)
    const observed = new Uint8Array(count * covariates.length).fill(1)
    const means = new Float64Array(count * actions)
    const rewards = new Float64Array(count * actions)
    const delay = new Uint32Array(count)
    for (let at = 0; at < count; at++) {
      const row = draw(at)
      encodeContext(encoding, row.context, context, at * contextWidth)
      for (const { feature, at: column } of encoding.context) settle(feature, context, at * contextWidth + column)
      const values = row.covariates as Readonly<Record<string, unknown>>
      covariates.forEach(({ name, field, feature, at: column }, which) => {
        encodeValue(field, feature, values[name], truth, at * covariateWidth + column)
        settle(feature, truth, at * covariateWidth + column)
        if (row.missing?.includes(name as never)) observed[at * covariates.length + which] = 0
      })
      predictions(row, pretrained, at * covariateWidth)
      problem.actions.forEach((action, a) => {
        const mean = numberOf('means', row.means, action)
        means[at * actions + a] = settledReward(min, max - min, mean)
        const reward = row.rewards === undefined ? mean : numberOf('rewards', row.rewards, action)
        rewards[at * actions + a] = settledReward(min, max - min, reward)
      })
      delay[at] = row.delay ?? 0
    }
    const late = delay.some((rounds) => rounds > 0)
    return {
      count,
      context,
      truth,
      observed,
      pretrained,
      means,
      rewards,
      floor: null,
      delay: late ? delay : null,
    }
  }
}

/** A value that comes back from the user's units bit by bit. */
function settle(feature: Feature, out: Float64Array, at: number): void {
  if (feature.type === 'number') out[at] = settledInside(feature, out[at]!)
}

function numberOf(field: string, of: Readonly<Record<string, number>>, action: string): number {
  const value = of[action]
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new PrimoError('invalid-option', `${field}.${action} of a round must be a number, got ${value}`, { field })
  return value
}
