import type { ProblemDefinition } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { initialValues, requestOf, valuesAlong, valuesFrom } from './try-values.js'

const definition = {
  context: { age: { type: 'number', min: 20, max: 90 }, smoker: { type: 'boolean' } },
  covariates: {
    alleles: { type: 'number', min: 0, max: 2, imputer: { kind: 'column' } },
    blood: { type: 'category', levels: ['A', 'B', '0'], imputer: { kind: 'constant', value: 'A' } },
  },
  actions: ['low', 'high'],
  reward: { min: 0, max: 1 },
} as const satisfies ProblemDefinition

describe('a try', () => {
  it('begins in the middle with everything missing, and sends what the form says', () => {
    const values = initialValues(definition)
    expect(requestOf(values)).toEqual({
      context: { age: 55, smoker: false },
      covariates: { alleles: null, blood: null },
      predictions: { alleles: 1 },
    })
    expect(requestOf(values, { name: 'blood', value: 'B' }).covariates).toEqual({ alleles: null, blood: 'B' })
    expect(valuesAlong(definition.covariates.blood)).toEqual(['A', 'B', '0'])
    const along = valuesAlong(definition.covariates.alleles)
    expect([along[0], along.at(-1), along.length]).toEqual([0, 2, 21])
  })

  it('comes back from the address, without what no longer fits', () => {
    const values = {
      context: { age: 33.5, smoker: true },
      covariates: { alleles: { missing: false, value: 2, prediction: 0.5 }, blood: { missing: true, value: 'B' } },
    }
    expect(valuesFrom(JSON.stringify(values), definition)).toEqual(values)
    const odd = { context: { age: 900, smoker: 'yes' }, covariates: { alleles: { missing: 1, value: null } } }
    expect(valuesFrom(JSON.stringify(odd), definition)).toEqual(initialValues(definition))
    for (const text of ['', 'nonsense', 'null', '[]', '7'])
      expect(valuesFrom(text, definition)).toEqual(initialValues(definition))
  })
})
