// The time that the ledger lives by. It runs with the monotonic clock and follows the wall clock by at most a tenth of what
// has passed, so no reading moves it far. While the two are further apart than TOLERANCE, it goes on by the monotonic clock
// alone and is held: nothing is closed or removed until they agree again or someone confirms the wall clock.

/** Milliseconds that the wall clock may be off before time is held. */
export const TOLERANCE = 60_000
/** A start so long after the last known time is held; a shorter one is taken for a pause. */
export const AWAY = 24 * 3_600_000
/** Milliseconds that the clocks of service and database may be apart. */
export const APART = 10 * 60_000
/** A difference that has not changed for so long is taken for true. */
export const STEADY = 24 * 3_600_000
const SLEW = 0.1

export interface Reading {
  readonly now: number
  readonly held: boolean
  /** By how much the wall clock is ahead, where that is why it is held. */
  readonly offset: number
}

export interface ClockHold {
  readonly why: 'jump' | 'start' | 'database'
  /** Milliseconds that the wall clock is ahead of the time in use; of `database`, that this machine is ahead of the database. */
  readonly offset: number
  /** Milliseconds since the difference last changed. */
  readonly lasted: number
}

export interface Clock {
  /** `other`: a second wall clock, which should agree with the first. */
  readonly read: (wall: number, other?: number) => Reading
  /** Takes the offset of a reading for true: time moves by it. */
  readonly accept: (offset: number) => void
  readonly hold: () => ClockHold | null
  /** Called when time is held, is held for another reason, or runs freely again. */
  onChange: (listener: (hold: ClockHold | null) => void) => void
}

/** A clock that is taken at its word, for tests. */
export function plainClock(clock: () => number): Clock {
  return {
    read: () => ({ now: clock(), held: false, offset: 0 }),
    accept: () => undefined,
    hold: () => null,
    onChange: () => undefined,
  }
}

interface Difference {
  readonly why: ClockHold['why']
  readonly offset: number
  readonly since: number
}

/** `last`: the time in use when the store was last written; null: it is new. */
export function createClock(last: number | null, monotonic: () => number = () => performance.now()): Clock {
  const listeners: ((hold: ClockHold | null) => void)[] = []
  let at = monotonic()
  let time = Number.NaN
  /** Difference of the second wall clock that was confirmed. */
  let agreed = 0
  let otherOffset = 0
  let jump: Difference | null = null
  let apart: Difference | null = null

  function begin(wall: number): void {
    const gap = last === null ? 0 : wall - last
    const doubtful = gap < -TOLERANCE || gap > AWAY
    time = doubtful ? last! : Math.max(wall, last ?? wall)
    if (doubtful) jump = { why: 'start', offset: gap, since: at }
  }

  /** What is left of a difference: nothing if it is small, the same one if it has not changed, or a new one. */
  function follow(before: Difference | null, why: ClockHold['why'], offset: number, most: number): Difference | null {
    if (Math.abs(offset) <= most) return null
    if (before !== null && Math.abs(offset - before.offset) <= most) return before
    return { why: before?.why ?? why, offset, since: at }
  }

  function hold(): ClockHold | null {
    const held = jump ?? apart
    return held === null ? null : { why: held.why, offset: Math.round(held.offset), lasted: monotonic() - held.since }
  }

  function tellIf(changed: boolean): void {
    if (changed) for (const listen of listeners) listen(hold())
  }

  return {
    read: (wall, other = wall) => {
      const before = jump ?? apart
      const elapsed = Math.max(0, monotonic() - at)
      at += elapsed
      if (Number.isNaN(time)) begin(wall)
      else time += elapsed
      const offset = wall - time
      jump = follow(jump, 'jump', offset, TOLERANCE)
      otherOffset = other - wall
      apart = follow(apart, 'database', otherOffset - agreed, APART)
      if (jump === null) time += Math.max(-SLEW * elapsed, Math.min(SLEW * elapsed, offset))
      tellIf((jump ?? apart) !== before)
      return {
        now: Math.floor(time),
        held: jump !== null || apart !== null,
        offset: jump === null ? 0 : Math.round(offset),
      }
    },
    accept: (offset) => {
      const before = jump ?? apart
      time += offset
      agreed = otherOffset
      jump = null
      apart = null
      tellIf(before !== null)
    },
    hold,
    onChange: (listener) => void listeners.push(listener),
  }
}
