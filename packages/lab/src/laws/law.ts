// How a suite of laws speaks: the first law that is broken is an error whose sentence names it.

import { PrimoError } from '@primo/numeric'

/** Throws unless `kept`. `law` completes the sentence "<who> must ...". */
export function keep(who: string, law: string, kept: boolean, got: unknown): void {
  if (!kept) throw new PrimoError('broken-law', `${who} must ${law}, got ${String(got)}`, { who, law })
}

/** The place of the first difference; -1: none. NaN equals NaN. */
export function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>, tolerance = 0): number {
  if (a.length !== b.length) return Math.min(a.length, b.length)
  for (let i = 0; i < a.length; i++)
    if (!(Math.abs(a[i]! - b[i]!) <= tolerance) && !Object.is(a[i]! + 0, b[i]! + 0)) return i
  return -1
}

export function keepEqual(who: string, law: string, a: ArrayLike<number>, b: ArrayLike<number>, tolerance = 0): void {
  const at = firstDifference(a, b, tolerance)
  keep(who, law, at < 0, at < 0 ? '' : `${a[at]} and ${b[at]}`)
}
