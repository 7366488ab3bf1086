import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import {
  createLearner,
  type DecisionRequest,
  type ErrorCode,
  type Learner,
  PrimoError,
  type Problem,
  restoreLearner,
} from '../index.js'
import { anything, problem } from './clinic.fixture.js'

const good: DecisionRequest = { context: { age: 40, smoker: true, town: 'Ulm' } }

/** In the middle of epoch 6 with rewards, an open round ("37"), a voided one ("39") and one with an id of its own. */
function midEpoch(): Learner {
  const learner = createLearner(problem, { profile: 'primo-cal', seed: 5 })
  const random = Random.fromSeed(1)
  for (let t = 1; t <= 40; t++) {
    const { id } = learner.decide({
      ...(t === 40 ? { id: 'visit' } : {}),
      context: { age: 18 + 77 * random.uniform(), smoker: random.uniform() < 0.5, town: 'Bonn' },
      covariates: {
        genotype: t < 36 && random.uniform() < 0.6 ? 2 * random.uniform() : null,
        carrier: t < 36 && random.uniform() < 0.6 ? random.uniform() < 0.3 : null,
        blood: 'A',
      },
      predictions: { blood: { A: 0.5, B: 0.5 } },
    })
    if (t !== 37 && t !== 39) learner.reward(id, random.uniform())
  }
  learner.void('39')
  learner.reveal('37', { genotype: 1 })
  return learner
}

type Call = (learner: Learner) => unknown
type Case = readonly [name: string, code: ErrorCode, names: readonly (string | RegExp)[], call: Call]

const told = midEpoch()
const before = JSON.stringify(told.snapshot())

/** Each case: the code, what the sentence names, and a learner that is byte for byte what it was. */
function refusals(cases: readonly Case[]): void {
  test.each(cases)('%s: %s', (_, code, names, call) => {
    const error = errorOf(() => call(told))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(/ must .*, got /)
    for (const name of names) expect(error.message).toMatch(name)
    expect(JSON.stringify(told.snapshot())).toBe(before)
  })
}

const whole = (request: unknown) => (learner: Learner) => learner.decide(request as DecisionRequest)
const ask = (change: object) => whole({ ...good, ...change })
const inContext = (change: object) => ask({ context: { ...good.context, ...change } })
const seen = (covariates: object) => ask({ covariates })

