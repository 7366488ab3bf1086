import { PrimoError } from '@primo/numeric'
import { doublingEpoch } from '@primo/theory'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkSchedule, epochAfter, epochEnd, type Schedule } from './schedule.js'

const doubling: Schedule = { kind: 'doubling' }

/** First and last round (from 1) of epoch s. */
function roundsOf(schedule: Schedule, epoch: number): [number, number] {
  return [(epoch === 1 ? 0 : epochEnd(schedule, epoch - 1)) + 1, epochEnd(schedule, epoch)]
}

const anySchedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.constant(doubling),
  fc.record({
    kind: fc.constant('growth' as const),
    first: fc.integer({ min: 1, max: 50 }),
    factor: fc.double({ min: 1.0001, max: 5, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('fixed' as const), length: fc.integer({ min: 1, max: 100 }) }),
  fc.record({
    kind: fc.constant('list' as const),
    ends: fc
      .uniqueArray(fc.integer({ min: 1, max: 2000 }), { maxLength: 20 })
      .map((ends) => ends.sort((a, b) => a - b)),
  }),
)

describe('doubling epochs', () => {
  test('end after 2, 4, 8 and 16 rounds', () => {
    const table: [epoch: number, rounds: [number, number], length: number][] = [
      [1, [1, 2], 2],
      [2, [3, 4], 2],
      [3, [5, 8], 4],
      [4, [9, 16], 8],
    ]
    for (const [epoch, rounds, length] of table) {
      expect(roundsOf(doubling, epoch)).toEqual(rounds)
      expect(rounds[1] - rounds[0] + 1).toBe(length)
    }
    for (let s = 3; s <= 40; s++) {
      expect(roundsOf(doubling, s)).toEqual([2 ** (s - 1) + 1, 2 ** s])
      // |D_{s-1}| = 2^(s-2), as printed, from s = 3 on.
      const [from, to] = roundsOf(doubling, s - 1)
      expect(to - from + 1).toBe(s === 3 ? 2 : 2 ** (s - 2))
    }
  })

  test('contain round t in epoch max(1, bit length of t - 1)', () => {
    for (let t = 1; t <= 5000; t++) {
      const bits = t === 1 ? 0 : (t - 1).toString(2).length
      expect(doublingEpoch(t)).toBe(Math.max(1, bits))
      const [from, to] = roundsOf(doubling, doublingEpoch(t))
      expect(from <= t && t <= to).toBe(true)
    }
  })

  test('change at every power of two, exactly, up to the largest whole numbers', () => {
    for (let s = 1; s <= 52; s++) {
      expect(doublingEpoch(2 ** s)).toBe(s)
      expect(doublingEpoch(2 ** s + 1)).toBe(s + 1)
    }
  })
})

describe('other schedules', () => {
  test('growth multiplies the end by the factor, rounds down and gains at least one round', () => {
    const ends = (schedule: Schedule, count: number) =>
      Array.from({ length: count }, (_, s) => epochEnd(schedule, s + 1))
    expect(ends({ kind: 'growth', first: 20, factor: 1.1 }, 6)).toEqual([20, 22, 24, 26, 28, 30])
    expect(ends({ kind: 'growth', first: 100, factor: 1.5 }, 4)).toEqual([100, 150, 225, 337])
    expect(ends({ kind: 'growth', first: 1, factor: 1.1 }, 4)).toEqual([1, 2, 3, 4])
    expect(ends({ kind: 'growth', first: 2, factor: 2 }, 5)).toEqual(ends(doubling, 5))
  })

  test('fixed ends every so many rounds; a list ends where it says and then never', () => {
    expect([1, 2, 3].map((s) => epochEnd({ kind: 'fixed', length: 7 }, s))).toEqual([7, 14, 21])
    expect([1, 2, 3, 4].map((s) => epochEnd({ kind: 'list', ends: [5, 6, 50] }, s))).toEqual([
      5,
      6,
      50,
      Number.POSITIVE_INFINITY,
    ])
    expect(epochEnd({ kind: 'list', ends: [] }, 1)).toBe(Number.POSITIVE_INFINITY)
  })

  test('all end later and later', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 1, max: 60 }), (schedule, epoch) => {
        checkSchedule(schedule)
        const end = epochEnd(schedule, epoch)
        expect(end).toBeGreaterThan(epoch === 1 ? 0 : Math.min(epochEnd(schedule, epoch - 1), Number.MAX_SAFE_INTEGER))
        if (Number.isFinite(end)) expect(epochEnd(schedule, epoch + 1)).toBeGreaterThan(end)
      }),
    )
  })

  test('lead from any count into the one epoch whose end is not yet reached, skipping those that are', () => {
    fc.assert(
      fc.property(anySchedule, fc.nat(1500), (schedule, count) => {
        const epoch = epochAfter(schedule, 1, count)
        expect(epochEnd(schedule, epoch)).toBeGreaterThan(count)
        if (epoch > 1) expect(epochEnd(schedule, epoch - 1)).toBeLessThanOrEqual(count)
        // One end due at a time gives the same epoch as all at once.
        expect(epochAfter(schedule, epoch, count)).toBe(epoch)
      }),
    )
  })
})

test('a schedule that cannot be followed is refused with its field and value', () => {
  const cases: [unknown, RegExp][] = [
    [{ kind: 'weekly' }, /schedule\.kind.*"weekly"/],
    [{}, /schedule\.kind.*nothing/],
    ['doubling', /schedule must be an object.*"doubling"/],
    [{ kind: 'doubling', counted: 'rewards' }, /schedule\.counted.*"rewards"/],
    [{ kind: 'fixed', length: 0 }, /schedule\.length.*0/],
    [{ kind: 'fixed', length: 2.5 }, /schedule\.length.*2\.5/],
    [{ kind: 'growth', first: 0, factor: 2 }, /schedule\.first.*0/],
    [{ kind: 'growth', first: 2, factor: 1 }, /schedule\.factor.*1/],
    [{ kind: 'growth', first: 2, factor: Number.POSITIVE_INFINITY }, /schedule\.factor.*Infinity/],
    [{ kind: 'growth', first: 2 }, /schedule\.factor.*nothing/],
    [{ kind: 'list', ends: [3, 3] }, /schedule\.ends.*>= 4.*3/],
    [{ kind: 'list', ends: [3, 2] }, /schedule\.ends.*2/],
    [{ kind: 'list' }, /schedule\.ends.*nothing/],
  ]
  for (const [schedule, sentence] of cases) {
    expect(() => checkSchedule(schedule as Schedule)).toThrow(PrimoError)
    expect(() => checkSchedule(schedule as Schedule)).toThrow(sentence)
  }
})
