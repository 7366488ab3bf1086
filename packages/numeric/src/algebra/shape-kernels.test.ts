// The kernels behind shape-restricted regression, each against its optimality conditions or a naive second writing.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Random } from '../random/random.js'
import { ContentHash } from './content-hash.js'
import { solveChain } from './lipschitz-chain.js'
import { poolAdjacentViolators } from './pool-adjacent-violators.js'
import { leastSquaresOnSimplex } from './simplex-least-squares.js'
import { sortOrder } from './sort-order.js'

const value = fc.double({ min: -10, max: 10, noNaN: true })
const weight = fc.double({ min: 0.1, max: 5, noNaN: true })
const points = fc.array(fc.record({ y: value, w: weight, reach: fc.double({ min: 0, max: 3, noNaN: true }) }), {
  minLength: 1,
  maxLength: 25,
})

it('sorts as a comparison would, equal numbers in their order', () => {
  const any = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, -1), value)
  fc.assert(
    fc.property(fc.array(any, { maxLength: 200 }), (list) => {
      const naive = list.map((_, i) => i).sort((a, b) => (list[a]! === list[b]! ? a - b : list[a]! < list[b]! ? -1 : 1))
      expect([...sortOrder(Float64Array.from(list))]).toEqual(naive)
    }),
  )
})

it('pools to the min-max formula of isotonic regression', () => {
  fc.assert(
    fc.property(points, (list) => {
      const y = Float64Array.from(list, (point) => point.y)
      const w = Float64Array.from(list, (point) => point.w)
      const { starts, values } = poolAdjacentViolators(y, w)
      const mean = (from: number, to: number) => {
        let sum = 0
        let total = 0
        for (let i = from; i <= to; i++) {
          sum += w[i]! * y[i]!
          total += w[i]!
        }
        return sum / total
      }
      for (let block = 0; block < values.length; block++) {
        for (let i = starts[block]!; i < starts[block + 1]!; i++) {
          let highest = Number.NEGATIVE_INFINITY
          for (let from = 0; from <= i; from++) {
            let lowest = Number.POSITIVE_INFINITY
            for (let to = i; to < y.length; to++) lowest = Math.min(lowest, mean(from, to))
            highest = Math.max(highest, lowest)
          }
          expect(Math.abs(values[block]! - highest)).toBeLessThan(1e-9)
        }
      }
    }),
  )
})

it('solves the chain: steps within reach, and multipliers with the right signs', () => {
  fc.assert(
    fc.property(points, (list) => {
      const y = Float64Array.from(list, (point) => point.y)
      const w = Float64Array.from(list, (point) => point.w)
      const reach = Float64Array.from(list, (point) => point.reach)
      const h = solveChain(y, w, reach)
      // m_i, the multiplier of step i, is the sum of w (y - h) over the points from i on; it may differ from 0 only at
      // the bound.
      let tail = 0
      for (let i = y.length - 1; i >= 0; i--) {
        tail += w[i]! * (y[i]! - h[i]!)
        if (i === 0) break
        const step = h[i]! - h[i - 1]!
        expect(Math.abs(step)).toBeLessThanOrEqual(reach[i]! + 1e-9)
        if (tail > 1e-7) expect(step).toBeGreaterThan(reach[i]! - 1e-9)
        if (tail < -1e-7) expect(step).toBeLessThan(-reach[i]! + 1e-9)
      }
      expect(Math.abs(tail)).toBeLessThan(1e-7)
    }),
    { numRuns: 500 },
  )
})

it('finds the best point of the simplex: equal gradients inside, none smaller outside', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 1000 }), (p, seed) => {
      const random = Random.fromSeed(seed)
      const rows = Array.from({ length: p + 2 }, () => Array.from({ length: p }, () => random.normal()))
      const a = Float64Array.from({ length: p * p }, (_, k) =>
        rows.reduce((sum, row) => sum + row[Math.floor(k / p)]! * row[k % p]!, 0),
      )
      const b = Float64Array.from({ length: p }, () => 3 * random.normal())
      const c = leastSquaresOnSimplex(a, b, 0)
      expect(Math.min(...c)).toBeGreaterThanOrEqual(0)
      expect(c.reduce((sum, entry) => sum + entry, 0)).toBeCloseTo(1, 9)
      const gradient = Array.from(b, (entry, i) => c.reduce((sum, own, j) => sum + a[i * p + j]! * own, -entry))
      const level = Math.min(...gradient)
      c.forEach((own, i) => {
        if (own > 1e-9) expect(gradient[i]! - level).toBeLessThan(1e-7)
      })
    }),
  )
})

it('hashes by content: equal rows alike, shares close to even', () => {
  const hash = new ContentHash(5)
  expect(hash.of(Float64Array.of(1, 0), 0, 2)).toBe(hash.of(Float64Array.of(7, 1, -0), 1, 2))
  const counts = [0, 0, 0, 0, 0]
  for (let i = 0; i < 50_000; i++) {
    const fold = hash.of(Float64Array.of(i / 7), 0, 1) % 5
    counts[fold] = counts[fold]! + 1
  }
  // Five counts of a binomial with sd 89; 5 sd, so a false alarm in one of a million keys.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(450)
})
