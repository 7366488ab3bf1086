// The columnar simulation and the learner are two doors to one engine: same rounds, same seed, same actions and models.

import { createLearner, type DecisionRequest } from '@primo/core'
import { createEngine, type EngineOptions, unscaleNumber } from '@primo/core/engine'
import { describe, expect, it } from 'vitest'
import { referenceData, referenceEnvironment, referenceInteractions } from '../environments/reference.js'
import { simulate, worldOf } from './simulate.js'

const ROUNDS = 5000
const reference = referenceData('A')
const environment = referenceEnvironment('A')

const settings: Readonly<Record<string, EngineOptions>> = {
  primo: { profile: 'primo', oracle: { interactions: referenceInteractions(reference) } },
  'primo-cal': {
    profile: 'primo-cal',
    oracle: { interactions: referenceInteractions(reference) },
    calibration: { class: 'basis', delta0: reference.constants.delta0 },
  },
  'primo-cal with all rounds, growth 1.5 and a minimum propensity': {
    profile: 'primo-cal',
    window: 'all',
    schedule: { kind: 'growth', first: 20, factor: 1.5 },
    calibration: { class: 'linear', split: 'swap' },
    minimumPropensity: 0.02,
  },
  'robust with an audit': { profile: 'robust', oracle: { interactions: referenceInteractions(reference) } },
  'robust with an audit by value': { profile: 'robust', oracle: { interactions: referenceInteractions(reference) } },
}

describe('simulate', () => {
  it.each(Object.entries(settings))('%s learns what a learner learns that is asked round by round', (name, options) => {
    const world = [...worldOf(environment, 3, ROUNDS)]
    const { z: given } = environment.problem.covariates
    const audit = name.includes('value') ? { budget: 0.05 } : { share: 0.05 }
    const z = name.includes('audit') ? { ...given!, audit } : given!
    const problem = { ...environment.problem, covariates: { z } }
    const run = simulate({ engine: createEngine(problem, options), world, seed: 3 })
    const learner = createLearner(problem, { ...options, seed: 3 })
    if (z.type !== 'number') throw new Error('z is a number')
    let reward = 0
    let regret = 0
    for (let t = 0; t < ROUNDS; t++) {
      const block = world[Math.floor(t / 4096)]!
      const row = t % 4096
      const request: DecisionRequest = {
        context: Object.fromEntries([0, 1, 2, 3, 4].map((k) => [`x${k + 1}`, block.context[row * 5 + k]!])),
        covariates: { z: block.observed[row] === 1 ? unscaleNumber(z, block.truth[row]!) : null },
        predictions: { z: unscaleNumber(z, block.pretrained[row]!) },
      }
      const decision = learner.decide(request)
      const means = environment.problem.actions.map((_, a) => block.means![row * 5 + a]!)
      const expected = environment.problem.actions.reduce(
        (sum, action, a) => sum + decision.propensities[action]! * means[a]!,
        0,
      )
      regret += Math.max(...means) - expected
      const value = block.rewards[row * 5 + environment.problem.actions.indexOf(decision.action)]!
      reward += value
      learner.reward(decision.id, value)
      if (decision.covariates.z!.pleaseReveal === true)
        learner.reveal(decision.id, { z: unscaleNumber(z, block.truth[row]!) })
    }
    // Going through user units and back rounds in the last place, so equal to 1e-9 rather than to the bit.
    expect(run.tally.reward).toBeCloseTo(reward, 6)
    expect(run.tally.regret).toBeCloseTo(regret, 6)
    const reports = run.state.reports
    expect(reports.length).toBe(learner.epochs().length)
    expect(reports.at(-1)!.gamma).toBeCloseTo(learner.epochs().at(-1)!.gamma, 6)
    expect(reports.at(-1)!.reward!.sigma).toBeCloseTo(learner.epochs().at(-1)!.reward!.sigma, 9)
  })

  it('never lets a missing value into what a policy sees', () => {
    const world = [...worldOf(environment, 4, 3000)]
    const hidden = world.map((block) => ({
      ...block,
      truth: block.truth.map((value, row) => (block.observed[row] === 1 ? value : 1e9)),
    }))
    const engine = createEngine(environment.problem, settings['primo-cal'])
    expect(simulate({ engine, world: hidden, seed: 4 }).state).toEqual(simulate({ engine, world, seed: 4 }).state)
  })

  it('gives the same rounds whichever block is made first', () => {
    const forwards = [0, 1, 2].map((index) => environment.block(9, index, 4096))
    const backwards = [2, 1, 0].map((index) => environment.block(9, index, 4096)).reverse()
    expect(backwards).toEqual(forwards)
  })
})
