// A bandit without context (method#bandit): the last action is better than all others by `gap`, rewards have uniform noise with
// standard deviation sigma around means .5 +- gap / 2. The last one, so that no tie-breaking by index can help.

import type { Structure } from './structure.js'

export interface BanditOptions {
  /** Default 5. */
  readonly actions?: number
  /** Default 0.1. */
  readonly gap?: number
  /** Default 0.29. */
  readonly sigma?: number
}

export function banditStructure(options: BanditOptions = {}): Structure {
  const { actions = 5, gap = 0.1, sigma = 0.29 } = options
  const half = Math.sqrt(3) * sigma
  const worse = 0.5 - gap / 2
  const better = 0.5 + gap / 2
  return {
    name: 'bandit',
    problem: {
      context: {},
      covariates: {},
      actions: Array.from({ length: actions }, (_, a) => `a${a}`),
      // Without noise or gap the range would be empty.
      reward: { min: Math.min(0, worse - half), max: Math.max(1, better + half), mean: { min: 0, max: 1 } },
    },
    interactions: [],
    drawContext: () => {},
    covariate: null,
    rewardMeans: (_x, _z, out) => {
      out.fill(worse)
      out[actions - 1] = better
    },
    realise: (_x, _z, means, draw, out) => {
      const noise = half * (2 * draw - 1)
      for (let a = 0; a < actions; a++) out[a] = means[a]! + noise
    },
    delay: null,
  }
}
