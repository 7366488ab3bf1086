import { PrimoError } from '@primo/numeric'
import { expect, test } from 'vitest'
import { predictWith } from '../imputation/predict-with.js'
import { boolean, category, number } from './feature.js'
import { checkImputer, type MemberImputer, pretrained } from './imputer.js'

const features = {
  age: number({ min: 0, max: 100 }),
  smoker: boolean(),
  town: category(['Ulm', 'Bonn'], { other: true }),
  rule: category(['a=b', 'b']),
}
const context = { age: 40, smoker: true, town: 'Bonn', rule: 'a=b' }
const ask = (imputer: MemberImputer, given: Record<string, number | boolean | string> = context) =>
  predictWith(imputer, features, given, undefined)

test('a constant says its value whatever the context', () => {
  expect(ask({ kind: 'constant', value: 1.5 })).toBe(1.5)
  expect(ask({ kind: 'constant', value: { a: 0.5, b: 0.5 } })).toEqual({ a: 0.5, b: 0.5 })
})

test('a linear model adds numbers, booleans as 0 or 1 and the level at hand', () => {
  const imputer: MemberImputer = {
    kind: 'linear',
    intercept: 1,
    coefficients: { age: 0.5, smoker: 10, 'town=Ulm': 100, 'town=Bonn': 1000 },
  }
  expect(ask(imputer)).toBe(1 + 20 + 10 + 1000)
  expect(ask(imputer, { ...context, smoker: false, town: 'Ulm' })).toBe(1 + 20 + 100)
  expect(ask({ kind: 'linear', intercept: -2, coefficients: {} })).toBe(-2)
})

test('a linear model takes an unlisted level as "other", as the encoding does', () => {
  const imputer: MemberImputer = { kind: 'linear', intercept: 0, coefficients: { 'town=other': 7 } }
  expect(ask(imputer, { ...context, town: 'Trier' })).toBe(7)
  expect(ask(imputer, { ...context, town: 'other' })).toBe(7)
  expect(ask(imputer)).toBe(0)
})

test('a linear model finds levels that contain "="', () => {
  const imputer: MemberImputer = { kind: 'linear', intercept: 0, coefficients: { 'rule=a=b': 3, 'rule=b': 5 } }
  expect(ask(imputer)).toBe(3)
  expect(ask(imputer, { ...context, rule: 'b' })).toBe(5)
})

test('a column says what came with the request', () => {
  expect(predictWith({ kind: 'column' }, features, context, 0.25)).toBe(0.25)
  expect(predictWith({ kind: 'column' }, features, context, undefined)).toBeUndefined()
})

test('a function is given the context, and its errors are the caller’s to see', () => {
  expect(ask(pretrained((x) => Number(x.age) / 10))).toBe(4)
  const failing = pretrained(() => {
    throw new RangeError('no model today')
  })
  expect(() => ask(failing)).toThrow('no model today')
})

test('pretrained makes plain data with the version where one is given', () => {
  const predict = () => 1
  expect(pretrained(predict)).toEqual({ kind: 'function', predict })
  expect(pretrained(predict, { version: '2' })).toEqual({ kind: 'function', predict, version: '2' })
})

test('an imputer that cannot predict is refused with its field and value', () => {
  const cases: [unknown, RegExp][] = [
    [undefined, /z\.imputer must.*nothing/],
    [null, /z\.imputer must.*null/],
    [{ kind: 'forest' }, /z\.imputer must.*an object/],
    [(x: number) => x, /z\.imputer must.*a function/],
    [{ kind: 'constant' }, /z\.imputer\.value.*nothing/],
    [{ kind: 'linear', coefficients: {} }, /z\.imputer\.intercept.*nothing/],
    [{ kind: 'linear', intercept: Number.NaN, coefficients: {} }, /z\.imputer\.intercept.*NaN/],
    [{ kind: 'linear', intercept: 0 }, /z\.imputer\.coefficients.*nothing/],
    [{ kind: 'linear', intercept: 0, coefficients: { age: '1' } }, /z\.imputer\.coefficients\.age.*"1"/],
    [{ kind: 'function', predict: 5 }, /z\.imputer\.predict.*5/],
  ]
  for (const [imputer, sentence] of cases) {
    expect(() => checkImputer('z.imputer', imputer)).toThrow(PrimoError)
    expect(() => checkImputer('z.imputer', imputer)).toThrow(sentence)
  }
  for (const imputer of [{ kind: 'column' }, { kind: 'constant', value: 0 }, pretrained(() => 0)])
    expect(() => checkImputer('z.imputer', imputer)).not.toThrow()
})
