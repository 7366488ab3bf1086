// SquareCB: an online ridge regression per action and inverse gap weighting with gamma = scale sqrt(n), n rewards so far.

import { compileDesign, designColumns, designOf, type Engine, inverseGapWeighting } from '@primo/core/engine'
import { categorical, linearScores } from '@primo/numeric'
import { OnlineRidge } from './online-ridge.js'
import type { OnlineRule } from './simulate.js'

export interface SquareCbOptions {
  readonly scale: number
  readonly ridge: number
  readonly interactions: Parameters<typeof designOf>[1]
  readonly indicator: Parameters<typeof designOf>[2]
}

export function squareCb(engine: Engine, options: SquareCbOptions): OnlineRule {
  const actions = engine.encoding.actions.length
  const design = designOf(engine.encoding, options.interactions, options.indicator)
  const columns = designColumns(design)
  const write = compileDesign(design)
  const ridge = new OnlineRidge(actions, columns, options.ridge)
  const phi = new Float64Array(columns)
  const scores = new Float64Array(actions)
  const propensities = new Float64Array(actions)
  let learnt = 0
  return {
    propensities,
    decide: (block, row, draw) => {
      write(block, row, phi, 0)
      linearScores(ridge.theta, actions, phi, columns, scores)
      for (let a = 0; a < actions; a++) scores[a] = Math.min(1, Math.max(0, scores[a]!))
      inverseGapWeighting(scores, actions, options.scale * Math.sqrt(learnt), propensities)
      const action = categorical(propensities, actions, draw)
      block.action[row] = action
      block.propensity[row] = propensities[action]!
      return action
    },
    learn: (block, row) => {
      write(block, row, phi, 0)
      ridge.update(block.action[row]!, phi, 0, block.reward[row]!)
      learnt++
    },
  }
}
