import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64, toBase64 } from './base64.js'

const text = (letters: string) => new Uint8Array(Buffer.from(letters, 'latin1'))

test('gives the examples of RFC 4648', () => {
  const examples = {
    '': '',
    f: 'Zg==',
    fo: 'Zm8=',
    foo: 'Zm9v',
    foob: 'Zm9vYg==',
    fooba: 'Zm9vYmE=',
    foobar: 'Zm9vYmFy',
  }
  for (const [plain, encoded] of Object.entries(examples)) {
    expect(toBase64(text(plain))).toBe(encoded)
    expect(fromBase64(encoded)).toEqual(text(plain))
  }
})

test('agrees with Node on any bytes, both ways', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const encoded = toBase64(bytes)
      expect(encoded).toBe(Buffer.from(bytes).toString('base64'))
      expect(fromBase64(encoded)).toEqual(bytes)
    }),
  )
})

test('agrees with Node where the parts of a long text meet', () => {
  for (const length of [24_575, 24_576, 24_577, 49_153]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) % 256)
    const encoded = toBase64(bytes)
    expect(encoded).toBe(Buffer.from(bytes).toString('base64'))
    expect(Buffer.compare(fromBase64(encoded)!, bytes)).toBe(0)
  }
})

test('keeps every bit of a number, NaN and -0 included', () => {
  const values = Float64Array.of(0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1 / 3, 5e-324, -1.5e300)
  const bytes = fromBase64(toBase64(values))!
  expect(new BigUint64Array(bytes.buffer)).toEqual(new BigUint64Array(values.buffer))
})

test('encodes only the part of a buffer that a view shows', () => {
  const whole = Uint16Array.of(1, 2, 3, 4)
  expect(toBase64(whole.subarray(1, 3))).toBe(toBase64(Uint16Array.of(2, 3)))
})

test('refuses what is not base64: wrong length, foreign characters, padding inside', () => {
  for (const wrong of ['A', 'AAA', 'AAAAA', 'AA!A', 'AAé=', 'A===', '====', 'AA==AAAA', 'A=AA', 'AAA\u{1F600}AAA']) {
    expect(fromBase64(wrong)).toBeNull()
  }
})
