import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { createEngine } from '../engine.js'
import {
  boolean,
  category,
  createLearner,
  type ErrorCode,
  number,
  PrimoError,
  type Problem,
  pretrained,
  restoreLearner,
} from '../index.js'
import { anything, problem } from '../learner/clinic.fixture.js'
import { problemFingerprint } from './problem.js'

type Change = Record<string, unknown>

/** A problem with some of its parts replaced. */
const withReward = (change: Change) => ({ ...problem, reward: { ...problem.reward, ...change } })
const withContext = (change: Change) => ({ ...problem, context: { ...problem.context, ...change } })
const withGenotype = (change: Change) => ({
  ...problem,
  covariates: { ...problem.covariates, genotype: { ...problem.covariates.genotype, ...change } },
})

describe('a problem with', () => {
  const cases: [string, ErrorCode, string[], unknown][] = [
    ['no content', 'invalid-problem', ['problem', 'nothing'], undefined],
    ['a list for content', 'invalid-problem', ['problem', 'an array of 0'], []],
    ['no actions', 'invalid-problem', ['actions', 'nothing'], { ...problem, actions: undefined }],
    ['K = 0', 'invalid-problem', ['actions', 'at least one', 'an array of 0'], { ...problem, actions: [] }],
    ['duplicate actions', 'invalid-problem', ['actions', 'distinct', '"low"'], { ...problem, actions: ['low', 'low'] }],
    ['an empty action', 'invalid-problem', ['actions', '""'], { ...problem, actions: ['low', ''] }],
    ['a number for an action', 'invalid-problem', ['actions', '3'], { ...problem, actions: ['low', 3] }],
    [
      'too many actions',
      'invalid-problem',
      ['actions', '65535', '65536'],
      { ...problem, actions: Array.from({ length: 65_536 }, (_, k) => `a${k}`) },
    ],
    ['no context', 'invalid-problem', ['context', 'null'], { ...problem, context: null }],
    ['no covariates', 'invalid-problem', ['covariates', 'nothing'], { ...problem, covariates: undefined }],
    [
      'a covariate named like a context feature',
      'invalid-problem',
      ['covariates.age', '"age"'],
      { ...problem, covariates: { age: { ...boolean(), imputer: { kind: 'column' } } } },
    ],
    ['a name with "="', 'invalid-problem', ['context.a=b', '"a=b"'], withContext({ 'a=b': boolean() })],
    ['an empty name', 'invalid-problem', ['context', '""'], withContext({ '': boolean() })],
    [
      'the name "__proto__"',
      'invalid-problem',
      ['__proto__'],
      withContext(JSON.parse('{"__proto__": {"type": "boolean"}}')),
    ],
    [
      'the name of a method',
      'invalid-problem',
      ['context.toString', '"toString"'],
      withContext({ toString: boolean() }),
    ],
    [
      'an unknown type of feature',
      'invalid-option',
      ['context.age.type', '"integer"'],
      withContext({ age: { type: 'integer' } }),
    ],
    ['null for a feature', 'invalid-option', ['context.age', 'null'], withContext({ age: null })],
    [
      'an empty range',
      'invalid-option',
      ['context.age.max', 'greater than min', 'got 1'],
      withContext({ age: number({ min: 1, max: 1 }) }),
    ],
    [
      'a range upside down',
      'invalid-option',
      ['context.age.max', 'got 1'],
      withContext({ age: number({ min: 2, max: 1 }) }),
    ],
    [
      'an infinite range',
      'invalid-option',
      ['context.age.max', 'Infinity'],
      withContext({ age: number({ min: 0, max: Number.POSITIVE_INFINITY }) }),
    ],
    [
      'NaN for a range',
      'invalid-option',
      ['context.age.min', 'NaN'],
      withContext({ age: number({ min: Number.NaN, max: 1 }) }),
    ],
    [
      'text for a range',
      'invalid-option',
      ['context.age.min', '"0"'],
      withContext({ age: { type: 'number', min: '0', max: 1 } }),
    ],
    [
      'a range too wide to scale',
      'invalid-option',
      ['context.age.max', '1e+308'],
      withContext({ age: number({ min: -1e308, max: 1e308 }) }),
    ],
    [
      'a category without levels',
      'invalid-option',
      ['context.town.levels', 'an array of 0'],
      withContext({ town: category([]) }),
    ],
    [
      'text for levels',
      'invalid-option',
      ['context.town.levels', '"Ulm"'],
      withContext({ town: category('Ulm' as never) }),
    ],
    [
      'a level twice',
      'invalid-option',
      ['context.town.levels', 'distinct', '"Ulm"'],
      withContext({ town: category(['Ulm', 'Ulm']) }),
    ],
    ['an empty level', 'invalid-option', ['context.town.levels', '""'], withContext({ town: category(['']) })],
    [
      '"other" listed and asked for',
      'invalid-option',
      ['context.town.levels', '"other"'],
      withContext({ town: category(['other'], { other: true }) }),
    ],
    [
      'a number for other',
      'invalid-option',
      ['context.town.other', '1'],
      withContext({ town: { ...category(['Ulm']), other: 1 } }),
    ],
    [
      'a covariate without an imputer',
      'invalid-problem',
      ['covariates.genotype.imputer', 'nothing'],
      withGenotype({ imputer: undefined }),
    ],
    [
      'an unknown imputer',
      'invalid-problem',
      ['covariates.genotype.imputer', 'an object'],
      withGenotype({ imputer: { kind: 'oracle' } }),
    ],
    [
      'a function that is not wrapped',
      'invalid-problem',
      ['covariates.genotype.imputer', 'a function'],
      withGenotype({ imputer: () => 1 }),
    ],
    [
      'a constant out of the covariate’s range',
      'invalid-problem',
      ['covariates.genotype.imputer.value', '0 to 2', 'got 3'],
      withGenotype({ imputer: { kind: 'constant', value: 3 } }),
    ],
    [
      'a constant of another type',
      'invalid-problem',
      ['covariates.genotype.imputer.value', 'got "1"'],
      withGenotype({ imputer: { kind: 'constant', value: '1' } }),
    ],
    [
      'a linear model over an unknown column',
      'invalid-problem',
      ['covariates.genotype.imputer.coefficients', 'town=Ulm', '"town"'],
      withGenotype({ imputer: { kind: 'linear', intercept: 0, coefficients: { town: 1 } } }),
    ],
    [
      'a linear model with a coefficient of NaN',
      'invalid-option',
      ['covariates.genotype.imputer.coefficients.age', 'NaN'],
      withGenotype({ imputer: { kind: 'linear', intercept: 0, coefficients: { age: Number.NaN } } }),
    ],
    [
      'a linear model of a category',
      'invalid-problem',
      ['covariates.blood.imputer.kind', '"linear"'],
      {
        ...problem,
        covariates: {
          blood: { ...problem.covariates.blood, imputer: { kind: 'linear', intercept: 0, coefficients: {} } },
        },
      },
    ],
    [
      'an unknown way of reveals',
      'invalid-problem',
      ['covariates.genotype.reveals', '"always"'],
      withGenotype({ reveals: 'always' }),
    ],
    ['no reward', 'invalid-problem', ['reward', 'nothing'], { ...problem, reward: undefined }],
    ['a reward range upside down', 'invalid-problem', ['reward.max', 'got 0'], withReward({ min: 1, max: 0 })],
    [
      'an infinite reward',
      'invalid-problem',
      ['reward.min', '-Infinity'],
      withReward({ min: Number.NEGATIVE_INFINITY }),
    ],
    [
      'a reward range too wide to scale',
      'invalid-problem',
      ['reward.max', '1.7e+308'],
      withReward({ min: -1.7e308, max: 1.7e308 }),
    ],
    [
      'an empty range of the mean',
      'invalid-problem',
      ['reward.mean.max', 'got 1'],
      withReward({ mean: { min: 1, max: 1 } }),
    ],
    ['a number for the range of the mean', 'invalid-problem', ['reward.mean', 'got 1'], withReward({ mean: 1 })],
    ['a window of no round', 'invalid-problem', ['reward.window', 'got 0'], withReward({ window: 0 })],
    ['a window of half a round', 'invalid-problem', ['reward.window', '1.5'], withReward({ window: 1.5 })],
    ['text for a window', 'invalid-problem', ['reward.window', '"2h"'], withReward({ window: '2h' })],
    [
      'a default without a window',
      'invalid-problem',
      ['reward.default', 'reward.window', 'got 0'],
      withReward({ default: 0 }),
    ],
    [
      'a default out of range',
      'invalid-problem',
      ['reward.default', '0 and 1', 'got 2'],
      withReward({ window: 3, default: 2 }),
    ],
    [
      'an unknown aggregate',
      'invalid-problem',
      ['reward.aggregate', '"max"'],
      withReward({ window: 3, aggregate: 'max' }),
    ],
    [
      'an aggregate without a window',
      'invalid-problem',
      ['reward.aggregate', '"sum"'],
      withReward({ aggregate: 'sum' }),
    ],
    ['an unknown learnFrom', 'invalid-problem', ['reward.learnFrom', '"start"'], withReward({ learnFrom: 'start' })],
    [
      'a sum learnt from on arrival',
      'invalid-problem',
      ['reward.learnFrom', '"arrival"'],
      withReward({ window: 3, aggregate: 'sum', learnFrom: 'arrival' }),
    ],
  ]
  test.each(cases)('%s: %s', (_, code, names, given) => {
    for (const run of [
      () => createLearner(given as Problem),
      () => createEngine(given as Problem),
      () => restoreLearner(given as Problem, { format: 1 }),
    ]) {
      const error = errorOf(run)
      expect(error.code).toBe(code)
      for (const name of names) expect(error.message).toMatch(name)
      expect(error.message).toMatch(/ must .*, got /)
    }
  })
})

