import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDecider, createEngine, initialState, NumberRow } from '../engine.js'
import { boolean, type DecisionRequest, number, type Problem, pretrained } from '../index.js'

const unit = number({ min: -1, max: 1 })
const imputers = [
  { kind: 'linear', intercept: 0.1, coefficients: { c: 0.3, age: 0.004 } },
  { kind: 'constant', value: 0.2 },
  pretrained((x) => Number(x.a) / 2),
] as const

function problem(imputer: (typeof imputers)[number], context: Problem['context']): Problem {
  const covariates = { z: { ...unit, imputer } }
  return { context, covariates, actions: ['p', 'q'], reward: { min: 0, max: 1 } }
}

/** What a decision says and what it was made from, or why there is none. */
function deciding(given: Problem) {
  const decider = createDecider(createEngine(given), initialState(1), 7)
  return (request: DecisionRequest): unknown => {
    try {
      const { encoded, ...ruling } = decider.decide(request, 'id')
      const { named: _, ...made } = encoded
      return structuredClone({ ...ruling, ...made })
    } catch (error) {
      return String(error)
    }
  }
}

const inside = fc.double({ min: -1, max: 1, noNaN: true })
const years = fc.double({ min: 18, max: 95, noNaN: true })
/** All features, in any order, each inside its range. */
const good = fc.tuple(inside, years, inside).chain(([a, age, c]) => {
  const all = Object.entries({ a, age, c })
  return fc.shuffledSubarray(all, { minLength: all.length })
})
/** Some may be missing, unknown, outside, or there twice. */
const names = fc.constantFrom('a', 'age', 'c', 'd', '__proto__')
const odd = fc.array(fc.tuple(names, fc.double({ min: -2, max: 100, noNaN: true })), { maxLength: 5 })
const before = [0.25, 9]

test.each(imputers.map((imputer) => [imputer.kind, imputer] as const))(
  'a row is decided, or refused, as the object with the same fields: %s imputer',
  (_, imputer) => {
    const given = problem(imputer, { a: unit, age: number({ min: 18, max: 95 }), c: unit })
    const ofObject = deciding(given)
    const ofRow = deciding(given)
    let decided = 0
    fc.assert(
      fc.property(fc.oneof(good, odd), fc.option(inside), (fields, z) => {
        const row = new NumberRow(
          fields.map(([name]) => name),
          [...before, ...fields.map(([, value]) => value)],
          before.length,
        )
        const told = ofRow({ context: row, covariates: { z } })
        expect(told).toEqual(ofObject({ context: Object.fromEntries(fields), covariates: { z } }))
        if (typeof told !== 'string') decided++
      }),
      { numRuns: 500 },
    )
    expect(decided).toBeGreaterThan(100)
    expect(decided).toBeLessThan(500)
  },
)

test('a row of numbers does not fit a feature that is not one', () => {
  const decide = deciding(problem(imputers[1], { a: unit, smoker: boolean() }))
  expect(decide({ context: new NumberRow(['a', 'smoker'], [0.5, 1], 0) })).toMatch(
    /context.smoker must be true or false, got 1/,
  )
})
