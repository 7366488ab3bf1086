import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { projectChain } from './chain-projection.js'

const chain = fc.integer({ min: 1, max: 25 }).chain((n) =>
  fc.record({
    y: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: n, maxLength: n }),
    reach: fc.array(fc.double({ min: 0.001, max: 2, noNaN: true }), { minLength: n, maxLength: n }),
  }),
)

test('the projection onto a chain satisfies the optimality conditions', () => {
  fc.assert(
    fc.property(chain, ({ y, reach }) => {
      const h = projectChain(Float64Array.from(y), Float64Array.from(reach))
      // The multiplier of constraint i is the sum of residuals from i on: 0 inside, of the right sign at a bound.
      let multiplier = 0
      for (let i = y.length - 1; i >= 0; i--) {
        multiplier += h[i]! - y[i]!
        const step = h[i]! - (i === 0 ? 0 : h[i - 1]!)
        expect(Math.abs(step)).toBeLessThanOrEqual(reach[i]! + 1e-9)
        if (multiplier > 1e-7) expect(step).toBeLessThan(-reach[i]! + 1e-7)
        if (multiplier < -1e-7) expect(step).toBeGreaterThan(reach[i]! - 1e-7)
      }
    }),
    { numRuns: 500 },
  )
})

test('the projection agrees with cyclic projections onto single constraints', () => {
  const random = Random.fromSeed(3)
  for (let repeat = 0; repeat < 5; repeat++) {
    const n = 8
    const y = Float64Array.from({ length: n }, () => 3 * random.normal())
    const reach = Float64Array.from({ length: n }, () => 0.2 + random.uniform())
    const h = projectChain(y, reach)
    const naive = dykstra(y, reach)
    for (let i = 0; i < n; i++) expect(h[i]!).toBeCloseTo(naive[i]!, 6)
  }
})

/** Dykstra's algorithm: project onto one constraint at a time, each remembering its own correction. */
function dykstra(y: Float64Array, reach: Float64Array): Float64Array {
  const n = y.length
  const h = Float64Array.from(y)
  const memory = Array.from({ length: n }, () => [0, 0])
  for (let sweep = 0; sweep < 20000; sweep++) {
    for (let i = 0; i < n; i++) {
      const [a, b] = memory[i]! as [number, number]
      const first = i === 0 ? 0 : h[i - 1]! + a
      const second = h[i]! + b
      const excess = second - first - Math.max(-reach[i]!, Math.min(reach[i]!, second - first))
      const newFirst = i === 0 ? 0 : first + excess / 2
      const newSecond = i === 0 ? second - excess : second - excess / 2
      memory[i] = [first - newFirst, second - newSecond]
      if (i > 0) h[i - 1] = newFirst
      h[i] = newSecond
    }
  }
  return h
}
