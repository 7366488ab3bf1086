// A user's policy as a rule of the simulation: rounds are shown to it as columns, its propensities are checked and drawn from.

import { type Engine, type RoundBlock, requirePropensities } from '@primo/core/engine'
import { BLOCK_ROUNDS, categorical, Random } from '@primo/numeric'
import type { OnlinePolicy } from '../policies/online-policy.js'
import type { OnlineRule } from './simulate.js'

export function onlineRule(engine: Engine, policy: OnlinePolicy, seed: number): OnlineRule {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = engine.shape
  const actions = engine.encoding.actions.length
  const running = policy.start({
    problem: engine.problem,
    actions,
    columns: p + m,
    random: Random.fromSeed(seed).split('policy'),
  })
  const propensities = new Float64Array(actions)
  const seen = { round: 0, columns: new Float64Array(p + m), missing: new Uint8Array(c) }
  const who = `policy "${policy.name}"`
  const show = (block: RoundBlock, row: number) => {
    seen.round = block.index * BLOCK_ROUNDS + row + 1
    for (let k = 0; k < p; k++) seen.columns[k] = block.context[row * p + k]!
    for (let k = 0; k < m; k++) seen.columns[p + k] = block.covariates[row * m + k]!
    for (let k = 0; k < c; k++) seen.missing[k] = block.observed[row * c + k] === 1 ? 0 : 1
  }
  return {
    propensities,
    decide: (block, row, draw) => {
      show(block, row)
      running.decide(seen, propensities)
      requirePropensities(who, propensities, actions)
      const action = categorical(propensities, actions, draw)
      block.action[row] = action
      block.propensity[row] = propensities[action]!
      return action
    },
    learn: (block, row) => {
      show(block, row)
      running.learn(seen, block.action[row]!, block.reward[row]!, block.propensity[row]!)
    },
  }
}
