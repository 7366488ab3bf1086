// A problem with every kind of feature, for tests; and odd input.

import fc from 'fast-check'
import { boolean, category, number, type Problem, pretrained } from '../index.js'

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

export const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
})
