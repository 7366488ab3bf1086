// LinUCB and LinTS as most would write them: a ridge regression per action, updated after every reward, on the values that the
// engine filled in. With m = theta_a'phi and w = sqrt(phi'A_a^-1 phi):
//   linucb  plays the largest m + alpha w;   lints  the largest draw of N(m, alpha^2 w^2).
// Actions share no coefficients, so these draws have the law of scores under coefficients drawn from the posterior.

import { compileDesign, designColumns, designOf, type Engine } from '@primo/core/engine'
import { linearScores, Random } from '@primo/numeric'
import { OnlineRidge } from './online-ridge.js'
import type { OnlineRule } from './simulate.js'

/** LinUCB or LinTS, and how wide it looks. */
export interface OnlineLinearOptions {
  readonly rule: 'linucb' | 'lints'
  /** In units of the mean reward's range. */
  readonly alpha: number
  readonly indicator?: 'none' | 'intercept' | 'interacted'
  /** Default 1. */
  readonly ridge?: number
  /** For the draws of LinTS. */
  readonly seed: number
}

/** LinUCB and LinTS as most would write them, updated after every reward. */
export function onlineLinear(engine: Engine, options: OnlineLinearOptions): OnlineRule {
  const { rule, alpha, indicator = 'none', ridge = 1 } = options
  const actions = engine.encoding.actions.length
  const design = designOf(engine.encoding, 'none', indicator)
  const columns = designColumns(design)
  const write = compileDesign(design)
  const model = new OnlineRidge(actions, columns, ridge)
  const random = Random.fromSeed(options.seed).split('thompson')
  const phi = new Float64Array(columns)
  const scores = new Float64Array(actions)
  const propensities = new Float64Array(actions)
  return {
    propensities,
    decide: (block, row) => {
      write(block, row, phi, 0)
      linearScores(model.theta, actions, phi, columns, scores)
      let best = 0
      for (let a = 0; a < actions; a++) {
        scores[a] = scores[a]! + alpha * model.width(a, phi) * (rule === 'linucb' ? 1 : random.normal())
        if (scores[a]! > scores[best]!) best = a
      }
      // What was drawn is played: a Thompson draw counts as the choice it led to.
      propensities.fill(0)
      propensities[best] = 1
      block.action[row] = best
      block.propensity[row] = 1
      return best
    },
    learn: (block, row) => {
      write(block, row, phi, 0)
      model.update(block.action[row]!, phi, 0, block.reward[row]!)
    },
  }
}
