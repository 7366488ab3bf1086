// How much of the past counts: all of it, the newest rounds of a window, or what a half-life leaves. Where it is bounded, what
// is done at a growth of the data (refit, calibrate, test) is done when that much of what counts is new.

import type { RoundRange } from '../rounds/block-parts.js'
import type { EpochReport } from './epoch-state.js'
import type { Window } from './profiles.js'

/** Rounds that count, their weights summed; Infinity when none is forgotten. */
export function memoryOf({ window, halfLife }: { readonly window: Window; readonly halfLife: number | null }): number {
  const inWindow = typeof window === 'object' ? window.rounds : Number.POSITIVE_INFINITY
  return Math.min(inWindow, halfLife === null ? Number.POSITIVE_INFINITY : halfLife / Math.LN2)
}

/** Rounds decided since the newest end of an epoch whose report is such; all of them when there is none. */
export function roundsSince(
  reports: readonly EpochReport[],
  decided: number,
  such: (report: EpochReport) => boolean,
): number {
  return decided - (reports.findLast(such)?.window.to ?? 0)
}

/** Where old rounds count less, those of the last three half-lives: what is looked at again looks at them. */
export function recentRange({ from, to }: RoundRange, halfLife: number | null): RoundRange {
  return { from: halfLife === null ? from : Math.max(from, to - Math.ceil(3 * halfLife)), to }
}

/** D_s: the rounds that a fit uses at an end after `decided` rounds, the epoch that ends having begun at `start`. */
export function memoryRange(window: Window, start: number, decided: number): RoundRange {
  if (window === 'last') return { from: start, to: decided }
  return { from: window === 'all' ? 0 : Math.max(0, decided - window.rounds), to: decided }
}
