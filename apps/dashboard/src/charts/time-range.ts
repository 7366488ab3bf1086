// Which stretch of time the charts of a problem show: one that moves along, or a fixed one.

import type { HistoryRange } from '@primo/contract'
import type { Range } from './frame.js'

export type TimeRange = { readonly kind: HistoryRange } | ({ readonly kind: 'custom' } & Range)

export const ALL_TIME: TimeRange = { kind: 'all' }

const MINUTE = 60_000
const RECENT = 15 * MINUTE
const DAY = 24 * 60 * MINUTE

/** For the address: `all`, or the two ends in milliseconds. */
export function rangeText(range: TimeRange): string {
  return range.kind === 'custom' ? `${Math.round(range.from)}-${Math.round(range.to)}` : range.kind
}

export function rangeFromText(text: string | null): TimeRange {
  if (text === 'recent' || text === 'day') return { kind: text }
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? []
  return from === undefined || Number(to) <= Number(from)
    ? ALL_TIME
    : { kind: 'custom', from: Number(from), to: Number(to) }
}

/** The finest history that reaches back far enough. */
export function historyRangeOf(range: TimeRange, now: number): HistoryRange {
  if (range.kind !== 'custom') return range.kind
  const age = now - range.from
  return age <= RECENT ? 'recent' : age <= DAY ? 'day' : 'all'
}

/** What the charts are zoomed to; null: all that the history has. */
export function shownPart(range: TimeRange): Range | null {
  return range.kind === 'custom' ? { from: range.from, to: range.to } : null
}
