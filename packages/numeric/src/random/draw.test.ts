import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { categorical, compileDraws, drawKey, drawOf, drawOfRound } from './draw.js'
import { seedKey } from './key.js'
import { Random } from './random.js'

interface Fixture {
  readonly draws: { readonly seed: number; readonly ids: readonly string[]; readonly values: readonly number[] }
}

const fixture: Fixture = JSON.parse(readFileSync(new URL('../../fixtures/draws.json', import.meta.url), 'utf8'))
const key = drawKey(seedKey(2024))

describe('drawOf', () => {
  test('gives the draws of the second implementation', () => {
    const { seed, ids, values } = fixture.draws
    const own = drawKey(seedKey(seed))
    expect(ids.map((id) => drawOf(own, id))).toEqual(values)
  })

  test('equals drawOfRound for whole numbers in canonical form, up to 15 digits', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat({ max: 1000 }), fc.integer({ min: 0, max: 999_999_999_999_999 })), (round) => {
        expect(drawOf(key, String(round))).toBe(drawOfRound(key, round))
      }),
    )
  })

  test('treats any other spelling as another id', () => {
    const spellings = ['7', '07', '007', '7.0', '+7', '-7', ' 7', '7 ', '7e0', '0x7', '٧', 'seven']
    expect(new Set(spellings.map((id) => drawOf(key, id))).size).toBe(spellings.length)
  })

  test('is a function of seed and id, whatever was drawn before', () => {
    const ids = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? String(i) : `order-${i}`))
    const forward = ids.map((id) => drawOf(key, id))
    const backward = [...ids].reverse().map((id) => drawOf(key, id))
    expect(backward.reverse()).toEqual(forward)
    const other = drawKey(seedKey(2025))
    ids.forEach((id, i) => {
      expect(drawOf(other, id)).not.toBe(forward[i])
    })
  })

  test('compiled for one key, gives the same draws whatever the ids before had in common with an id', () => {
    const draw = compileDraws(key)
    const other = compileDraws(drawKey(seedKey(7)))
    // Few characters, so that heads and lengths are often those of the id before.
    const character = fc.constantFrom('a', 'b', '1', '0', '\u0000', '\u00e9', '\uffff')
    const ids = fc.array(fc.tuple(fc.constantFrom('', 'd0123456', 'd0123457', 'e01234567', '12345678'), character))
    const tail = fc.string({ unit: character, maxLength: 9 })
    fc.assert(
      fc.property(ids, tail, (heads, end) => {
        for (const [head, one] of heads) {
          for (const id of [head + end, head + one, head + one + end]) {
            expect(draw(id)).toBe(drawOf(key, id))
            expect(other(id)).toBe(drawOf(drawKey(seedKey(7)), id))
          }
        }
      }),
    )
  })

  test('tells rounds beyond 2^32 apart from those below', () => {
    expect(drawOfRound(key, 2 ** 32 + 3)).not.toBe(drawOfRound(key, 3))
    expect(drawOfRound(key, 2 ** 33 + 3)).not.toBe(drawOfRound(key, 2 ** 32 + 3))
  })

  test.each([
    ['rounds', (i: number) => drawOfRound(key, i)],
    ['text ids', (i: number) => drawOf(key, `order-${i}`)],
  ])('fills 100 cells evenly over %s', (_, draw) => {
    const counts = new Array<number>(100).fill(0)
    for (let i = 0; i < 100_000; i++) {
      counts[Math.floor(draw(i) * 100)]!++
    }
    // A draw outside [0, 1) would make another cell.
    expect(Object.keys(counts).length).toBe(100)
    const statistic = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // chi2.ppf(0.0005, 99) and chi2.ppf(0.9995, 99): a false alarm in 0.1 % of seeds; the seed is fixed.
    expect(statistic).toBeGreaterThan(59.1)
    expect(statistic).toBeLessThan(152.0)
  })
})

describe('categorical', () => {
  const largestDraw = 1 - 2 ** -53
  const propensities = fc
    .array(fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1, noNaN: true })), { minLength: 1, maxLength: 12 })
    .filter((raw) => raw.some((value) => value > 0))
    .map((raw) => {
      const total = raw.reduce((sum, value) => sum + value, 0)
      return Float64Array.from(raw, (value) => value / total)
    })
  const unit = fc.oneof(
    fc.constantFrom(0, largestDraw, 0.5),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  )

  test('inverts the distribution function: the sum before the action <= draw < the sum with it', () => {
    fc.assert(
      fc.property(propensities, unit, (p, draw) => {
        const action = categorical(p, p.length, draw)
        const before = p.slice(0, action).reduce((sum, value) => sum + value, 0)
        expect(draw).toBeGreaterThanOrEqual(before)
        // The last action takes what rounding leaves of 1.
        if (p.slice(action + 1).some((value) => value > 0)) expect(draw).toBeLessThan(before + p[action]!)
      }),
      { numRuns: 500 },
    )
  })

  test('never picks an action of propensity 0', () => {
    fc.assert(
      fc.property(propensities, unit, (p, draw) => {
        expect(p[categorical(p, p.length, draw)]).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })

  test('skips zeros at both ends, also for the smallest and the largest draw', () => {
    const p = Float64Array.of(0, 0, 0.3, 0, 0.7, 0)
    expect(categorical(p, 6, 0)).toBe(2)
    expect(categorical(p, 6, 0.3)).toBe(4)
    expect(categorical(p, 6, largestDraw)).toBe(4)
  })

  test('gives the last possible action to a draw beyond a sum that rounding left below 1', () => {
    const p = new Float64Array(12).fill(0.1)
    p[10] = 0
    p[11] = 0
    const sum = p.reduce((total, value) => total + value, 0)
    expect(sum).toBeLessThan(1)
    expect(categorical(p, 12, largestDraw)).toBe(9)
  })

  test('looks only at the first count actions', () => {
    expect(categorical(Float64Array.of(0.5, 0.5, 9), 2, 0.9)).toBe(1)
  })

  test('picks each action as often as its propensity says', () => {
    const p = Float64Array.of(0.05, 0, 0.5, 0.2, 0.25)
    const random = Random.fromSeed(12)
    const counts = new Float64Array(5)
    for (let i = 0; i < 50_000; i++) counts[categorical(p, 5, random.uniform())]!++
    // Three standard errors, four actions: a false alarm in about 1 % of seeds; the seed is fixed.
    counts.forEach((count, action) => {
      expect(Math.abs(count - 50_000 * p[action]!)).toBeLessThanOrEqual(
        3 * Math.sqrt(50_000 * p[action]! * (1 - p[action]!)),
      )
    })
  })
})
