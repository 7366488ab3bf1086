// Worlds of `primo study late-rewards`. Where rewards stay away: straight-line reward models, rewards with a cliff
// that no line has, and replies that come mostly from the good side of it. Where rewards are late: a signal soon
// after the decision, the reward at the end of a window of 2,000 rounds.

import { createLearner, type LearnerOptions, number } from '@primo/core'
import { Random } from '@primo/numeric'

const unit = number({ min: -1, max: 1 })
const logistic = (t: number) => 1 / (1 + Math.exp(-t))

interface MissingWorld {
  readonly actions: readonly string[]
  readonly mean: (x: number, y: number, action: number) => number
  /** P(a reward comes). */
  readonly seen: (x: number, y: number, action: number) => number
}

const cliff = (x: number) => (x < 0 ? 0.25 : 0.95 - 0.5 * x)
const replies = (x: number) => logistic(4 * x - 0.5)

export const missingWorlds = {
  cliff: {
    actions: ['keep', 'offer'],
    mean: (x, _y, a) => (a === 0 ? 0.5 : cliff(x)),
    seen: (x, _y, a) => (a === 0 ? 0.9 : replies(x)),
  },
  'two cliffs': {
    actions: ['keep', 'offer', 'call'],
    mean: (x, y, a) => (a === 0 ? 0.5 : cliff(a === 1 ? x : y)),
    seen: (x, y, a) => (a === 0 ? 0.9 : replies(a === 1 ? x : y)),
  },
  line: {
    actions: ['keep', 'offer'],
    mean: (x, _y, a) => (a === 0 ? 0.5 : 0.5 + 0.3 * x),
    seen: (x, _y, a) => (a === 0 ? 0.9 : replies(x)),
  },
} satisfies Record<string, MissingWorld>

export type MissingWorldName = keyof typeof missingWorlds
/** What is done about missing rewards; 'all': none is missing. */
export type Arm = 'all' | 'drop' | 'weight'

/** Regret of `rounds` rounds; the same contexts, rewards and replies for every arm as long as actions agree. */
export function missingRegret(
  name: MissingWorldName,
  arm: Arm,
  oracle: LearnerOptions['oracle'],
  seed: number,
  rounds: number,
): number {
  const { actions, mean, seen }: MissingWorld = missingWorlds[name]
  const learner = createLearner(
    { context: { x: unit, y: unit }, covariates: {}, actions, reward: { min: 0, max: 1, window: 50 } },
    {
      seed,
      ...(oracle === undefined ? {} : { oracle }),
      ...(arm === 'weight' ? { rewards: { missing: 'weight' } } : {}),
    },
  )
  const random = Random.fromSeed(seed).split('late-rewards', name)
  let regret = 0
  for (let t = 0; t < rounds; t++) {
    const [x, y, chance, reply] = [
      2 * random.uniform() - 1,
      2 * random.uniform() - 1,
      random.uniform(),
      random.uniform(),
    ]
    const { id, action } = learner.decide({ context: { x, y } })
    const a = actions.indexOf(action)
    const means = actions.map((_, k) => mean(x, y, k))
    if (arm === 'all' || reply < seen(x, y, a)) learner.reward(id, chance < means[a]! ? 1 : 0)
    regret += Math.max(...means) - means[a]!
  }
  return regret
}

export const WINDOW = 2000
const NOISE = 0.35
const ACTIONS = Array.from({ length: 8 }, (_, a) => `plan ${a + 1}`)

/**
 * The signal is the reward to come with noise of this standard deviation; null: nobody reports signals; 'useless':
 * noise alone.
 */
export type SignalNoise = number | 'useless' | null

/** Regret of each round: eight actions with rewards in lines of the context and noise around them. */
export function lateRegret(noise: SignalNoise, seed: number, rounds: number): Float64Array {
  const learner = createLearner(
    {
      context: { x: unit, y: unit },
      covariates: {},
      actions: ACTIONS,
      reward: { min: -1, max: 2, mean: { min: 0, max: 1 }, window: WINDOW },
      ...(noise === null ? {} : { signals: { early: number({ min: -2, max: 3 }) } }),
    },
    { seed },
  )
  const random = Random.fromSeed(seed).split('late-rewards')
  const lines = ACTIONS.map(() => [0.35, -0.15, -0.15].map((least) => least + 0.3 * random.uniform()))
  const regrets = new Float64Array(rounds)
  const waiting: { readonly id: string; readonly reward: number }[] = []
  for (let t = 0; t < rounds; t++) {
    // A reward comes with the last decision of its window.
    const due = waiting[t - WINDOW + 1]
    if (due !== undefined) learner.reward(due.id, due.reward)
    const [x, y, luck, blur] = [2 * random.uniform() - 1, 2 * random.uniform() - 1, random.normal(), random.normal()]
    const { id, action } = learner.decide({ context: { x, y } })
    const means = lines.map(([base, slope, other]) => base! + slope! * x + other! * y)
    const own = means[ACTIONS.indexOf(action)]!
    const reward = within(own + NOISE * luck, -1, 2)
    waiting.push({ id, reward })
    if (noise !== null) learner.signal(id, { early: within(noise === 'useless' ? blur : reward + noise * blur, -2, 3) })
    regrets[t] = Math.max(...means) - own
  }
  return regrets
}

function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
