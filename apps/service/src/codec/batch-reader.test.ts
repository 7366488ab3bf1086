import { DecisionBatch } from '@primo/contract'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { createBatchReader } from './batch-reader.js'

const name = fc.oneof(
  fc.constantFrom('x0', 'x1', 'a b', 'größe', '年龄', 'toString'),
  fc.string({ minLength: 1, maxLength: 5 }),
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -9999, max: 9999 }).map((x) => x / 1e4),
  fc.integer(),
  fc.constant(-0),
)
const value = fc.oneof(number, number, fc.boolean(), fc.string({ unit: 'grapheme', maxLength: 8 }))
const request = fc.record(
  {
    context: fc.dictionary(name, value, { maxKeys: 5 }),
    covariates: fc.dictionary(name, fc.oneof(value, fc.constant(null)), { maxKeys: 3 }),
    predictions: fc.dictionary(name, fc.oneof(value, fc.constant(null)), { maxKeys: 2 }),
    eventId: fc.string({ minLength: 1, maxLength: 10 }),
  },
  { requiredKeys: ['context'] },
)
const space = fc.constantFrom(undefined, 1, '\t')
const batch = fc
  .tuple(fc.array(request, { minLength: 1, maxLength: 6 }), space)
  .map(([decisions, spaces]) => Buffer.from(JSON.stringify({ decisions }, null, spaces)))

const readBatch = createBatchReader()

/** What the reader says is what the parser and the schema say, and each request's bytes are its own. */
function expectTheSame(body: Buffer): boolean {
  const given = readBatch(body)
  if (given === undefined) return false
  const parsed = JSON.parse(body.toString()) as DecisionBatch
  expect(Value.Check(DecisionBatch, parsed)).toBe(true)
  expect(given.map(({ request }) => request)).toEqual(parsed.decisions)
  given.forEach(({ json }, k) => {
    expect(JSON.parse(Buffer.from(json).toString())).toEqual(parsed.decisions[k])
  })
  return true
}

test('a plain batch is read as the parser reads it, whatever its names, values and spaces', () => {
  let read = 0
  let plain = 0
  fc.assert(
    fc.property(batch, (body) => {
      if (!/\\|__proto__|constructor|prototype/.test(body.toString())) {
        plain++
        expect(readBatch(body)).toBeDefined()
      }
      if (expectTheSame(body)) read++
    }),
    { numRuns: 500 },
  )
  expect(plain).toBeGreaterThan(100)
  expect(read).toBeGreaterThanOrEqual(plain)
})

test('bytes changed anywhere: what is read is still what the parser and the schema take', () => {
  const bytes = fc.oneof(
    fc.constantFrom(...Buffer.from('{}[]",:-+.eE0159\\ntfu \u00e9')),
    fc.integer({ min: 0, max: 255 }),
  )
  const change = fc.record({ at: fc.nat(), byte: bytes, kind: fc.constantFrom('replace', 'insert', 'remove') })
  let read = 0
  fc.assert(
    fc.property(batch, fc.array(change, { minLength: 1, maxLength: 3 }), (whole, changes) => {
      const body = [...whole]
      for (const { at, byte, kind } of changes)
        body.splice(at % body.length, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [byte]))
      if (expectTheSame(Buffer.from(body))) read++
    }),
    { numRuns: 5000 },
  )
  expect(read).toBeGreaterThan(100)
})

const plainOne = '{"context":{"x":1}}'

test.each([
  ['nothing', ''],
  ['an empty list', '{"decisions":[]}'],
  ['another field', `{"rewards":[${plainOne}]}`],
  ['a field beside it', `{"a":1,"decisions":[${plainOne}]}`],
  ['a field behind it', `{"decisions":[${plainOne}],"a":1}`],
  ['the field twice', `{"decisions":[${plainOne}],"decisions":[${plainOne}]}`],
  ['something behind it', `{"decisions":[${plainOne}]} {}`],
  ['a byte order mark', `\ufeff{"decisions":[${plainOne}]}`],
  ['an element that is no object', `{"decisions":[${plainOne},1]}`],
  ['a request without a context', '{"decisions":[{"covariates":{}}]}'],
  ['a field that needs the schema', '{"decisions":[{"context":{},"actions":["a"]}]}'],
  ['a field that nobody knows', '{"decisions":[{"context":{},"note":"a"}]}'],
  ['a value that is an object', '{"decisions":[{"context":{"x":{}}}]}'],
  ['a null in the context', '{"decisions":[{"context":{"x":null}}]}'],
  ['an escape', '{"decisions":[{"context":{"x":"\\n"}}]}'],
  ['a name of the language', '{"decisions":[{"context":{"__proto__":1}}]}'],
  ['an empty name', '{"decisions":[{"context":{"":1}}]}'],
  ['an empty event id', '{"decisions":[{"eventId":"","context":{}}]}'],
  ['a long event id', `{"decisions":[{"eventId":"${'a'.repeat(201)}","context":{}}]}`],
  ['a long name', `{"decisions":[{"context":{"${'a'.repeat(201)}":1}}]}`],
  ['a long text', `{"decisions":[{"context":{"x":"${'a'.repeat(1001)}"}}]}`],
  ['too many requests', `{"decisions":[${Array.from({ length: 1001 }, () => plainOne).join()}]}`],
  ['a number with a zero before it', '{"decisions":[{"context":{"x":01}}]}'],
  ['a number without digits', '{"decisions":[{"context":{"x":-}}]}'],
  ['a number that ends with its point', '{"decisions":[{"context":{"x":1.}}]}'],
  ['a number that ends with its exponent', '{"decisions":[{"context":{"x":1e}}]}'],
  ['a number that is too large', '{"decisions":[{"context":{"x":1e309}}]}'],
  ['digits that are too many', `{"decisions":[{"context":{"x":-${'9'.repeat(309)}}}]}`],
  ['a prediction that is too large', '{"decisions":[{"context":{},"predictions":{"x":1.7976931348623159e308}}]}'],
  ['a body that is cut off', '{"decisions":[{"context":{"x":1'],
])('%s is left to the parser and the schema', (_, body) => {
  expect(readBatch(Buffer.from(body))).toBeUndefined()
})

test('bytes that are no text are left to the parser', () => {
  const body = Buffer.from('{"decisions":[{"context":{"x":"?"}}]}')
  expect(readBatch(body)).toBeDefined()
  body[body.indexOf('?')] = 0xff
  expect(readBatch(body)).toBeUndefined()
})

test('a thousand requests are read', () => {
  const body = Buffer.from(`{"decisions":[${Array.from({ length: 1000 }, () => plainOne).join()}]}`)
  expect(readBatch(body)?.length).toBe(1000)
})