describe('a request with', () => {
  refusals([
    [
      'an unknown action',
      'unknown-action',
      ['actions', '"low", "medium"', '"tiny"'],
      ask({ actions: ['low', 'tiny'] }),
    ],
    ['an action that is no text', 'unknown-action', ['actions', /got 1$/], ask({ actions: [1] })],
    ['a hole for an action', 'unknown-action', ['actions', 'nothing'], ask({ actions: new Array(1) })],
    ['no eligible action', 'invalid-request', ['actions', 'an array of 0'], ask({ actions: [] })],
    ['text for actions', 'invalid-request', ['actions', '"low"'], ask({ actions: 'low' })],
    ['null for actions', 'invalid-request', ['actions', 'null'], ask({ actions: null })],
    ['an action twice', 'invalid-request', ['actions', 'distinct', '"low", "low"'], ask({ actions: ['low', 'low'] })],
    ['an unknown feature', 'unknown-feature', ['context', 'age, smoker, town', '"height"'], inContext({ height: 180 })],
    ['an unknown covariate', 'unknown-feature', ['covariates', 'genotype, carrier, blood', '"ldl"'], seen({ ldl: 1 })],
    ['a context feature among the covariates', 'unknown-feature', ['covariates', '"age"'], seen({ age: 30 })],
    ['a prediction of nothing known', 'unknown-feature', ['predictions', '"ldl"'], ask({ predictions: { ldl: 1 } })],
    ['an unknown level', 'unknown-level', ['context.town', '"Ulm", "Bonn"', '"Trier"'], inContext({ town: 'Trier' })],
    ['a number above its range', 'out-of-range', ['context.age', '18 and 95', '95.5'], inContext({ age: 95.5 })],
    ['a number below its range', 'out-of-range', ['context.age', '17'], inContext({ age: 17 })],
    ['NaN in the context', 'out-of-range', ['context.age', 'NaN'], inContext({ age: Number.NaN })],
    ['Infinity in the context', 'out-of-range', ['context.age', '-Infinity'], inContext({ age: -Infinity })],
    ['text for a number', 'wrong-type', ['context.age', '"40"'], inContext({ age: '40' })],
    ['a big integer for a number', 'wrong-type', ['context.age', '40n'], inContext({ age: 40n })],
    ['a number for a boolean', 'wrong-type', ['context.smoker', 'got 1'], inContext({ smoker: 1 })],
    ['a boolean for a level', 'wrong-type', ['context.town', 'true'], inContext({ town: true })],
    ['a list for a number', 'wrong-type', ['context.age', 'an array of 1'], inContext({ age: [40] })],
    ['a missing feature', 'missing-feature', ['context.town', 'nothing'], ask({ context: { age: 40, smoker: true } })],
    ['a null feature', 'missing-feature', ['context.age', 'as a covariate', 'null'], inContext({ age: null })],
    ['no context', 'wrong-type', ['context', 'nothing'], ask({ context: undefined })],
    ['null for a context', 'wrong-type', ['context', 'null'], ask({ context: null })],
    ['a list for a context', 'wrong-type', ['context', 'an array of 2'], ask({ context: [40, true] })],
    ['a covariate out of range', 'out-of-range', ['covariates.genotype', '0 and 2', '2.1'], seen({ genotype: 2.1 })],
    ['NaN for a covariate', 'out-of-range', ['covariates.genotype', 'NaN'], seen({ genotype: Number.NaN })],
    ['text for a covariate', 'wrong-type', ['covariates.genotype', '"1"'], seen({ genotype: '1' })],
    ['a probability for an observed boolean', 'wrong-type', ['covariates.carrier', '0.5'], seen({ carrier: 0.5 })],
    ['a number for an observed level', 'wrong-type', ['covariates.blood', 'got 0'], seen({ blood: 0 })],
    ['null for the covariates', 'wrong-type', ['covariates', 'null'], ask({ covariates: null })],
    ['text for the predictions', 'wrong-type', ['predictions', '"x"'], ask({ predictions: 'x' })],
    ['an unknown field', 'invalid-request', ['request', '"covariate"'], ask({ covariate: {} })],
    ['an empty id', 'wrong-type', ['id', '""'], ask({ id: '' })],
    ['a number for an id', 'wrong-type', ['id', '41'], ask({ id: 41 })],
    ['the number of another round', 'invalid-request', ['id', '41', '"7"'], ask({ id: '7' })],
    ['an id that was used', 'duplicate-id', ['id', '"visit"'], ask({ id: 'visit' })],
    ['nothing at all', 'wrong-type', ['request', 'nothing'], whole(undefined)],
    ['text for all of it', 'wrong-type', ['request', '"now"'], whole('now')],
    ['null for all of it', 'wrong-type', ['request', 'null'], whole(null)],
  ])
})

const reward = (id: unknown, value: unknown) => (learner: Learner) => learner.reward(id as string, value as number)

