// How much of the past counts: all of it, or the newest rounds of a window.

import type { RoundRange } from '../rounds/block-parts.js'
import type { Window } from './profiles.js'

/** Rounds that count; Infinity when none is left out. */
export function memoryOf(window: Window): number {
  return typeof window === 'object' ? window.rounds : Number.POSITIVE_INFINITY
}

/** D_s: the rounds that a fit uses at an end after `decided` rounds, the epoch that ends having begun at `start`. */
export function memoryRange(window: Window, start: number, decided: number): RoundRange {
  if (window === 'last') return { from: start, to: decided }
  return { from: window === 'all' ? 0 : Math.max(0, decided - window.rounds), to: decided }
}
