// Strangers by their rewards: kinds of reward, numbers of actions and features, base rates, shares of missing values,
// heavy tails.

import type { Random } from '@primo/numeric'
import { continuous, type LinearWorld, linearWorld, type RewardLaw } from './linear-world.js'
import type { Stranger } from './world.js'

const FAMILY = 'rewards and sizes'
const one = (name: string, options: LinearWorld, share?: number): Stranger =>
  linearWorld(FAMILY, name, options, share === undefined ? {} : { share })

/** Student's t with two degrees of freedom: a normal over the root of a standard exponential. */
function heavyTail(random: Random): number {
  return random.normal() / Math.sqrt(-Math.log1p(-random.uniform()))
}

const heavy =
  (limit: number): RewardLaw =>
  (mean, _x, _action, random) =>
    Math.min(limit, Math.max(-limit, mean + 0.2 * heavyTail(random)))

export const rewardWorlds: readonly Stranger[] = [
  one('K = 3, d = 5, Bernoulli', {}),
  one('K = 3, d = 5, continuous', { reward: continuous }),
  one('K = 10, d = 5, Bernoulli', { actions: 10 }),
  one('K = 10, d = 5, continuous', { actions: 10, reward: continuous }),
  one('K = 30, d = 5, continuous', { actions: 30, reward: continuous }, 0.25),
  one('K = 3, d = 50, Bernoulli', { features: 50 }, 0.25),
  one('base rate 2%', { base: 0.02, reach: 0.015 }),
  one('base rate .5%', { base: 0.005, reach: 0.004 }),
  one('5% missing', { missing: () => 0.05 }),
  one('95% missing', { missing: () => 0.95 }),
  one('z hardly matters', { weight: 0.05 }),
  linearWorld('heavy tails', 't2 rewards, range of means declared', {
    reward: heavy(10),
    range: { min: -10, max: 10, mean: { min: 0, max: 1 } },
  }),
  linearWorld('heavy tails', 't2 rewards, clipped range alone', { reward: heavy(5), range: { min: -5, max: 5 } }),
]
