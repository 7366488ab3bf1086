import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inverseGapWeighting } from './inverse-gap-weighting.js'
import { plausibleSetWeighting } from './plausible-set.js'

const action = fc.record({
  f: fc.double({ min: 0, max: 1, noNaN: true }),
  w: fc.double({ min: 1e-4, max: 1, noNaN: true }),
})
const instance = fc.tuple(
  fc.array(action, { minLength: 1, maxLength: 40 }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
)

function weigh(actions: readonly { f: number; w: number }[], gamma: number, options = {}): Float64Array {
  const out = new Float64Array(actions.length)
  plausibleSetWeighting(
    Float64Array.from(actions, ({ f }) => f),
    Float64Array.from(actions, ({ w }) => w),
    actions.length,
    gamma,
    options,
    out,
  )
  return out
}

/** The rule written naively from its definition. */
function naive(actions: readonly { f: number; w: number }[], gamma: number): { p: number[]; size: number } {
  const K = actions.length
  const alpha = Math.sqrt(3 + 2 * Math.log(K))
  const delta = Math.min(0.1, 2 / K)
  const top = Math.max(...actions.map(({ f }) => f))
  const best = actions.findIndex(({ f }) => f === top)
  const S = actions.flatMap(({ f, w }, a) =>
    a === best || top - f <= alpha * Math.sqrt(w ** 2 + actions[best]!.w ** 2) ? [a] : [],
  )
  const U = actions.map(({ f, w }) => f + w)
  const star = S.reduce((found, a) => (U[a]! > U[found]! ? a : found), S[0]!)
  const p = actions.map(({ f }, a) =>
    S.includes(a) ? 1 / (S.length + gamma * (U[star]! - U[a]!)) : delta / (K + gamma * (top - f)),
  )
  p[star] = 0
  p[star] = 1 - p.reduce((sum, value) => sum + value, 0)
  return { p, size: S.length }
}

describe('plausible-set inverse gap weighting', () => {
  it('equals its naive writing', () => {
    fc.assert(
      fc.property(instance, ([actions, gamma]) => {
        const { p } = naive(actions, gamma)
        // gamma reaches 1e6, so that scores that differ in their last bits differ in the tenth digit here.
        weigh(actions, gamma).forEach((value, a) => {
          expect(value).toBeCloseTo(p[a]!, 9)
        })
      }),
    )
  })

  it('sums to one, gives every action a chance, and the favourite at least 1/(2|S|)', () => {
    fc.assert(
      fc.property(instance, ([actions, gamma]) => {
        const p = weigh(actions, gamma)
        expect(p.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9)
        for (const value of p) expect(value).toBeGreaterThan(0)
        const { size } = naive(actions, gamma)
        expect(Math.max(...p)).toBeGreaterThanOrEqual(1 / (2 * size) - 1e-12)
      }),
      { numRuns: 2000 },
    )
  })

  it('is plain inverse gap weighting with equal widths, an endless set and no optimism', () => {
    fc.assert(
      fc.property(instance, ([actions, gamma]) => {
        const equal = actions.map(({ f }) => ({ f, w: 0.1 }))
        const plain = new Float64Array(actions.length)
        inverseGapWeighting(
          Float64Array.from(actions, ({ f }) => f),
          actions.length,
          gamma,
          plain,
        )
        weigh(equal, gamma, { alpha: Number.POSITIVE_INFINITY, beta: 0 }).forEach((value, a) => {
          expect(value).toBeCloseTo(plain[a]!, 12)
        })
      }),
    )
  })

  it('keeps an action without data in the set: its width is the cap', () => {
    const p = weigh(
      [
        { f: 0.9, w: 0.001 },
        { f: 0.5, w: 1 },
        { f: 0.5, w: 0.001 },
      ],
      100,
    )
    expect(p[1]).toBeGreaterThan(0.5)
    expect(p[2]).toBeLessThan(0.01)
  })

  it('leaves one plausible action everything but the floor', () => {
    const p = weigh(
      [
        { f: 0.9, w: 0.001 },
        { f: 0.5, w: 0.001 },
        { f: 0.1, w: 0.001 },
      ],
      50,
    )
    expect(p[1]).toBeCloseTo(0.1 / (3 + 50 * 0.4), 12)
    expect(p[2]).toBeCloseTo(0.1 / (3 + 50 * 0.8), 12)
  })
})