describe('a reward', () => {
  refusals([
    ['above its range', 'out-of-range', ['reward', '0 and 1', '1.01'], reward('37', 1.01)],
    ['below its range', 'out-of-range', ['reward', '-0.01'], reward('37', -0.01)],
    ['of NaN', 'out-of-range', ['reward', 'NaN'], reward('37', Number.NaN)],
    ['of Infinity', 'out-of-range', ['reward', 'Infinity'], reward('37', Number.POSITIVE_INFINITY)],
    ['of text', 'wrong-type', ['reward', '"1"'], reward('37', '1')],
    ['of null', 'wrong-type', ['reward', 'null'], reward('37', null)],
    ['of true', 'wrong-type', ['reward', 'true'], reward('37', true)],
    ['of an unknown round', 'unknown-round', ['id', '"41"'], reward('41', 1)],
    ['of round 0', 'unknown-round', ['id', '"0"'], reward('0', 1)],
    ['of a round written otherwise', 'unknown-round', ['id', '"07"'], reward('07', 1)],
    ['by number of a round that has an id of its own', 'unknown-round', ['id', '"40"'], reward('40', 1)],
    ['of an id that is a number', 'unknown-round', ['id', 'got 37'], reward(37, 1)],
    ['of no id', 'unknown-round', ['id', 'nothing'], reward(undefined, 1)],
    ['of a voided round', 'round-closed', ['"39"', 'voided'], reward('39', 1)],
    ['unlike the first one', 'reward-conflict', ['reward', '"1"', 'got 0.123'], reward('1', 0.123)],
  ])
})

const reveal = (id: unknown, values: unknown) => (learner: Learner) => learner.reveal(id as string, values as never)

describe('a reveal', () => {
  refusals([
    ['of an unknown round', 'unknown-round', ['id', '"99"'], reveal('99', { genotype: 1 })],
    ['of an unknown covariate', 'unknown-feature', ['covariates', '"ldl"'], reveal('37', { ldl: 1 })],
    ['out of range', 'out-of-range', ['covariates.genotype', '3'], reveal('37', { genotype: 3 })],
    ['of null', 'wrong-type', ['covariates.genotype', 'null'], reveal('37', { genotype: null })],
    ['of text for a number', 'wrong-type', ['covariates.genotype', '"1"'], reveal('37', { genotype: '1' })],
    ['of nothing', 'wrong-type', ['covariates', 'nothing'], reveal('37', undefined)],
    ['of a list', 'wrong-type', ['covariates', 'an array of 0'], reveal('37', [])],
    [
      'unlike an earlier one',
      'reveal-conflict',
      ['covariates.genotype', '"37"', '0.5'],
      reveal('37', { genotype: 0.5 }),
    ],
    ['unlike what was observed', 'reveal-conflict', ['covariates.blood', '"3"', '"B"'], reveal('3', { blood: 'B' })],
    // The first covariate is fine, the second is not: neither is taken.
    ['half right', 'wrong-type', ['covariates.carrier', '2'], reveal('36', { genotype: 1, carrier: 2 })],
  ])
})

describe('a void', () => {
  refusals([
    ['of an unknown round', 'unknown-round', ['id', '"99"'], (learner) => learner.void('99')],
    ['of a closed round', 'round-closed', ['"1"', 'closed'], (learner) => learner.void('1')],
  ])
})

test('a bad request when the end of an epoch is due does not end it', () => {
  const learner = createLearner(problem, { profile: 'primo-cal', seed: 5, schedule: { kind: 'fixed', length: 10 } })
  for (let t = 0; t < 10; t++) learner.reward(learner.decide({ ...good, id: `visit ${t}` }).id, 0.5)
  const untouched = JSON.stringify(learner.snapshot())
  for (const request of [{ ...good, id: 'visit 3' }, { ...good, id: '7' }, { ...good, actions: [] }, { context: {} }]) {
    errorOf(() => learner.decide(request as DecisionRequest))
    expect(JSON.stringify(learner.snapshot())).toBe(untouched)
  }
  expect(learner.decide(good).epoch).toBe(2)
})

