import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { boolean, category, number } from '../problem/feature.js'
import type { Imputer } from '../problem/imputer.js'
import type { Problem } from '../problem/problem.js'
import { growProblem } from './grow-problem.js'
import { createLearner, type Learner, restoreLearner } from './learner.js'

const problemWith = (imputer: Imputer): Problem => ({
  context: {
    age: number({ min: 18, max: 95 }),
    smoker: boolean(),
    town: category(['north', 'south'], { other: true }),
  },
  covariates: { z: { ...number({ min: -4, max: 4 }), imputer } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
})
const linear = (intercept: number, version: string): Imputer => ({
  kind: 'linear',
  intercept,
  coefficients: { age: 0.01, smoker: 0.5, 'town=south': -0.3 },
  version,
})
const options = { profile: 'robust', seed: 4 } as const

function play(learner: Learner, rounds: number, seed: number, predictions?: (truth: number) => object): void {
  const random = Random.fromSeed(seed)
  for (let k = 0; k < rounds; k++) {
    const context = {
      age: 18 + Math.floor(77 * random.uniform()),
      smoker: random.uniform() < 0.3,
      town: ['north', 'south', 'elsewhere'][random.integer(3)]!,
    }
    const z = 1 + 0.01 * context.age + (context.smoker ? 0.5 : 0) + random.uniform() - 0.5
    const seen = random.uniform() < 0.5
    const { id, action } = learner.decide({
      context,
      covariates: { z: seen ? z : null },
      ...(predictions === undefined ? {} : { predictions: { z: predictions(z) as never } }),
    })
    learner.reward(id, random.uniform() < (action === 'a' ? 0.2 + 0.25 * z : 0.6) ? 1 : 0)
  }
}
/** Rows that its imputer was fitted on. */
function imputerRows(learner: Learner): number {
  const fit = learner.snapshot().state.streams?.imputers[0]?.[0]?.starts[0]?.fit
  if (fit == null) throw new Error('expected a fitted imputer')
  return fit.rows[0]!
}
const json = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('another model', () => {
  it('that is plain data speaks for the rounds so far as if it had been there from the beginning', () => {
    const before = problemWith(linear(0, 'one'))
    const after = problemWith(linear(2, 'two'))
    const learner = createLearner(before, options)
    play(learner, 300, 1)
    const saved = json(learner.snapshot())
    const renewed = growProblem(before, after, saved)
    expect(saved).toEqual(json(learner.snapshot()))
    expect(renewed.state.corrections).toEqual([null])
    expect(renewed.state.rewardModel).toEqual(saved.state.rewardModel)
    expect(renewed.state.models).toEqual([{ version: 'two', fingerprint: expect.any(String), since: 300 }])
    const next = restoreLearner(after, json(renewed))
    // The same log told to a learner that had the new model all along, with the same actions, has the same predictions.
    const decoded = (text: string) => new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)
    const old = decoded(saved.rounds.columns.pretrained)
    decoded(renewed.rounds.columns.pretrained!).forEach((value, i) => {
      expect(value - old[i]!).toBeCloseTo(2 / 4, 12)
    })
    play(next, 100, 2)
    const report = next.epochs().at(-1)!
    expect(report.covariates[0]!.model).toMatchObject({ version: 'two', since: 300 })
    expect(next.epochs().at(-1)!.learnt).toBeGreaterThan(300)
    const use = next.decide({ context: { age: 40, smoker: false, town: 'north' } }).covariates.z!
    expect(use).toMatchObject({ source: 'calibrated', version: 'two' })
    expect(Math.abs((use.value as number) - 1.4)).toBeLessThan(0.2)
    // Every known round calibrates, those from before the change too.
    expect(imputerRows(next)).toBeGreaterThan(130)
  })

  it('whose predictions come from outside leaves old rounds to the reward fit alone', () => {
    const before = problemWith(linear(0, 'one'))
    const after = problemWith({ kind: 'column', version: 'two' })
    const learner = createLearner(before, options)
    play(learner, 300, 1)
    const next = restoreLearner(after, json(growProblem(before, after, json(learner.snapshot()))))
    play(next, 40, 2, (z) => ({ value: z > 0 ? 0.5 * z : 0, sd: 0.3 }))
    const rows = imputerRows(next)
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThanOrEqual(40)
    expect(next.epochs().at(-1)!.learnt).toBeGreaterThan(300)
  })

  it('of an ensemble: unchanged members keep what they said, and one that cannot be asked silences the old rounds', () => {
    const members = (second: Imputer): Imputer =>
      ({ kind: 'ensemble', members: { one: linear(0, 'one'), two: second } }) as Imputer
    const before = problemWith(members({ kind: 'constant', value: 1 }))
    const learner = createLearner(before, options)
    play(learner, 200, 1)
    const saved = json(learner.snapshot())
    const plain = problemWith(members({ kind: 'constant', value: 2 }))
    const renewed = json(growProblem(before, plain, saved))
    const next = restoreLearner(plain, renewed)
    play(next, 30, 2)
    expect(next.epochs().at(-1)!.learnt).toBeGreaterThan(200)
    expect(next.decide({ context: { age: 40, smoker: false, town: 'north' } }).covariates.z!.source).toBe('calibrated')
    const outside = problemWith(members({ kind: 'column' }))
    const silent = json(growProblem(before, outside, saved))
    const values = new Float64Array(Uint8Array.from(Buffer.from(silent.rounds.columns.members, 'base64')).buffer)
    expect(values.every(Number.isNaN)).toBe(true)
    // From one model to several and back the columns change their width.
    const single = problemWith(linear(1, 'alone'))
    expect(growProblem(before, single, saved).rounds.columns.members).toBeUndefined()
    expect(() => restoreLearner(single, json(growProblem(before, single, saved)))).not.toThrow()
  })

  it('that is the same model changes nothing', () => {
    const before = problemWith(linear(0, 'one'))
    const learner = createLearner(before, options)
    play(learner, 100, 1)
    const saved = json(learner.snapshot())
    expect(json(growProblem(before, before, saved))).toEqual(saved)
  })

  it('is not another problem', () => {
    const before = problemWith(linear(0, 'one'))
    const saved = createLearner(before, options).snapshot()
    const after = { ...problemWith(linear(0, 'two')), actions: ['a', 'b', 'c'] }
    expect(() => growProblem(before, after, saved)).toThrow('actions, reward, signals, reveals and reasons must stay')
  })
})
