// A problem with every kind of feature, for tests; and how they look at errors and make odd input.

import fc from 'fast-check'
import { expect } from 'vitest'
import { boolean, category, number, PrimoError, type Problem, pretrained } from '../index.js'

export const problem: Problem = {
  context: {
    age: number({ min: 18, max: 95 }),
    smoker: boolean(),
    town: category(['Ulm', 'Bonn']),
  },
  covariates: {
    genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained((x) => 1.2 - 0.004 * Number(x.age)) },
    carrier: { ...boolean(), imputer: { kind: 'constant', value: 0.3 } },
    blood: { ...category(['A', 'B'], { other: true }), imputer: { kind: 'column' } },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1, mean: { min: 0.1, max: 0.9 } },
}

/** The PrimoError that `run` throws; anything else fails the test. */
export function errorOf(run: () => unknown): PrimoError {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(PrimoError)
    return error as PrimoError
  }
  throw new Error('nothing was thrown')
}

export const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
})
