// What a clock in doubt means, in a sentence.

import type { ClockHold } from '../ledger/clock.js'

export function clockWarning({ why, offset }: ClockHold): string {
  const far = `${Math.abs(Math.round(offset / 1000))} s ${offset < 0 ? 'behind' : 'ahead of'}`
  const what = {
    jump: `the wall clock jumped: it is ${far} the monotonic clock`,
    start: `the wall clock is ${far} the last time that the store knows`,
    database: `the clock of this machine is ${far} the database's`,
  }[why]
  return `${what}; no window closes and nothing is removed until they agree, an admin confirms (POST /v1/clock/confirm), or a day has passed so`
}
