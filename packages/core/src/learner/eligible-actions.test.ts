import { describe, expect, test } from 'vitest'
import { createLearner, type LearnerOptions } from '../index.js'
import { play, random01, simple } from './played-rounds.fixture.js'

describe('eligible actions', () => {
  const problem = { ...simple, actions: ['a', 'b', 'c', 'd'] }
  const options: LearnerOptions = { profile: 'primo', seed: 2, gamma: 5, schedule: { kind: 'list', ends: [200] } }
  const trained = (extra: LearnerOptions = {}) =>
    play({ problem, rounds: 201, request: random01, options: { ...options, ...extra } }).learner
  const request = { context: { x: 0.5 }, covariates: { z: 0.5 } }

  test('share all the propensity, uniformly at first; the others have none', () => {
    const { action, propensities } = createLearner(problem, options).decide({ ...request, actions: ['d', 'b'] })
    expect(propensities).toEqual({ a: 0, b: 0.5, c: 0, d: 0.5 })
    expect(['b', 'd']).toContain(action)
  })

  test('count as K, and the best of them is the best', () => {
    const learner = trained()
    const all = learner.decide(request).propensities
    // gaps from p = 1 / (K + gamma gap) with K = 4, seen from the best action d.
    const gap = (action: string) => (1 / all[action]! - 4) / 5
    const { propensities } = learner.decide({ ...request, actions: ['c', 'a'] })
    expect(propensities.b).toBe(0)
    expect(propensities.d).toBe(0)
    expect(propensities.a).toBeCloseTo(1 / (2 + 5 * (gap('a') - gap('c'))), 9)
    expect(propensities.c).toBeCloseTo(1 - propensities.a!, 12)
  })

  test('do not depend on the order in which they are listed, and one alone has propensity 1', () => {
    const learner = trained()
    const forth = learner.decide({ ...request, actions: ['a', 'b', 'd'], id: 'same' })
    const back = trained().decide({ ...request, actions: ['d', 'b', 'a'], id: 'same' })
    expect([back.action, back.propensities]).toEqual([forth.action, forth.propensities])
    expect(learner.decide({ ...request, actions: ['b'] })).toMatchObject({ action: 'b', propensity: 1 })
  })

  test('have at least the minimum propensity each, and the sum stays 1', () => {
    const minimum = 0.15
    const learner = trained({ gamma: 1e6, minimumPropensity: minimum })
    for (const actions of [['a', 'b', 'c', 'd'], ['a', 'b', 'd'], ['a', 'c'], ['b']]) {
      const { propensities } = learner.decide({ ...request, actions })
      for (const [action, p] of Object.entries(propensities))
        expect(p).toBeGreaterThanOrEqual(actions.includes(action) ? minimum - 1e-15 : 0)
      expect(Object.values(propensities).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
    }
    // Without the minimum the worst action would have next to nothing.
    expect(trained({ gamma: 1e6 }).decide(request).propensities.a).toBeLessThan(1e-5)
  })

  test('are all uniform when the minimum is 1/K', () => {
    const { propensities } = trained({ gamma: 1e6, minimumPropensity: 0.25 }).decide(request)
    for (const p of Object.values(propensities)) expect(p).toBeCloseTo(0.25, 15)
  })
})
