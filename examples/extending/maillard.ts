// A policy of one's own, from a paper: Maillard sampling (Bian and Jun, AISTATS 2022), which plays action a with probability proportional
// to exp(-N_a gap_a^2 / (2 sigma^2)), N_a its plays and gap_a how far its mean reward is behind the best. It looks at no context.
//   npx @primo/cli simulate --scenario bandit --policies uniform,robust,examples/extending/maillard.ts

import type { OnlinePolicy } from '@primo/lab'

/** Rewards of range 1 have a standard deviation of at most one half. */
const VARIANCE = 0.25

export const maillard: OnlinePolicy = {
  name: 'maillard',
  start: ({ actions }) => {
    const plays = new Float64Array(actions)
    const totals = new Float64Array(actions)
    return {
      decide: (_seen, propensities) => {
        const unplayed = plays.indexOf(0)
        if (unplayed >= 0) {
          propensities.fill(0)
          propensities[unplayed] = 1
          return
        }
        let best = Number.NEGATIVE_INFINITY
        for (let a = 0; a < actions; a++) best = Math.max(best, totals[a]! / plays[a]!)
        let sum = 0
        for (let a = 0; a < actions; a++) {
          const gap = best - totals[a]! / plays[a]!
          propensities[a] = Math.exp((-plays[a]! * gap * gap) / (2 * VARIANCE))
          sum += propensities[a]!
        }
        for (let a = 0; a < actions; a++) propensities[a] = propensities[a]! / sum
      },
      learn: (_seen, action, reward) => {
        plays[action] = plays[action]! + 1
        totals[action] = totals[action]! + reward
      },
    }
  },
}
