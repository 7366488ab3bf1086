// Time moves with the monotonic clock; the wall clock alone moves it slowly, and never far at once.

import { describe, expect, test } from 'vitest'
import { APART, AWAY, type ClockHold, createClock, STEADY, TOLERANCE } from './clock.js'

const T0 = 1_700_000_000_000
const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A clock whose two clocks a test moves. */
function moved(last: number | null = null) {
  let wall = T0
  let steps = 5
  const clock = createClock(last, () => steps)
  const seen: (ClockHold | null)[] = []
  clock.onChange((hold) => void seen.push(hold))
  return {
    clock,
    seen,
    /** Time passes on both clocks. */
    pass: (milliseconds: number) => {
      wall += milliseconds
      steps += milliseconds
    },
    jump: (milliseconds: number) => {
      wall += milliseconds
    },
    read: (other?: number) => clock.read(wall, other === undefined ? undefined : wall + other),
  }
}

describe('a wall clock that jumps', () => {
  test.each([SECOND, -SECOND])('by %d ms is followed slowly', (by) => {
    const { pass, jump, read, seen } = moved()
    read()
    jump(by)
    pass(1000)
    const { now, held } = read()
    expect(held).toBe(false)
    expect(now - T0 - 1000).toBe(Math.sign(by) * 100)
    for (let k = 0; k < 100; k++) {
      pass(200)
      read()
    }
    expect(read().now).toBe(T0 + 1000 + by + 20_000)
    expect(seen).toEqual([])
  })

  test.each([HOUR, -HOUR, 31 * DAY, -31 * DAY])('by %d ms is not followed, and time is held', (by) => {
    const { pass, jump, read, seen, clock } = moved()
    read()
    jump(by)
    for (let k = 0; k < 100; k++) {
      pass(200)
      expect(read()).toEqual({ now: T0 + (k + 1) * 200, held: true, offset: by })
    }
    expect(seen).toMatchObject([{ why: 'jump', offset: by }])
    // A blip: it comes back, and nothing has happened.
    jump(-by)
    pass(200)
    expect(read()).toEqual({ now: T0 + 20_200, held: false, offset: 0 })
    expect(seen).toHaveLength(2)
    expect(clock.hold()).toBeNull()
  })

  test('in many small steps gains a tenth, and is held when it has gone too far', () => {
    const { pass, jump, read } = moved()
    read()
    let first = -1
    for (let k = 0; k < 100; k++) {
      jump(10_000)
      pass(1000)
      const { now, held } = read()
      expect(now).toBeLessThanOrEqual(T0 + (k + 1) * 1100)
      if (held && first < 0) first = k
    }
    expect(first).toBe(6)
  })

  test.each([31 * DAY, -31 * DAY])('by %d ms is taken for true once it is confirmed', (by) => {
    const { pass, jump, read, clock } = moved()
    read()
    jump(by)
    pass(SECOND)
    clock.accept(read().offset)
    expect(clock.hold()).toBeNull()
    pass(SECOND)
    expect(read()).toEqual({ now: T0 + by + 2 * SECOND, held: false, offset: 0 })
  })

  test('tells how long the difference has stayed the same', () => {
    const { pass, jump, read, clock } = moved()
    read()
    jump(DAY)
    read()
    pass(HOUR)
    read()
    expect(clock.hold()!.lasted).toBe(HOUR)
    jump(DAY)
    read()
    expect(clock.hold()).toEqual({ why: 'jump', offset: 2 * DAY, lasted: 0 })
    pass(STEADY)
    read()
    expect(clock.hold()!.lasted).toBe(STEADY)
  })
})

describe('a start', () => {
  test('after a pause goes on', () => {
    const { read } = moved(T0 - AWAY)
    expect(read()).toEqual({ now: T0, held: false, offset: 0 })
  })

  test('a little before the last known time goes on from that', () => {
    const { read } = moved(T0 + TOLERANCE)
    expect(read()).toMatchObject({ now: T0 + TOLERANCE, held: false })
  })

  test.each([31 * DAY, -HOUR, -31 * DAY])('%d ms after the last known time is held there', (gap) => {
    const { read, clock } = moved(T0 - gap)
    expect(read()).toEqual({ now: T0 - gap, held: true, offset: gap })
    expect(clock.hold()).toMatchObject({ why: 'start', offset: gap })
    clock.accept(gap)
    expect(read()).toEqual({ now: T0, held: false, offset: 0 })
  })
})

test('a second wall clock that is far from the first holds time until it is confirmed or comes back', () => {
  const { read, pass, clock } = moved()
  expect(read(APART).held).toBe(false)
  expect(read(2 * APART)).toEqual({ now: T0, held: true, offset: 0 })
  expect(clock.hold()).toMatchObject({ why: 'database', offset: 2 * APART })
  expect(read(0).held).toBe(false)
  expect(read(DAY).held).toBe(true)
  clock.accept(0)
  pass(SECOND)
  expect(read(DAY)).toEqual({ now: T0 + SECOND, held: false, offset: 0 })
})
