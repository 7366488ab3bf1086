import { expect, test } from 'vitest'
import { createLearner } from '../learner/learner.js'
import { boolean, category, number } from './feature.js'
import { checkProblem } from './problem.js'
import { lookUp, type TableImputer } from './table-imputer.js'

const context = {
  age: number({ min: 0, max: 100 }),
  town: category(['Ulm', 'Bonn'], { other: true }),
  smoker: boolean(),
}
const table: TableImputer = {
  kind: 'table',
  by: ['town', 'smoker'],
  rows: [
    { when: {}, value: 1 },
    { when: { town: 'Ulm' }, value: 2 },
    { when: { town: 'Ulm', smoker: true }, value: 3 },
    { when: { town: 'other' }, value: 4 },
  ],
}
const problem = (imputer: unknown) => ({
  context,
  covariates: { z: { ...number({ min: 0, max: 5 }), imputer } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
})

test('the row for the most features that fits speaks, and fewer features are the back-off', () => {
  const ask = (town: string, smoker: boolean) => lookUp(table, context, { age: 1, town, smoker })
  expect(ask('Ulm', true)).toBe(3)
  expect(ask('Ulm', false)).toBe(2)
  expect(ask('Bonn', true)).toBe(1)
  expect(ask('Trier', true)).toBe(4)
  const without: TableImputer = { ...table, rows: table.rows.slice(1) }
  expect(lookUp(without, context, { age: 1, town: 'Bonn', smoker: true })).toBeUndefined()
})

test('a learner uses it, and says which model it was', () => {
  const learner = createLearner(checkProblem(problem({ ...table, version: 'spring' })))
  const { z } = learner.decide({ context: { age: 3, town: 'Ulm', smoker: true }, covariates: { z: null } }).covariates
  expect(z).toMatchObject({ status: 'imputed', value: 3, source: 'pretrained', version: 'spring' })
  expect(z!.fingerprint).toMatch(/^[0-9a-f]{16}$/)
  const other = createLearner(checkProblem(problem({ ...table, rows: table.rows.slice(0, 2), version: 'spring' })))
  const { z: y } = other.decide({ context: { age: 3, town: 'Ulm', smoker: true } }).covariates
  expect(y!.value).toBe(2)
  expect(y!.fingerprint).not.toBe(z!.fingerprint)
})

test('a table that cannot be meant is refused with its field and value', () => {
  const cases: [unknown, RegExp][] = [
    [{ ...table, by: [] }, /z\.imputer\.by/],
    [{ ...table, by: ['age'], rows: [{ when: {}, value: 1 }] }, /by must be categories or booleans.*"age"/],
    [{ ...table, by: ['toun'], rows: [{ when: {}, value: 1 }] }, /by must be categories or booleans.*"toun"/],
    [{ ...table, rows: [] }, /z\.imputer\.rows/],
    [{ ...table, rows: [{ when: { smoker: true }, value: 1 }] }, /rows\[0\]\.when must be about the first.*"smoker"/],
    [{ ...table, rows: [{ when: { town: 'Köln' }, value: 1 }] }, /rows\[0\]\.when\.town.*"Köln"/],
    [{ ...table, rows: [{ when: {}, value: 9 }] }, /rows\[0\]\.value.*9/],
    [
      {
        ...table,
        rows: [
          { when: {}, value: 1 },
          { when: {}, value: 2 },
        ],
      },
      /rows\[1\]\.when must be listed once/,
    ],
    [{ ...table, version: 3 }, /z\.imputer\.version must be non-empty text, got 3/],
  ]
  for (const [imputer, sentence] of cases) expect(() => checkProblem(problem(imputer))).toThrow(sentence)
  expect(() => checkProblem(problem(table))).not.toThrow()
})