describe('with a reward window of two rounds', () => {
  const window = { min: 0, max: 1, window: 2 }
  const decided = (spec: Problem['reward']) => {
    const learner = createLearner({ ...problem, reward: spec }, { profile: 'primo', seed: 1 })
    for (let t = 0; t < 4; t++) learner.decide(good)
    return learner
  }

  test.each([
    ['a round that was dropped', window, '1', 0.5, 'round-closed', /"1"/],
    ['a round that took the default', { ...window, default: 0 }, '2', 0, 'round-closed', /"2"/],
    ['an open round, out of range', window, '3', 2, 'out-of-range', /reward.*2/],
  ] as const)('a reward of %s is refused and changes nothing', (_, spec, id, value, code, sentence) => {
    const learner = decided(spec)
    const untouched = JSON.stringify(learner.snapshot())
    const error = errorOf(() => learner.reward(id, value))
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(sentence)])
    expect(JSON.stringify(learner.snapshot())).toBe(untouched)
  })

  test('a sum of rewards that leaves the range is refused and says that it is the sum', () => {
    const learner = decided({ ...window, aggregate: 'sum' })
    learner.reward('4', 0.7)
    const untouched = JSON.stringify(learner.snapshot())
    const error = errorOf(() => learner.reward('4', 0.7))
    expect([error.code, error.message]).toEqual([
      'out-of-range',
      expect.stringMatching(/sum of rewards must be between 0 and 1, got 1\.4/),
    ])
    expect(JSON.stringify(learner.snapshot())).toBe(untouched)
  })
})

describe('garbage of any kind', () => {
  const mostly = <T>(arbitrary: fc.Arbitrary<T>, weight = 12) =>
    fc.oneof({ weight, arbitrary: arbitrary as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything })
  const id = mostly(fc.constantFrom('1', '37', '39', 'visit'), 3)
  const context = fc.record({
    age: mostly(fc.double({ min: 18, max: 95, noNaN: true })),
    smoker: mostly(fc.boolean()),
    town: mostly(fc.constantFrom('Ulm', 'Bonn')),
  })
  const values = fc.record(
    {
      genotype: mostly(fc.option(fc.double({ min: 0, max: 2, noNaN: true }))),
      carrier: mostly(fc.option(fc.boolean())),
      blood: mostly(fc.option(fc.string())),
    },
    { requiredKeys: [] },
  )
  const request = fc.record(
    {
      context: mostly(context),
      covariates: mostly(values),
      predictions: mostly(fc.dictionary(fc.constantFrom('genotype', 'carrier', 'blood'), anything)),
      actions: mostly(fc.subarray(['low', 'medium', 'high', 'none'])),
      id: mostly(fc.string({ unit: 'grapheme' })),
    },
    { requiredKeys: ['context'] },
  )
  const call: fc.Arbitrary<Call> = fc.oneof(
    mostly(request).map(whole),
    fc.tuple(id, mostly(fc.double({ min: -1, max: 2 }))).map(([of, value]) => reward(of, value)),
    fc.tuple(id, mostly(values)).map(([of, given]) => reveal(of, given)),
    id.map((of) => (learner: Learner) => learner.void(of as string)),
  )

  test('never changes the learner when it throws, and only ever throws a PrimoError', () => {
    const saved = JSON.parse(before)
    let learner = restoreLearner(problem, saved)
    let refused = 0
    let taken = 0
    fc.assert(
      fc.property(call, (run) => {
        try {
          run(learner)
        } catch (error) {
          refused++
          expect(error).toBeInstanceOf(PrimoError)
          expect((error as PrimoError).message).toMatch(/ must .*, got /s)
          expect(JSON.stringify(learner.snapshot())).toBe(before)
          return
        }
        taken++
        learner = restoreLearner(problem, saved)
      }),
      { numRuns: 1500 },
    )
    // Both ways are really taken.
    expect(Math.min(refused, taken)).toBeGreaterThan(150)
  })

  test('for a prediction never stops a decision: it falls back and says why', () => {
    const learner = midEpoch()
    fc.assert(
      fc.property(fc.constantFrom('genotype', 'carrier', 'blood'), anything, (name, prediction) => {
        const decision = learner.decide({ ...good, predictions: { [name]: prediction as never } })
        const use = decision.covariates[name]!
        const parts = typeof use.value === 'number' ? [use.value] : Object.values(use.value)
        expect(parts.every(Number.isFinite)).toBe(true)
        if (use.status === 'fallback') expect(use.reason).toMatch(/predicted|no prediction/)
        else expect(use.status).toBe('imputed')
      }),
      { numRuns: 500 },
    )
  })
})
