import { describe, expect, test } from 'vitest'
import { boolean, category, createLearner, type Problem, pretrained } from '../index.js'
import { play, simple, unit } from './played-rounds.fixture.js'

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
