// When epochs end (method#epochs): beta_s is the number of rounds after which epoch s ends, strictly increasing in s >= 1.
//   doubling: beta_s = 2^s (the paper).          growth: beta_1 = first, then max(beta + 1, floor(factor * beta)), but at most
//                                                beta + longest.
//   fixed: beta_s = s * length.                  list: the given numbers; the last epoch never ends.
// Rounds are counted as decided ('decisions', the paper) or as closed ('closed'). Only doubling is covered by theorems.

import { entryOf, invalidOption, requireFinite, requireInteger, requireOptions } from '@primo/numeric'

type EpochLengths =
  | { readonly kind: 'doubling' }
  /**
   * first: default 5. longest: no epoch is longer; default none, and (factor - 1) times what
   * counts where old rounds are forgotten.
   */
  | { readonly kind: 'growth'; readonly first?: number; readonly factor: number; readonly longest?: number }
  | { readonly kind: 'fixed'; readonly length: number }
  | { readonly kind: 'list'; readonly ends: readonly number[] }

/** When epochs end, and whether rounds count as they are decided or as they are closed. */
export type Schedule = EpochLengths & { readonly counted?: 'decisions' | 'closed' }

/** Who was not tried by then is wide, and is tried first. */
const FIRST = 5

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  growth: ['kind', 'counted', 'first', 'factor', 'longest'],
  fixed: ['kind', 'counted', 'length'],
  list: ['kind', 'counted', 'ends'],
}

export function checkSchedule(schedule: Schedule): void {
  requireOptions('schedule', schedule, entryOf(OPTIONS, schedule?.kind) ?? ['kind', 'counted'])
  const counted: unknown = schedule.counted
  if (counted !== undefined && counted !== 'decisions' && counted !== 'closed') {
    invalidOption('schedule.counted', '"decisions" or "closed"', counted)
  }
  switch (schedule.kind) {
    case 'doubling':
      return
    case 'growth':
      if (schedule.first !== undefined) requireInteger('schedule.first', schedule.first, 1)
      if (schedule.longest !== undefined) requireInteger('schedule.longest', schedule.longest, 1)
      requireFinite('schedule.factor', schedule.factor)
      if (schedule.factor <= 1) invalidOption('schedule.factor', '> 1', schedule.factor)
      return
    case 'fixed':
      requireInteger('schedule.length', schedule.length, 1)
      return
    case 'list': {
      let before = 0
      if (!Array.isArray(schedule.ends)) invalidOption('schedule.ends', 'a list of round numbers', schedule.ends)
      for (const end of schedule.ends) {
        requireInteger('schedule.ends', end, before + 1)
        before = end
      }
      return
    }
    default:
      invalidOption('schedule.kind', '"doubling", "growth", "fixed" or "list"', (schedule as { kind?: unknown }).kind)
  }
}

/** The schedule with what depends on how many rounds count filled in. */
export function resolveSchedule(schedule: Schedule, memory: number): Schedule {
  if (schedule.kind !== 'growth') return schedule
  const { first = FIRST, factor, longest } = schedule
  const cap = longest ?? (Number.isFinite(memory) ? Math.max(1, Math.floor((factor - 1) * memory)) : undefined)
  return { ...schedule, first, ...(cap === undefined ? {} : { longest: cap }) }
}

/** beta_s for s >= 1; Infinity when epoch s never ends. */
export function epochEnd(schedule: Schedule, epoch: number): number {
  switch (schedule.kind) {
    case 'doubling':
      return 2 ** epoch
    case 'fixed':
      return epoch * schedule.length
    case 'list':
      return schedule.ends[epoch - 1] ?? Number.POSITIVE_INFINITY
    case 'growth': {
      const { factor, longest = Number.POSITIVE_INFINITY } = schedule
      let end = schedule.first ?? FIRST
      for (let s = 1; s < epoch; s++) end = Math.min(end + longest, Math.max(end + 1, Math.floor(factor * end)))
      return end
    }
  }
}

/** The epoch that `count` finished rounds lead into, starting the search at `epoch`: several ends due at once become one. */
export function epochAfter(schedule: Schedule, epoch: number, count: number): number {
  let next = epoch
  while (epochEnd(schedule, next) <= count) next++
  return next
}
