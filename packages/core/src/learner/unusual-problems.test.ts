import type { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { boolean, category, type DecisionRequest, type LearnerOptions, number, type Problem } from '../index.js'
import { play, random01, shareOfBest, simple, unit } from './played-rounds.fixture.js'

const profilesTested = ['primo', 'primo-cal', 'robust'] as const

describe.each(profilesTested)('%s works with', (profile) => {
  const options = { profile }

  test('one action, which it always plays with propensity 1', () => {
    const problem = { ...simple, actions: ['only'] }
    const { learner, decisions } = play({ problem, rounds: 100, request: random01, options })
    expect(decisions.every(({ action, propensity }) => action === 'only' && propensity === 1)).toBe(true)
    // Doubling from 2, or growth by a twentieth from 5.
    expect(learner.epochs().length).toBe(profile === 'robust' ? 58 : 6)
    expect(learner.epochs().at(-1)!.reward!.sigma).toBeLessThan(0.2)
  })

  test('a covariate that is always missing: the pre-trained value stays as it is', () => {
    const { learner, decisions } = play({
      problem: simple,
      rounds: 300,
      request: (random) => ({ context: { x: random.uniform() } }),
      options,
    })
    for (const { covariates } of decisions) expect(covariates.z).toMatchObject({ value: 0.5, source: 'pretrained' })
    expect(learner.epochs().every(({ covariates }) => covariates[0]!.missingShare === 1)).toBe(true)
    expect(shareOfBest(simple, decisions)).toBeGreaterThan(0.8)
  })

  test('a covariate that is never missing', () => {
    const { learner, decisions } = play({ problem: simple, rounds: 300, request: random01, options })
    expect(decisions.every(({ covariates }) => covariates.z!.status === 'observed')).toBe(true)
    expect(learner.epochs().every(({ covariates }) => covariates[0]!.missingShare === 0)).toBe(true)
    expect(shareOfBest(simple, decisions)).toBeGreaterThan(0.8)
  })

  test('one epoch only: it plays uniformly for ever and learns nothing', () => {
    const { learner, decisions } = play({
      problem: simple,
      rounds: 300,
      request: random01,
      options: { ...options, schedule: { kind: 'list', ends: [] } },
    })
    for (const { epoch, propensities } of decisions) {
      expect(epoch).toBe(1)
      for (const p of Object.values(propensities)) expect(p).toBeCloseTo(1 / 3, 15)
    }
    expect(learner.epochs()).toEqual([])
    expect(learner.counts()).toEqual({ decided: 300, closed: 300 })
  })

  test('features that never change', () => {
    const problem: Problem = { ...simple, context: { x: unit, town: category(['Ulm', 'Bonn']), tall: boolean() } }
    const request = (random: Random) => ({
      context: { x: 0.3, town: 'Ulm', tall: true },
      covariates: { z: random.uniform() < 0.5 ? 0.25 : null },
    })
    expect(shareOfBest(problem, play({ problem, rounds: 300, request, options }).decisions)).toBeGreaterThan(0.8)
  })

  test('two features that are always equal, also when the ball binds', () => {
    const problem: Problem = { ...simple, context: { x: unit, again: unit, same: boolean(), also: boolean() } }
    const request = (random: Random) => {
      const x = random.uniform()
      const z = 0.2 + 0.5 * x
      const context = { x, again: x, same: x > 0.5, also: x > 0.5 }
      return { context, covariates: { z: random.uniform() < 0.6 ? z : null } }
    }
    const balled: LearnerOptions = profile === 'primo' ? options : { ...options, calibration: { delta0: 0.01 } }
    for (const given of [options, balled]) {
      const { learner, decisions } = play({ problem, rounds: 600, request, options: given })
      expect(shareOfBest(problem, decisions)).toBeGreaterThan(0.8)
      if (given === options) continue
      // The size is in inside units: half the range of z is one unit.
      const { columns } = learner.epochs().at(-1)!.covariates[0]!.calibration!.folds[0]!
      expect(columns[0]!.multiplier).toBeGreaterThan(0)
      expect(columns[0]!.size).toBeCloseTo(0.02, 6)
    }
  })

  test('no context at all', () => {
    const problem: Problem = { ...simple, context: {} }
    const { decisions } = play({
      problem,
      rounds: 300,
      request: (random) => ({ context: {}, covariates: { z: random.uniform() < 0.5 ? 0.7 : null } }),
      options,
    })
    expect(shareOfBest(problem, decisions)).toBeGreaterThan(0.8)
    // Nothing to explain z by but its mean: the correction moves 0.5 towards 0.7.
    const last = decisions.findLast(({ covariates }) => covariates.z!.status === 'imputed')!.covariates.z!
    if (profile === 'primo') expect(last.value).toBe(0.5)
    else expect(last.value).toBeCloseTo(0.7, 1)
  })

  test('no covariates, and neither context nor covariates', () => {
    const plain: Problem = { ...simple, covariates: {} }
    const alone: Problem = { ...plain, context: {} }
    const one = play({
      problem: plain,
      rounds: 300,
      request: (random) => ({ context: { x: random.uniform() } }),
      options,
    })
    expect(shareOfBest(plain, one.decisions)).toBeGreaterThan(0.8)
    expect(one.decisions[0]!.covariates).toEqual({})
    const two = play({ problem: alone, rounds: 300, request: () => ({ context: {} }), options })
    expect(shareOfBest(alone, two.decisions)).toBeGreaterThan(0.8)
  })

  test('several covariates of every type, each missing on its own', () => {
    const problem: Problem = {
      ...simple,
      covariates: {
        dose: { ...number({ min: 0, max: 10 }), imputer: { kind: 'linear', intercept: 2, coefficients: { x: 4 } } },
        carrier: { ...boolean(), imputer: { kind: 'constant', value: 0.2 } },
        blood: {
          ...category(['A', 'B'], { other: true }),
          imputer: { kind: 'constant', value: { A: 0.6, B: 0.3, other: 0.1 } },
        },
      },
    }
    const levels = ['A', 'B', 'rare']
    const request = (random: Random): DecisionRequest => {
      const x = random.uniform()
      const some = <T>(value: T) => (random.uniform() < 0.6 ? value : null)
      return {
        context: { x },
        covariates: {
          dose: some(5 + 4 * x),
          carrier: some(random.uniform() < 0.8),
          blood: some(levels[random.integer(3)]!),
        },
      }
    }
    const { learner, decisions } = play({ problem, rounds: 2000, request, options })
    expect(shareOfBest(problem, decisions)).toBeGreaterThan(0.8)
    for (const { covariates } of decisions) {
      const { A, B, other } = covariates.blood!.value as Record<string, number>
      expect(A! + B! + other!).toBeCloseTo(1, 9)
      expect(Math.min(A!, B!, other!)).toBeGreaterThanOrEqual(0)
      expect(covariates.carrier!.value).toBeGreaterThanOrEqual(0)
      expect(covariates.carrier!.value).toBeLessThanOrEqual(1)
      expect(covariates.dose!.value).toBeGreaterThanOrEqual(0)
      expect(covariates.dose!.value).toBeLessThanOrEqual(10)
    }
    expect(
      learner
        .epochs()
        .at(-1)!
        .covariates.map(({ covariate }) => covariate),
    ).toEqual(['dose', 'carrier', 'blood'])
    if (profile === 'primo') return
    // What was wrong by 3, by 0.6 and by a third of the levels is put right, each with its own model.
    const last = (name: string) =>
      decisions.findLast(({ covariates }) => covariates[name]!.status === 'imputed')!.covariates[name]!
    expect((last('dose').value as number) - (last('dose').pretrained as number)).toBeCloseTo(3, 0)
    expect(last('carrier').value as number).toBeGreaterThan(0.65)
    for (const p of Object.values(last('blood').value)) expect(Math.abs(p - 1 / 3)).toBeLessThan(0.15)
  })
})
