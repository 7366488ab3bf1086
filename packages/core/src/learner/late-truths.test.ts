import { describe, expect, test } from 'vitest'
import { createLearner, type Learner, type Problem } from '../index.js'
import { Random } from '../random/random.js'
import { middle, simple, unit } from './played-rounds.fixture.js'

describe('truths that come after the decision', () => {
  // The model says 0.5, the truth is 0.9; at the decision it is always missing.
  const run = (reveals: 'ignore' | 'context' | undefined, revealing: boolean) => {
    const imputer = middle
    const z = reveals === undefined ? { ...unit, imputer } : { ...unit, imputer, reveals }
    const problem: Problem = { ...simple, covariates: { z } }
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 1, schedule: { kind: 'list', ends: [100] } })
    const random = Random.fromSeed(3)
    const decisions = Array.from({ length: 101 }, (_, t) => {
      const decision = learner.decide({ context: { x: random.uniform() } })
      if (t === 100) return decision
      learner.reward(decision.id, random.uniform())
      if (revealing && t % 2 === 0) learner.reveal(decision.id, { z: 0.9 })
      return decision
    })
    return { learner, last: decisions.at(-1)!.covariates.z!, report: learner.epochs()[0]!.covariates[0]! }
  }

  test('calibrate when they depend on the context only', () => {
    const { last, report } = run('context', true)
    expect(report.calibration).toMatchObject({ rows: 100, known: 50 })
    expect(last.source).toBe('calibrated')
    expect(last.value).toBeCloseTo(0.9, 1)
    // They were missing at the decision all the same.
    expect(report.missingShare).toBe(1)
  })

  test.each(['ignore', undefined] as const)('are kept and left out when reveals are %s', (reveals) => {
    const [told, untold] = [run(reveals, true), run(reveals, false)]
    expect(told.report).toEqual(untold.report)
    expect(told.last).toEqual(untold.last)
    expect(told.last).toMatchObject({ source: 'pretrained', value: 0.5 })
    const columns = (learner: Learner) => learner.snapshot().rounds.columns
    expect(columns(told.learner).revealed).not.toBe(columns(untold.learner).revealed)
  })

  test('enter at the next end of an epoch with window "all", and never with "last", when they come after the cut', () => {
    const known = (window: 'all' | 'last') => {
      const problem: Problem = { ...simple, covariates: { z: { ...unit, imputer: middle, reveals: 'context' } } }
      const learner = createLearner(problem, { profile: 'primo-cal', window, schedule: { kind: 'fixed', length: 20 } })
      for (let t = 1; t <= 41; t++) {
        const { id } = learner.decide({ context: { x: 0.5 } })
        learner.reward(id, 0.5)
        if (t === 21) for (let k = 1; k <= 10; k++) learner.reveal(String(k), { z: 0.9 })
      }
      return learner.epochs().map(({ covariates }) => covariates[0]!.calibration!.known)
    }
    expect(known('all')).toEqual([0, 10])
    expect(known('last')).toEqual([0, 0])
  })
})
