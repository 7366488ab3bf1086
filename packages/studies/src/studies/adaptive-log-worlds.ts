// Logs that a learning policy made, in worlds with known values: x uniform in [-1, 1], two actions, rewards 0 or 1
// with means .5 + .3 s x and .5 + gap - .3 s x. Loggers: epsilon-greedy and Thompson sampling on ridge regressions,
// and robust.

import { createLearner, number } from '@primo/core'
import { type LogRow, logHeader } from '@primo/lab'
import { normalDistribution, type Random } from '@primo/numeric'

export const adaptiveWorlds = {
  'no difference': { slope: 0, gap: 0 },
  'small difference': { slope: 0, gap: 0.1 },
  'contexts matter': { slope: 1, gap: 0.05 },
} as const
export type AdaptiveWorld = keyof typeof adaptiveWorlds

export const loggers = ['epsilon-greedy', 'thompson', 'robust'] as const
export type Logger = (typeof loggers)[number]

const ACTIONS = ['a', 'b'] as const
const CONTEXT = { x: number({ min: -1, max: 1 }) }

export const adaptiveHeader = logHeader({
  actions: ACTIONS,
  context: CONTEXT,
  covariates: {},
  reward: { min: 0, max: 1 },
})

/** Values of always a, and of always b. */
export function adaptiveValues(world: AdaptiveWorld): readonly [number, number] {
  return [0.5, 0.5 + adaptiveWorlds[world].gap]
}

interface Playing {
  /** Probability of the second action. */
  readonly second: (x: number) => number
  readonly learn: (x: number, action: number, reward: number) => void
}

/** `mixed`: with this probability the logger plays by chance (robust: no action has less than half of it). */
export function* adaptiveLog(
  world: AdaptiveWorld,
  logger: Logger,
  rows: number,
  random: Random,
  mixed = 0,
): Generator<LogRow> {
  const { slope, gap } = adaptiveWorlds[world]
  if (logger === 'robust') {
    yield* robustLog(world, rows, random, mixed)
    return
  }
  const playing = onRidges(logger)
  for (let k = 0; k < rows; k++) {
    const x = 2 * random.uniform() - 1
    const second = (1 - mixed) * playing.second(x) + mixed / 2
    const action = random.uniform() < second ? 1 : 0
    const mean = action === 0 ? 0.5 + 0.3 * slope * x : 0.5 + gap - 0.3 * slope * x
    const reward = random.uniform() < mean ? 1 : 0
    playing.learn(x, action, reward)
    yield rowOf(k, x, action, [1 - second, second], reward)
  }
}

function* robustLog(world: AdaptiveWorld, rows: number, random: Random, mixed: number): Generator<LogRow> {
  const { slope, gap } = adaptiveWorlds[world]
  const learner = createLearner(
    { context: CONTEXT, covariates: {}, actions: ACTIONS, reward: { min: 0, max: 1 } },
    { seed: random.integer(2 ** 31), ...(mixed === 0 ? {} : { minimumPropensity: mixed / 2 }) },
  )
  for (let k = 0; k < rows; k++) {
    const x = 2 * random.uniform() - 1
    const { id, action, propensities } = learner.decide({ context: { x } })
    const mean = action === 'a' ? 0.5 + 0.3 * slope * x : 0.5 + gap - 0.3 * slope * x
    const reward = random.uniform() < mean ? 1 : 0
    learner.reward(id, reward)
    yield rowOf(k, x, action === 'a' ? 0 : 1, [propensities.a!, propensities.b!], reward)
  }
}

function rowOf(k: number, x: number, action: number, propensities: readonly number[], reward: number): LogRow {
  return {
    decisionId: `d${k}`,
    action: ACTIONS[action]!,
    propensity: propensities[action]!,
    propensities,
    reward,
    rewardStatus: 'closed',
    'context.x': x,
  }
}

const EPSILON = 0.1
/** Of Thompson sampling: what may be played with less is never evaluated well by any method. */
const SMALLEST = 0.02

/** One ridge regression on (1, x) per action. */
function onRidges(kind: 'epsilon-greedy' | 'thompson'): Playing {
  const fits = ACTIONS.map(() => ({ n: 1, sx: 0, sxx: 1, sy: 0, sxy: 0 }))
  const at = (which: number, x: number) => {
    const { n, sx, sxx, sy, sxy } = fits[which]!
    const determinant = n * sxx - sx * sx
    const slope = (n * sxy - sx * sy) / determinant
    const intercept = (sxx * sy - sx * sxy) / determinant
    return { mean: intercept + slope * x, variance: (0.25 * (sxx - 2 * sx * x + n * x * x)) / determinant }
  }
  return {
    second: (x) => {
      const [a, b] = [at(0, x), at(1, x)]
      if (kind === 'epsilon-greedy') return b.mean > a.mean ? 1 - EPSILON / 2 : EPSILON / 2
      const share = normalDistribution((b.mean - a.mean) / Math.sqrt(a.variance + b.variance))
      return Math.min(1 - SMALLEST, Math.max(SMALLEST, share))
    },
    learn: (x, action, reward) => {
      const fit = fits[action]!
      fit.n++
      fit.sx += x
      fit.sxx += x * x
      fit.sy += reward
      fit.sxy += x * reward
    },
  }
}
