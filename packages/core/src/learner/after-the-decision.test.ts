// What comes after the decision: rewards in their window, voids and truths.

import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { createLearner, type Learner, type Problem } from '../index.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { middle, simple, unit } from './played-rounds.fixture.js'

/** The rewards that the last end of an epoch learnt from: their number and mean, in the user's units. */
function learnt(learner: Learner): { rows: number; mean: number } {
  const { rewardModel } = learner.snapshot().state
  const rows = rewardModel!.rows.reduce((sum, count) => sum + count, 0)
  // One action, nothing but the constant: theta = m + shrunk (mean - m) with m the mean itself.
  return { rows, mean: (rewardModel as LinearModel).coefficients[0]![0]! }
}

describe('a reward window', () => {
  const windowed = (reward: Partial<Problem['reward']>): Problem => ({
    context: {},
    covariates: {},
    actions: ['only'],
    reward: { min: 0, max: 1, window: 2, ...reward },
  })
  const start = (reward: Partial<Problem['reward']> = {}, end = 4) =>
    createLearner(windowed(reward), { profile: 'primo', schedule: { kind: 'list', ends: [end] } })
  const decide = (learner: Learner, rounds: number) => {
    for (let t = 0; t < rounds; t++) learner.decide({ context: {} })
  }

  test('keeps a round open until so many later rounds were decided, whenever its reward came', () => {
    const learner = start()
    decide(learner, 1)
    learner.reward('1', 1)
    expect(learner.counts().closed).toBe(0)
    decide(learner, 1)
    expect(learner.counts().closed).toBe(0)
    decide(learner, 1)
    expect(learner.counts().closed).toBe(1)
    learner.reward('3', 0.5)
    decide(learner, 2)
    expect(learner.counts()).toEqual({ decided: 5, closed: 2 })
  })

  test('drops a round without a reward, or gives it the default', () => {
    const dropping = start()
    const filling = start({ default: 0.25 })
    for (const learner of [dropping, filling]) {
      decide(learner, 2)
      learner.reward('2', 0.75)
      decide(learner, 3)
    }
    expect(learnt(dropping)).toEqual({ rows: 1, mean: expect.closeTo(0.75, 12) })
    expect(learnt(filling)).toEqual({ rows: 2, mean: expect.closeTo(0.5, 12) })
    expect(dropping.counts().closed).toBe(1)
    expect(filling.counts().closed).toBe(3)
  })

  test.each([
    ['first', [0.2], 0.2],
    ['sum', [0.2, 0.1, 0.4], 0.7],
    ['mean', [0.2, 0.1, 0.6], 0.3],
    ['last', [0.2, 0.1, 0.6], 0.6],
  ] as const)('with %s takes %j as %d', (aggregate, rewards, expected) => {
    const learner = start({ aggregate }, 3)
    decide(learner, 1)
    for (const value of rewards) expect(learner.reward('1', value)).toBe('accepted')
    decide(learner, 3)
    expect(learnt(learner)).toEqual({ rows: 1, mean: expect.closeTo(expected, 12) })
  })

  test('refuses more rewards of a round that is closed, except an equal repeat of the first', () => {
    const first = start()
    const sum = start({ aggregate: 'sum' })
    for (const learner of [first, sum]) {
      decide(learner, 1)
      learner.reward('1', 0.5)
      decide(learner, 2)
    }
    expect(first.reward('1', 0.5)).toBe('duplicate')
    expect(() => first.reward('1', 0.25)).toThrow(/"1" must stay/)
    expect(() => sum.reward('1', 0.25)).toThrow(/"1" which is closed/)
  })

  test('can be learnt from on arrival, which closes the round at once', () => {
    const learner = start({ learnFrom: 'arrival' }, 2)
    decide(learner, 1)
    learner.reward('1', 0.5)
    expect(learner.counts().closed).toBe(1)
    decide(learner, 2)
    // The end after two rounds learnt from the reward of round 1, whose window had not closed.
    expect(learnt(learner)).toEqual({ rows: 1, mean: expect.closeTo(0.5, 12) })
    decide(learner, 1)
    expect(() => learner.reward('2', 0.5)).toThrow(/closed/)
    expect(learner.reward('3', 0.5)).toBe('accepted')
  })
})

describe('a voided decision', () => {
  test('is never learnt from, nor counted as closed', () => {
    const learner = createLearner(simple, { profile: 'primo-cal', seed: 1, schedule: { kind: 'list', ends: [6] } })
    for (let t = 1; t <= 6; t++) {
      const { id } = learner.decide({ context: { x: t / 10 } })
      if (t % 2 === 0) learner.void(id)
      else learner.reward(id, 0.5)
    }
    expect(learner.counts()).toEqual({ decided: 6, closed: 3 })
    learner.decide({ context: { x: 0.5 } })
    expect(learner.epochs()[0]).toMatchObject({ epoch: 1, learnt: 3, window: { from: 0, to: 6 } })
  })

  test('loses the rewards that had come before its window closed', () => {
    const problem: Problem = { ...simple, reward: { min: 0, max: 1, window: 3, default: 0 } }
    const learner = createLearner(problem, { profile: 'primo', seed: 1, schedule: { kind: 'list', ends: [4] } })
    const { id } = learner.decide({ context: { x: 0.5 } })
    learner.reward(id, 1)
    learner.void(id)
    for (let t = 0; t < 4; t++) learner.decide({ context: { x: 0.5 } })
    expect(learner.counts().closed).toBe(1)
    expect(learner.epochs()[0]!.learnt).toBe(0)
  })
})

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
