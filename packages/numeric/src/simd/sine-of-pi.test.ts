import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sineOfPi } from './sine-of-pi.js'

test('is exact at halves and whole numbers', () => {
  expect([-2, -1, 0, 1, 2, 3].map((x) => Math.abs(sineOfPi(x)))).toEqual([0, 0, 0, 0, 0, 0])
  expect([-1.5, -0.5, 0.5, 1.5, 2.5].map(sineOfPi)).toEqual([1, -1, 1, -1, 1])
})

test('agrees with Math.sin to rounding, in and beyond [-1, 1]', () => {
  fc.assert(
    fc.property(fc.double({ min: -4, max: 4, noNaN: true }), (x) => {
      // pi x itself is rounded before Math.sin sees it.
      expect(Math.abs(sineOfPi(x) - Math.sin(Math.PI * x))).toBeLessThanOrEqual(2.3e-16 * (1 + Math.PI * Math.abs(x)))
    }),
    { numRuns: 2000 },
  )
})

test('is odd, to the bit', () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 8, noNaN: true }), (x) => sineOfPi(-x) === -sineOfPi(x)))
})
