import type { ProblemDefinition } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { definitionOf, draftOf } from './draft.js'
import { draftFromColumns, guessColumns, openQuestions } from './guess-columns.js'
import { readCsv } from './read-csv.js'

const TABLE = `id,age,ancestry,risk alleles,risk_alleles_pred,smoker,dose,action,reward
1,61,Asian,NA,1.2,yes,30,low,1
2,45,"Black, other",2,1.9,no,-999,high,0
3,70,White,?,0.4,no,45,low,1
4,33,Asian,0,0.1,yes,50,high,0.5
`

describe('a dropped table', () => {
  const columns = guessColumns(readCsv(TABLE))
  const of = (name: string) => columns.find((column) => column.name === name)!

  it('is read with its quotes, whatever separates it', () => {
    expect(readCsv(TABLE).rows[1]![2]).toBe('Black, other')
    expect(readCsv('a;b\r\n1;2\r\n').rows).toEqual([['1', '2']])
    expect(() => readCsv('a,b\n1\n')).toThrow('row 2 has 1 cells, the header has 2')
    expect(() => readCsv('a,b\n"1,2\n')).toThrow('not closed')
  })

  it('has its types, missing markers and parts guessed', () => {
    expect(of('age')).toMatchObject({ kind: 'number', min: 33, max: 70, missing: 0, part: 'context' })
    expect(of('risk alleles')).toMatchObject({ kind: 'number', min: 0, max: 2, missing: 0.5, part: 'covariate' })
    expect([...of('risk alleles').markers].sort()).toEqual(['?', 'NA'])
    expect(of('dose')).toMatchObject({ min: 30, max: 50, markers: ['-999'], part: 'covariate' })
    expect(of('smoker').kind).toBe('boolean')
    expect(of('id').part).toBe('none')
    expect(of('risk_alleles_pred').part).toBe('prediction')
    expect(of('action').part).toBe('action')
    expect(of('reward').part).toBe('reward')
  })

  it('becomes a definition', () => {
    const definition = definitionOf(draftFromColumns('my table', columns))
    expect(definition).toEqual({
      context: {
        age: { type: 'number', min: 33, max: 70 },
        ancestry: { type: 'category', levels: ['Asian', 'Black, other', 'White'] },
        smoker: { type: 'boolean' },
      },
      covariates: {
        risk_alleles: { type: 'number', min: 0, max: 2, imputer: { kind: 'column' } },
        dose: { type: 'number', min: 30, max: 50, imputer: { kind: 'column' } },
      },
      actions: ['high', 'low'],
      reward: { min: 0, max: 1 },
    })
    expect(openQuestions(columns)).toEqual([])
  })

  it('takes a column that is named like an outcome as the reward', () => {
    const patients = guessColumns(readCsv('age,treatment,recovered\n41,low,1\n52,high,0\n63,medium,1\n'))
    expect(patients.map(({ part }) => part)).toEqual(['context', 'action', 'reward'])
    expect(definitionOf(draftFromColumns('patients', patients)).guards).toBeUndefined()
  })

  it('leaves open which column is the action or the outcome where no name says it', () => {
    const unnamed = guessColumns(readCsv('age,q1,q2\n41,low,1\n52,high,0\n63,medium,1\n'))
    expect(openQuestions(unnamed)).toEqual(['action', 'reward'])
    const answered = unnamed.map((column) => (column.name === 'q1' ? { ...column, part: 'action' as const } : column))
    expect(openQuestions(answered)).toEqual(['reward'])
  })
})

describe('a form', () => {
  const definition = {
    context: { x: { type: 'number', min: 0, max: 1, outside: 'clip' }, s: { type: 'boolean', default: false } },
    covariates: {
      z: { type: 'number', min: 0, max: 4, imputer: { kind: 'linear', intercept: 1 }, audit: { share: 0.1 } },
      w: { type: 'category', levels: ['a', 'b'], imputer: { kind: 'constant', value: 'b' } },
    },
    actions: ['a', 'b'],
    labels: { a: 'First' },
    reward: { min: 0, max: 2, window: { milliseconds: 1000 } },
    learning: { profile: 'primo', seed: 3 },
    guards: { floor: 0.01, baseline: 'a', holdout: 0.05 },
  } as const

  it('keeps what it does not show', () => {
    expect(definitionOf(draftOf('p', definition as unknown as ProblemDefinition))).toEqual(definition)
  })

  it('leaves the guards of a baseline out where there is none', () => {
    const draft = { ...draftOf('p', definition as unknown as ProblemDefinition), baseline: '' }
    expect(definitionOf(draft).guards).toEqual({ floor: 0.01 })
  })
})
