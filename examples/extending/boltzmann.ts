// An exploration rule of one's own: Boltzmann exploration, p_a proportional to exp(f_a / temperature).
//   createLearner(problem, { exploration: boltzmann })
//   createLearner(problem, { exploration: { ...boltzmann, options: { temperature: 0.02 } } })

import type { ExplorationRule } from '@primo/core'

interface Options {
  /** In units of the mean reward's range: actions that far behind the best get 37% of its propensity. */
  readonly temperature: number
}

export const boltzmann: ExplorationRule<Options> = {
  kind: 'boltzmann',
  version: '1',
  options: { temperature: 0.05 },
  check: ({ temperature }) => {
    if (!(temperature > 0)) throw new RangeError(`exploration.temperature must be > 0, got ${temperature}`)
  },
  compile:
    ({ options: { temperature } }) =>
    (scores, _widths, count, out, at = 0) => {
      let best = Number.NEGATIVE_INFINITY
      for (let a = at; a < at + count; a++) best = Math.max(best, scores[a]!)
      let sum = 0
      for (let a = at; a < at + count; a++) {
        out[a] = Math.exp((scores[a]! - best) / temperature)
        sum += out[a]!
      }
      for (let a = at; a < at + count; a++) out[a] = out[a]! / sum
    },
}
