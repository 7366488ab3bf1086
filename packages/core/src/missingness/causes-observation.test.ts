import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../calibration/calibrate.js'
import { calibrationSettings } from '../calibration/settings.js'
import { createLearner, restoreLearner } from '../learner/learner.js'
import { replayLog } from '../learner/replay.js'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { logistic } from '../regression/log-odds.js'
import type { LogRecord } from '../rounds/log.js'
import type { Cause } from './causes-observation.js'
import { fitObservation } from './fit-observation.js'
import { type ObservationModel, observationProbability, observationSettings } from './observation-model.js'

const CAUSES: readonly Cause[] = [
  { reason: 'pipeline failure', kind: 'random' },
  { reason: 'withheld', kind: 'context' },
]
const OUTAGE = 0.45
const withheld = (x1: number) => 1 - logistic(1 + 2.5 * x1)
const unnamed = (x2: number) => 1 - logistic(2 - 1.5 * x2)
const truth = (x1: number, x2: number) => (1 - OUTAGE) * (1 - withheld(x1)) * (1 - unnamed(x2))

/** Contexts with what became of their value, and z - g~, which bends in x1 and so is beyond a linear correction. */
function world(seed: number, count: number) {
  const random = Random.fromSeed(seed)
  const context = new Float64Array(2 * count)
  const observed = new Uint8Array(count)
  const reasons = new Uint8Array(count)
  const values = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const [x1, x2] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    context.set([x1, x2], 2 * i)
    const [u, v, w] = [random.uniform(), random.uniform(), random.uniform()]
    if (u < OUTAGE) reasons[i] = 1
    else if (v < withheld(x1)) reasons[i] = 2
    else if (w >= unnamed(x2)) observed[i] = 1
    values[i] = 0.5 * x1 * x1 + 0.1 * random.normal()
  }
  return { block: 0, count, context, observed, reasons, values }
}
const settings = observationSettings({ loss: 'likelihood', floor: 0.01 })
const errorOf = (model: ObservationModel, { count, context }: ReturnType<typeof world>) => {
  let sum = 0
  for (let i = 0; i < count; i++)
    sum += (observationProbability(model, context, 2 * i) - truth(context[2 * i]!, context[2 * i + 1]!)) ** 2 / count
  return Math.sqrt(sum)
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const standardError = (values: readonly number[]) =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)) / (values.length - 1))

describe('causes of missingness taken apart', () => {
  it('find e(x) where one logit for all of them cannot', () => {
    // 20 worlds of 4,000 rows, paired; far beyond three standard errors.
    const differences = Array.from({ length: 20 }, (_, seed) => {
      const rows = world(seed, 4000)
      const apart = errorOf(fitObservation({ contextWidth: 2, causes: CAUSES, batches: [rows] }, settings), rows)
      const pooled = errorOf(fitObservation({ contextWidth: 2, batches: [rows] }, settings), rows)
      expect(apart).toBeLessThan(0.02)
      return pooled - apart
    })
    expect(mean(differences)).toBeGreaterThan(3 * standardError(differences))
    expect(mean(differences)).toBeGreaterThan(0.005)
  })

  it('bring a weighted correction nearer to the best one over all contexts', () => {
    // Best linear fit of 0.5 x1^2 over uniform contexts: 1/6 and no slope. Weights of the right e(x) find it.
    const options = { class: 'linear', split: 'none', weights: 'ipw', observation: { ...settings } } as const
    const problem: Problem = {
      context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
      covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
      actions: ['a'],
      reward: { min: 0, max: 1 },
    }
    const distance = (seed: number, causes: readonly Cause[] | undefined) => {
      const { count, context, observed, reasons, values } = world(seed, 4000)
      const rows = {
        contextWidth: 2,
        width: 1,
        count,
        knownCount: observed.reduce((sum, b) => sum + b, 0),
        withoutPrediction: 0,
        ...(causes === undefined ? {} : { causes }),
        batches: [
          { block: 0, count, context, pretrained: new Float64Array(count), truth: values, known: observed, reasons },
        ],
      }
      const { context: features } = encodingOf(problem)
      const { correction } = calibrate(
        rows,
        features,
        calibrationSettings(options, ['z']),
        undefined,
        Random.fromSeed(0),
      )
      const [a, b, c] = correction!.coefficients[0]!
      return (a! - 1 / 6) ** 2 + (b! * b! + c! * c!) / 3
    }
    const seeds = Array.from({ length: 20 }, (_, seed) => seed)
    const differences = seeds.map((seed) => distance(seed, undefined) - distance(seed, CAUSES))
    expect(mean(differences)).toBeGreaterThan(3 * standardError(differences))
  })

  it('are not taken apart where nobody said why, or nothing is declared', () => {
    const { reasons: _, ...silent } = world(1, 500)
    const plain = fitObservation({ contextWidth: 2, batches: [silent] }, settings)
    expect(plain.kind).toBe('logit')
    expect(fitObservation({ contextWidth: 2, causes: CAUSES, batches: [silent] }, settings)).toEqual(plain)
  })

  it('ask for no weights where all are random: e is one number', () => {
    const { count, context, observed, reasons } = world(2, 1000)
    const rows = { block: 0, count, context, observed: observed.map((_, i) => (reasons[i] === 1 ? 0 : 1)), reasons }
    const model = fitObservation({ contextWidth: 2, causes: CAUSES.slice(0, 1), batches: [rows] }, settings)
    expect(model).toMatchObject({ kind: 'causes', causes: [] })
    expect(observationProbability(model, context, 0)).toBeCloseTo(1 - OUTAGE, 1)
    expect(JSON.parse(JSON.stringify(model))).toEqual(model)
  })
})

