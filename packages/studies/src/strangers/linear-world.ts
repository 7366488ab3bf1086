// The world that most strangers are variations of: x uniform on [-1, 1]^d, z_k = g_k(x) + eta with g_k = .5 sin(3 x_k) + .3 x_{k+1}
// and eta uniform on [-width, width], clipped to [-1, 1],
//   mean_a = base + reach (theta_a'x / sqrt(d) + weight sum_k beta_ak z_k + bend_a(x, z)),
// theta_a standard normal, beta_a the evenly spaced values from -1 to 1 in a random order. Means are clipped to [0, 1].

import { number, type Problem } from '@primo/core'
import type { Random } from '@primo/numeric'
import { type DrawRound, drawnEnvironment, type Stranger } from './world.js'

/** What is behind a covariate's value in a round. */
export interface Hidden {
  readonly x: Float64Array
  readonly z: number
  /** g(x). */
  readonly mean: number
  readonly eta: number
  /** Counted from 0. */
  readonly round: number
  readonly random: Random
}

export type RewardLaw = (mean: number, x: Float64Array, action: number, random: Random) => number

export interface LinearWorld {
  readonly features?: number
  readonly actions?: number
  readonly covariates?: number
  readonly width?: number
  readonly base?: number
  readonly reach?: number
  readonly weight?: number
  /** Added to the score of an action. */
  readonly bend?: (x: Float64Array, z: number, action: number, actions: number) => number
  readonly reward?: RewardLaw
  /** Probability that a value is missing; default one half, whatever happens. */
  readonly missing?: (hidden: Hidden) => number
  /** The pre-trained prediction, clipped to the covariate's range. */
  readonly model?: (hidden: Hidden) => number
  readonly drawContext?: (random: Random, x: Float64Array) => void
  readonly delay?: (random: Random) => number
  /** How many times wider than need be the ranges are declared. */
  readonly declared?: { readonly context?: number; readonly covariate?: number; readonly reward?: number }
  /** Default: rewards lie in [0, 1]. */
  readonly range?: Problem['reward']
}

export const bernoulli: RewardLaw = (mean, _x, _action, random) => (random.uniform() < mean ? 1 : 0)
export const continuous: RewardLaw = (mean, _x, _action, random) => mean + 0.2 * (2 * random.uniform() - 1)

/** Half right, and off by a fifth. */
export const mediocre = ({ mean }: Hidden) => 0.5 * mean + 0.2

const WIDE: Problem['reward'] = { min: -0.2, max: 1.2, mean: { min: 0, max: 1 } }

export function linearWorld(
  family: string,
  name: string,
  options: LinearWorld = {},
  more: Pick<Stranger, 'share' | 'against'> = {},
): Stranger {
  return {
    family,
    name,
    ...more,
    environment: () =>
      drawnEnvironment(
        name,
        problemOf(options),
        (parameters) => bind(options, parameters),
        options.delay !== undefined,
      ),
  }
}

function problemOf({ features = 5, actions = 3, covariates = 1, declared = {}, ...rest }: LinearWorld): Problem {
  const { min, max, mean } = rest.range ?? (rest.reward === continuous ? WIDE : { min: 0, max: 1 })
  const wide = (range: { min: number; max: number }) => ({
    min: range.min * (declared.reward ?? 1),
    max: range.max * (declared.reward ?? 1),
  })
  const feature = (factor = 1) => number({ min: -factor, max: factor })
  return {
    context: Object.fromEntries(Array.from({ length: features }, (_, k) => [`x${k}`, feature(declared.context)])),
    covariates: Object.fromEntries(
      Array.from({ length: covariates }, (_, k) => [
        `z${k}`,
        { ...feature(declared.covariate), imputer: { kind: 'column' } as const },
      ]),
    ),
    actions: Array.from({ length: actions }, (_, a) => `a${a}`),
    reward: { ...wide({ min, max }), ...(mean === undefined ? {} : { mean: wide(mean) }) },
  }
}

function bind(options: LinearWorld, parameters: Random): DrawRound {
  const { features = 5, actions = 3, covariates = 1, width = 0.4, base = 0.5, reach = 0.2, weight = 1 } = options
  const {
    reward = bernoulli,
    missing = () => 0.5,
    model = mediocre,
    bend,
    drawContext = uniform,
    declared = {},
  } = options
  const theta = Float64Array.from({ length: actions * features }, () => parameters.normal() / Math.sqrt(features))
  const orders = Array.from({ length: covariates }, () => parameters.permutation(actions))
  const spaced = (place: number) => (actions === 1 ? 0 : (2 * place) / (actions - 1) - 1)
  return (random, round, out) => {
    const { x, z, seen, prediction, means, rewards } = out
    drawContext(random, x)
    for (let k = 0; k < covariates; k++) {
      const mean = 0.5 * Math.sin(3 * (x[k % features] ?? 0)) + 0.3 * (x[(k + 1) % features] ?? 0)
      const value = unit(mean + width * (2 * random.uniform() - 1))
      const hidden = { x, z: value, mean, eta: value - mean, round, random }
      z[k] = value
      seen[k] = random.uniform() < missing(hidden) ? 0 : 1
      prediction[k] = unit(model(hidden))
    }
    for (let a = 0; a < actions; a++) {
      let score = bend?.(x, z[0] ?? 0, a, actions) ?? 0
      for (let k = 0; k < features; k++) score += theta[a * features + k]! * x[k]!
      for (let k = 0; k < covariates; k++) score += (weight * spaced(orders[k]![a]!) * z[k]!) / Math.sqrt(covariates)
      means[a] = Math.min(1, Math.max(0, base + reach * score))
      rewards[a] = reward(means[a]!, x, a, random)
    }
    for (let k = 0; k < features; k++) x[k] = x[k]! / (declared.context ?? 1)
    for (let k = 0; k < covariates; k++) {
      z[k] = z[k]! / (declared.covariate ?? 1)
      prediction[k] = prediction[k]! / (declared.covariate ?? 1)
    }
    out.delay = options.delay?.(random) ?? 0
  }
}

function uniform(random: Random, x: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() - 1
}

function unit(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
