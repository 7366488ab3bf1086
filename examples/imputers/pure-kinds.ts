// The kinds that are plain data work in the library and in the service alike: constant, linear, column, table, and an ensemble of
// them. In the library a model can also be a function.

import { boolean, category, createLearner, type Imputer, number, pretrained } from '@primo/core'

const imputers: Readonly<Record<string, Imputer>> = {
  constant: { kind: 'constant', value: 0.9 },
  linear: { kind: 'linear', intercept: 1.3, coefficients: { age: -0.006, smoker: 0.5, 'town=south': 0.2 } },
  /** The prediction comes with each request. */
  column: { kind: 'column' },
  /** By town and smoking; where a pair is not listed by town, and where a town is not by the row for none. */
  table: {
    kind: 'table',
    by: ['town', 'smoker'],
    rows: [
      { when: {}, value: 0.9 },
      { when: { town: 'south' }, value: 1.1 },
      { when: { town: 'south', smoker: true }, value: 1.5 },
    ],
  },
  function: pretrained((x) => 1.3 - 0.006 * Number(x.age), { version: 'spring' }),
  ensemble: {
    kind: 'ensemble',
    members: {
      linear: { kind: 'linear', intercept: 1.3, coefficients: { age: -0.006 } },
      guess: { kind: 'constant', value: 1 },
    },
  },
}

export function pureKinds() {
  const context = { age: 63, smoker: true, town: 'south' } as const
  return Object.fromEntries(
    Object.entries(imputers).map(([kind, imputer]) => {
      const learner = createLearner({
        context: {
          age: number({ min: 18, max: 95 }),
          smoker: boolean(),
          town: category(['north', 'south', 'east']),
        },
        covariates: { alleles: { ...number({ min: 0, max: 2 }), imputer } },
        actions: ['low', 'medium', 'high'],
        reward: { min: 0, max: 1 },
      })
      const predictions = kind === 'column' ? { alleles: 1.25 } : {}
      return [kind, learner.decide({ context, predictions }).covariates.alleles!]
    }),
  )
}