describe('the fingerprint of a problem', () => {
  const print = problemFingerprint(problem)

  test('does not depend on the order of the fields of a feature, nor on functions', () => {
    const same: Problem = {
      reward: { mean: { max: 0.9, min: 0.1 }, max: 1, min: 0 },
      actions: [...problem.actions],
      covariates: {
        ...problem.covariates,
        genotype: { imputer: pretrained(() => 0), max: 2, min: 0, type: 'number' },
      },
      context: { age: { max: 95, min: 18, type: 'number' }, smoker: boolean(), town: category(['Ulm', 'Bonn']) },
    }
    expect(problemFingerprint(same)).toBe(print)
    expect(print).toMatch(/^[0-9a-f]{16}$/)
  })

  test('changes with anything that changes the meaning of a column, an action or a reward', () => {
    const { age, smoker, town } = problem.context
    const others = [
      { ...problem, context: { smoker, age, town } },
      withContext({ age: number({ min: 18, max: 96 }) }),
      withContext({ town: category(['Bonn', 'Ulm']) }),
      withContext({ town: category(['Ulm', 'Bonn'], { other: true }) }),
      withContext({ height: boolean() }),
      withGenotype({ reveals: 'context' }),
      withGenotype({ imputer: pretrained(() => 0, { version: '2' }) }),
      withGenotype({ imputer: { kind: 'column' } }),
      { ...problem, actions: ['low', 'high', 'medium'] },
      withReward({ max: 2 }),
      withReward({ mean: { min: 0, max: 0.9 } }),
      withReward({ window: 3 }),
    ].map((other) => problemFingerprint(other as Problem))
    expect(new Set([print, ...others]).size).toBe(others.length + 1)
  })
})

test('garbage for a problem makes a learner or a PrimoError', () => {
  const part = fc.constantFrom('context', 'covariates', 'actions', 'reward')
  const feature = fc.record(
    {
      type: fc.constantFrom('number', 'boolean', 'category'),
      min: anything,
      max: anything,
      levels: anything,
      imputer: anything,
    },
    { requiredKeys: ['type'] },
  )
  const given = fc.oneof(
    fc.dictionary(part, anything),
    fc.dictionary(fc.string(), feature).map((context) => ({ context })),
    fc.dictionary(fc.string(), feature).map((covariates) => ({ covariates })),
    fc
      .record(
        { min: fc.integer(), max: fc.integer(), mean: anything, window: anything, aggregate: anything },
        { requiredKeys: ['min', 'max'] },
      )
      .map((spec) => ({ reward: spec })),
  )
  fc.assert(
    fc.property(given, (parts) => {
      try {
        createLearner({ ...problem, ...(parts as Partial<Problem>) })
      } catch (error) {
        expect(error).toBeInstanceOf(PrimoError)
      }
    }),
    { numRuns: 1000 },
  )
})
