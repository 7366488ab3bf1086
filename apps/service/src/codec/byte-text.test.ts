import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asPiece, ByteText } from './byte-text.js'

function written(write: (text: ByteText) => void): string {
  const text = new ByteText()
  write(text)
  return text.take().toString()
}

test('texts and pieces come out as they went in, also past the room there was', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 3000 }), { maxLength: 5 }), (texts) => {
      const all = written((out) => {
        for (const text of texts) {
          out.text(text)
          out.piece(asPiece(text))
        }
      })
      expect(all).toBe(texts.flatMap((text) => [text, text]).join(''))
    }),
  )
})

test('a number is written to 15 decimals, or with every digit it has', () => {
  const outside = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((x) => Math.abs(x) >= 1 || Math.abs(x) < 1e-4)
  fc.assert(
    fc.property(outside, (value) => {
      expect(written((out) => out.decimal(value))).toBe(String(value))
    }),
  )
  for (const value of [0.1, 0.5, -0.25, 0.001, 1 - 2 ** -53])
    expect(written((out) => out.decimal(value))).toBe(String(value))
  for (let k = 1; k < 100; k++)
    for (const value of [1 - k * 2 ** -53, 0.1 + k * 2 ** -56, 1e-4 + k * 2 ** -66, 0.7 - k * 2 ** -53])
      expect(Math.abs(Number(written((out) => out.decimal(value))) - value)).toBeLessThanOrEqual(6e-16)
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (value) => {
      const text = written((out) => out.decimal(value))
      expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(6e-16)
      expect(text).toMatch(/^-?\d+(\.\d*[1-9])?(e-\d+)?$/)
    }),
  )
})

test('a number has every digit, short or long', () => {
  const short = fc
    .tuple(fc.integer({ min: -2e9, max: 2e9 }), fc.integer({ min: 0, max: 9 }))
    .map(([k, p]) => k / 10 ** p)
  const near = short.map((x) => x * (1 + Number.EPSILON))
  fc.assert(
    fc.property(fc.oneof(short, near, fc.double()), (value) => {
      expect(written((out) => out.number(value))).toBe(JSON.stringify(value))
    }),
    { numRuns: 5000 },
  )
  for (const value of [0, -0, 1, -1, 0.1, 999.999999, 1000, 1e-6, -1e-6, 1e-7, 100, 10.5])
    expect(written((out) => out.number(value))).toBe(JSON.stringify(value))
})

test('the JSON of a value is the one that everybody writes', () => {
  const values = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string({ unit: 'grapheme' }), fc.double()))
  fc.assert(
    fc.property(values, (value) => {
      expect(written((out) => out.json(value))).toBe(JSON.stringify(value))
    }),
  )
  expect(written((out) => out.json({ a: undefined, b: 'quote"', c: 1 / 0 }))).toBe('{"b":"quote\\"","c":null}')
})
