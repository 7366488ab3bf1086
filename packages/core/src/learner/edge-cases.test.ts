import { describe, expect, test } from 'vitest'
import {
  boolean,
  category,
  createLearner,
  type Decision,
  type DecisionRequest,
  type Learner,
  type LearnerOptions,
  number,
  type Problem,
  pretrained,
} from '../index.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { Random } from '../random/random.js'

const unit = number({ min: 0, max: 1 })
const middle = pretrained(() => 0.5)
const simple: Problem = {
  context: { x: unit },
  covariates: { z: { ...unit, imputer: middle } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}
const profilesTested = ['primo', 'primo-cal', 'robust'] as const

interface Run {
  readonly problem: Problem
  readonly rounds: number
  readonly request: (random: Random, round: number) => DecisionRequest
  readonly options?: LearnerOptions
}

/** Plays `rounds` rounds in which the last action is best; checks every decision and returns them with the learner. */
function play({ problem, rounds, request, options = { profile: 'primo-cal' } }: Run): {
  learner: Learner
  decisions: Decision[]
} {
  const learner = createLearner(problem, { seed: 4, ...options })
  const random = Random.fromSeed(9)
  const { actions } = problem
  const decisions = Array.from({ length: rounds }, (_, round) => {
    const decision = learner.decide(request(random, round))
    const total = Object.values(decision.propensities).reduce((sum, p) => sum + p, 0)
    expect(total).toBeCloseTo(1, 12)
    expect(Object.values(decision.propensities).every((p) => p > 0)).toBe(true)
    const rank = (actions.indexOf(decision.action) + 1) / actions.length
    learner.reward(decision.id, 0.8 * rank + 0.2 * random.uniform())
    return decision
  })
  return { learner, decisions }
}

/** Share of the last action in the last quarter of the rounds. */
function shareOfBest({ actions }: Problem, decisions: readonly Decision[]): number {
  const late = decisions.slice(Math.floor(decisions.length * 0.75))
  return late.filter(({ action }) => action === actions.at(-1)).length / late.length
}

const random01 = (random: Random) => ({ context: { x: random.uniform() }, covariates: { z: random.uniform() } })

describe.each(profilesTested)('%s works with', (profile) => {
  const options = { profile }

  test('one action, which it always plays with propensity 1', () => {
    const problem = { ...simple, actions: ['only'] }
    const { learner, decisions } = play({ problem, rounds: 100, request: random01, options })
    expect(decisions.every(({ action, propensity }) => action === 'only' && propensity === 1)).toBe(true)
    // Doubling from 2, or growth by a tenth from 20.
    expect(learner.epochs().length).toBe(profile === 'robust' ? 19 : 6)
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
      if (profile === 'robust') {
        const ladder = learner.epochs().findLast(({ covariates }) => covariates[0]!.ladder !== null)
        const { active, radius } = ladder!.covariates[0]!.ladder!.cap!
        expect(active).toBe(true)
        expect(radius).toBeCloseTo(0.02, 6)
        continue
      }
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

describe('a model that fails', () => {
  const failing = (predict: (x: number) => unknown): Problem => ({
    ...simple,
    covariates: { z: { ...unit, imputer: pretrained((context) => predict(Number(context.x)) as number) } },
  })
  const cases: [string, (x: number) => unknown, RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('out of memory')
      },
      /the model failed: out of memory/,
    ],
    [
      'throws what is no error',
      () => {
        throw 'tired'
      },
      /the model failed: "tired"/,
    ],
    ['returns NaN', () => Number.NaN, /predicted NaN/],
    ['returns Infinity', () => Number.POSITIVE_INFINITY, /predicted Infinity/],
    ['returns what is out of range', () => 1.5, /predicted 1\.5, outside 0 to 1/],
    ['returns nothing', () => undefined, /no prediction was given/],
    ['returns a promise', () => Promise.resolve(0.5), /predicted an object/],
    ['returns text', () => '0.5', /predicted "0\.5"/],
  ]
  test.each(cases)(
    'because it %s: the decision is made with the middle of the range and says why',
    (_, predict, reason) => {
      const learner = createLearner(failing(predict), { profile: 'primo-cal', seed: 1 })
      const { covariates, propensities } = learner.decide({ context: { x: 0.2 } })
      expect(covariates.z).toEqual({
        status: 'fallback',
        value: 0.5,
        source: 'constant',
        reason: expect.stringMatching(reason),
        fingerprint: expect.any(String),
      })
      expect(Object.values(propensities).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
    },
  )

  test('of a boolean or a category falls back to even odds', () => {
    const imputer = pretrained(() => 'nonsense')
    const problem: Problem = {
      ...simple,
      covariates: { carrier: { ...boolean(), imputer }, blood: { ...category(['A', 'B', 'AB', '0']), imputer } },
    }
    const { covariates } = createLearner(problem, { profile: 'primo', seed: 1 }).decide({ context: { x: 0.2 } })
    expect(covariates.carrier).toMatchObject({ status: 'fallback', value: 0.5, reason: 'predicted "nonsense"' })
    expect(covariates.blood).toMatchObject({ status: 'fallback', value: { A: 0.25, B: 0.25, AB: 0.25, 0: 0.25 } })
  })

  test('on some rows: those are left out of the calibration, missing or observed, and counted', () => {
    // Fails for x > 0.75, where the truth is far off: it must not disturb the rest.
    const problem = failing((x) => (x > 0.75 ? Number.NaN : 0.5))
    const { learner, decisions } = play({
      problem,
      rounds: 1025,
      request: (random) => {
        const x = random.uniform()
        return { context: { x }, covariates: { z: random.uniform() < 0.5 ? (x > 0.75 ? 1 : 0.3) : null } }
      },
    })
    const { calibration } = learner.epochs().at(-1)!.covariates[0]!
    const window = decisions.slice(512, 1024)
    const without = window.filter(({ covariates }) => covariates.z!.pretrained === undefined)
    const observed = window.filter(({ covariates }) => covariates.z!.status === 'observed')
    expect(without.length).toBeGreaterThan(80)
    expect(calibration).toMatchObject({
      rows: 512 - without.length,
      withoutPrediction: without.length,
      known: observed.filter((decision) => !without.includes(decision)).length,
    })
    expect(learner.epochs().at(-1)!.learnt).toBe(512)
    const next = learner.decide({ context: { x: 0.1 } }).covariates.z!
    expect(next.value).toBeCloseTo(0.3, 1)
    expect(learner.decide({ context: { x: 0.9 } }).covariates.z).toMatchObject({ status: 'fallback', value: 0.5 })
  })

  test('because no prediction came with the request: fallback; with one: imputed; null says that it failed', () => {
    const problem: Problem = { ...simple, covariates: { z: { ...unit, imputer: { kind: 'column' } } } }
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 1 })
    const use = (predictions?: Record<string, number | null>) =>
      learner.decide({ context: { x: 0.5 }, ...(predictions && { predictions }) }).covariates.z
    expect(use()).toMatchObject({ status: 'fallback', reason: 'no prediction was given' })
    expect(use({ z: null })).toMatchObject({ status: 'fallback', reason: 'no prediction was given' })
    expect(use({ z: 0.9 })).toMatchObject({ status: 'imputed', source: 'pretrained' })
    expect(use({ z: 0.9 })!.value).toBeCloseTo(0.9, 12)
  })

  test('never hides a prediction that came with the request, which takes the model’s place', () => {
    const learner = createLearner(
      failing(() => Number.NaN),
      { profile: 'primo', seed: 1 },
    )
    const { covariates } = learner.decide({ context: { x: 0.5 }, predictions: { z: 0.25 } })
    expect(covariates.z).toMatchObject({ status: 'imputed', value: 0.25 })
  })
})

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