describe('a learner that is told why values are missing', () => {
  const problem = (reasons?: Record<string, 'random' | 'context'>): Problem => ({
    context: { x: number({ min: -1, max: 1 }) },
    covariates: {
      z: {
        ...number({ min: -1, max: 1 }),
        imputer: { kind: 'linear', intercept: 0, coefficients: { x: 0.3 } },
        ...(reasons === undefined ? {} : { reasons }),
      },
    },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  })
  const declared = { 'pipeline failure': 'random', withheld: 'context' } as const

  function play(given: Problem, profile: 'primo-cal' | 'robust', weights: 'ipw' | 'none') {
    const log: LogRecord[] = []
    const options = { profile, seed: 1, calibration: { weights } } as const
    const learner = createLearner(given, { ...options, onRecord: (record) => log.push(record) })
    const random = Random.fromSeed(8)
    for (let k = 0; k < 400; k++) {
      const x = 2 * random.uniform() - 1
      const why =
        random.uniform() < 0.3 ? 'pipeline failure' : random.uniform() > logistic(1 + 2 * x) ? 'withheld' : null
      const seen = why === null && random.uniform() < 0.9
      const missing = seen ? undefined : { z: why ?? 'the dog ate it' }
      const { id, action } = learner.decide({
        context: { x },
        covariates: { z: seen ? 0.5 * x + 0.3 * random.uniform() : null },
        ...(missing === undefined ? {} : { missing }),
      })
      learner.reward(id, random.uniform() < (action === 'a' ? 0.4 : 0.5 + 0.3 * x) ? 1 : 0)
    }
    return { learner, log, options }
  }

  it('fits the causes apart, says so in the report, and comes back from snapshot and log to the bit', () => {
    const { learner, log, options } = play(problem(declared), 'primo-cal', 'ipw')
    const [fold] = learner.epochs().at(-1)!.covariates[0]!.calibration!.folds
    expect(fold!.observation).toMatchObject({
      kind: 'causes',
      causes: expect.arrayContaining([expect.objectContaining({ reason: 'withheld' })]),
    })
    const { reasons } = learner.report().covariates[0]!
    expect(reasons!['pipeline failure']! + reasons!.withheld!).toBeGreaterThan(0.7)
    expect(log.find((record) => record.type === 'decision' && record.missing?.z === 'withheld')).toBeDefined()
    const saved = JSON.parse(JSON.stringify(learner.snapshot()))
    expect(JSON.stringify(restoreLearner(problem(declared), saved).snapshot())).toBe(JSON.stringify(saved))
    const again = replayLog(problem(declared), options, JSON.parse(JSON.stringify(log)))
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(saved))
  })

  it('only logs them where nothing is declared', () => {
    const { learner } = play(problem(), 'primo-cal', 'ipw')
    const [fold] = learner.epochs().at(-1)!.covariates[0]!.calibration!.folds
    expect(fold!.observation.kind).toBe('logit')
  })

  it('uses them in the ladder where that weights its rows, and changes nothing where it does not', () => {
    const state = (given: Problem, weights: 'ipw' | 'none') => play(given, 'robust', weights).learner.snapshot().state
    expect(state(problem(declared), 'none').corrections).toEqual(state(problem(), 'none').corrections)
    expect(state(problem(declared), 'ipw').corrections).not.toEqual(state(problem(), 'ipw').corrections)
  })

  it('refuses what cannot be meant', () => {
    expect(() => createLearner(problem({ withheld: 'never' as 'random' }))).toThrow(
      'covariates.z.reasons.withheld must be "random" or "context", got "never"',
    )
    expect(() => createLearner(problem({}))).toThrow('covariates.z.reasons must be 1 to 100 reasons, got 0')
    const learner = createLearner(problem(declared))
    expect(() => learner.decide({ context: { x: 0 }, missing: { y: 'withheld' } })).toThrow('missing must have only')
    expect(() => learner.decide({ context: { x: 0 }, missing: { z: 3 as unknown as string } })).toThrow(
      'missing.z must be non-empty text, got 3',
    )
  })
})
