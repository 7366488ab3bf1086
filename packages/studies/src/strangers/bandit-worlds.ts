// Strangers with unequal noise: a sure action beside one that pays rarely, alone and with contexts; and bandits with
// equal noise.

import { number, type Problem } from '@primo/core'
import type { Random } from '@primo/numeric'
import { type DrawRound, drawnEnvironment, type Stranger } from './world.js'

const FAMILY = 'unequal noise'

function world(
  name: string,
  problem: Pick<Problem, 'context' | 'reward'>,
  actions: number,
  bind: (parameters: Random) => DrawRound,
): Stranger {
  const whole = { ...problem, covariates: {}, actions: Array.from({ length: actions }, (_, a) => `a${a}`) }
  return { family: FAMILY, name, environment: () => drawnEnvironment(name, whole, bind) }
}

const UNIT = { min: 0, max: 1 }

/** Sure 0 beside 1 with probability `win(x)`, at a cost of .05. */
function gamble(name: string, features: readonly string[], win: (x: Float64Array) => number): Stranger {
  const context = Object.fromEntries(features.map((feature) => [feature, number({ min: -1, max: 1 })]))
  return world(
    name,
    { context, reward: { min: -0.05, max: 0.95 } },
    2,
    () =>
      (random, _round, { x, means, rewards }) => {
        for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() - 1
        const chance = win(x)
        means[1] = chance - 0.05
        rewards[1] = (random.uniform() < chance ? 1 : 0) - 0.05
      },
  )
}

/** A sure reward beside a Bernoulli one. */
function sureThing(
  name: string,
  features: readonly string[],
  sure: (x: Float64Array) => number,
  noisy: (x: Float64Array) => number,
): Stranger {
  const context = Object.fromEntries(features.map((feature) => [feature, number({ min: -1, max: 1 })]))
  return world(name, { context, reward: UNIT }, 2, () => (random, _round, { x, means, rewards }) => {
    for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() - 1
    means[0] = sure(x)
    rewards[0] = means[0]!
    means[1] = noisy(x)
    rewards[1] = random.uniform() < means[1]! ? 1 : 0
  })
}

/** Means drawn within `spread` of one half, the same noise for all. */
function equalNoise(actions: number, spread: number): Stranger {
  const reward = { min: -0.5, max: 1.5, mean: UNIT }
  return world(`${actions} arms, equal noise`, { context: {}, reward }, actions, (parameters) => {
    const levels = Array.from({ length: actions }, () => 0.5 + spread * (2 * parameters.uniform() - 1))
    return (random, _round, { means, rewards }) => {
      for (let a = 0; a < actions; a++) {
        means[a] = levels[a]!
        rewards[a] = levels[a]! + 0.4 * (2 * random.uniform() - 1)
      }
    }
  })
}

export const banditWorlds: readonly Stranger[] = [
  gamble('sure 0, or 1 at .12 for .05', [], () => 0.12),
  sureThing(
    'sure .02, or 1 at .03',
    [],
    () => 0.02,
    () => 0.03,
  ),
  gamble('sure 0, or a gamble by context', ['x0', 'x1'], (x) => 0.12 + 0.11 * x[0]!),
  sureThing(
    'sure by context, or a gamble',
    ['x0', 'x1'],
    (x) => 0.05 + 0.03 * x[0]!,
    (x) => 0.06 + 0.04 * x[1]!,
  ),
  equalNoise(5, 0.2),
  equalNoise(20, 0.2),
]
