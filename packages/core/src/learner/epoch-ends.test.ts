import { describe, expect, test } from 'vitest'
import { createLearner } from '../index.js'
import { simple } from './played-rounds.fixture.js'

describe('schedules', () => {
  const request = { context: { x: 0.5 } }

  test('counted in closed rounds wait for rewards, and end at the first decision after the quota', () => {
    const learner = createLearner(simple, {
      profile: 'primo',
      schedule: { kind: 'fixed', length: 3, counted: 'closed' },
    })
    const epochs = () => learner.decide(request).epoch
    expect([epochs(), epochs(), epochs(), epochs(), epochs()]).toEqual([1, 1, 1, 1, 1])
    learner.reward('2', 1)
    learner.reward('4', 0)
    expect(epochs()).toBe(1)
    learner.reward('1', 1)
    expect(learner.epochs()).toEqual([])
    expect(epochs()).toBe(2)
    expect(learner.epochs()).toMatchObject([{ epoch: 1, learnt: 3, window: { from: 0, to: 6 } }])
  })

  test('make one end of several that are due at once, and go on from there', () => {
    const learner = createLearner(simple, { profile: 'primo', schedule: { kind: 'doubling', counted: 'closed' } })
    for (let t = 0; t < 20; t++) learner.decide(request)
    for (let t = 1; t <= 20; t++) learner.reward(String(t), 0.5)
    const next = learner.decide(request)
    // 20 closed rounds are past the ends 2, 4, 8 and 16: the next epoch is the one that ends at 32.
    expect(next.epoch).toBe(5)
    expect(next.policy.version).toBe(1)
    expect(learner.epochs()).toMatchObject([{ epoch: 1, learnt: 20 }])
    for (let t = 22; t <= 32; t++) learner.decide(request)
    for (let t = 21; t <= 32; t++) learner.reward(String(t), 0.5)
    expect(learner.decide(request).epoch).toBe(6)
    expect(learner.epochs()[1]).toMatchObject({ epoch: 5, learnt: 12 })
  })

  test('learn from late rewards at the next end with window "all", and never with "last"', () => {
    const run = (window: 'all' | 'last') => {
      const learner = createLearner(simple, { profile: 'primo', window, schedule: { kind: 'fixed', length: 4 } })
      for (let t = 1; t <= 9; t++) {
        learner.decide(request)
        if (t === 5) learner.reward('1', 0.5)
        if (t > 2) learner.reward(String(t), 0.5)
      }
      return learner.epochs().map(({ learnt }) => learnt)
    }
    expect(run('all')).toEqual([2, 7])
    expect(run('last')).toEqual([2, 4])
  })

  test('go on when no reward ever comes: uniform play, nothing learnt, the epochs of the decisions', () => {
    const learner = createLearner(simple, { profile: 'primo-cal', seed: 1 })
    const decisions = Array.from({ length: 100 }, () =>
      learner.decide({ context: { x: 0.5 }, covariates: { z: 0.25 } }),
    )
    expect(decisions.at(-1)).toMatchObject({ epoch: 7, policy: { version: 6, gamma: 0 } })
    for (const { propensities } of decisions)
      for (const p of Object.values(propensities)) expect(p).toBeCloseTo(1 / 3, 15)
    expect(learner.epochs().every(({ learnt, reward }) => learnt === 0 && reward === null)).toBe(true)
  })

  test('keep the policy of before where an epoch brought no reward', () => {
    const learner = createLearner(simple, { profile: 'primo', seed: 1, schedule: { kind: 'fixed', length: 50 } })
    for (let t = 0; t < 50; t++) {
      const { id, action } = learner.decide({ context: { x: 0.5 }, covariates: { z: 0.25 } })
      learner.reward(id, action === 'c' ? 1 : 0)
    }
    const ask = () => learner.decide({ context: { x: 0.5 }, covariates: { z: 0.25 } })
    const second = ask()
    for (let t = 0; t < 50; t++) ask()
    const third = ask()
    expect([second.epoch, third.epoch]).toEqual([2, 3])
    expect(third.propensities).toEqual(second.propensities)
    expect(third.policy).toMatchObject({ version: 2, gamma: second.policy.gamma })
    expect(learner.epochs()[1]!.learnt).toBe(0)
  })
})
