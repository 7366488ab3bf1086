// Callers that decide themselves number their decisions: CALLER~RUN~COUNTER, from 0 in every run, in base 36. A counter
// below the highest one of its run that has not arrived was decided and never uploaded, or was refused.

/** Uploaded decisions by caller, and how many are missing between them. JSON, bounded in size. */
export interface UploadGaps {
  readonly callers: Record<string, { decisions: number; missing: number }>
  /** By caller and run, least recently used first: the counter that comes next. */
  readonly next: Record<string, number>
  /** Runs up to this one in order may have been left out of `next`. An unknown one of them may begin at any counter. */
  leftOut: string
}

/** About 16 kB of JSON. */
const MOST_RUNS = 500
/** Decisions of further callers count for `other`. */
const MOST_CALLERS = 100

/** `leftOut`: runs up to this name, in order, may have begun before; default: none has. */
export function noUploadGaps(leftOut = ''): UploadGaps {
  return { callers: {}, next: {}, leftOut }
}

/** Counts an uploaded decision; false: the id is not one of a caller that decides itself. */
export function countUpload(gaps: UploadGaps, id: string): boolean {
  const [caller, run, counter, more] = id.split('~')
  if (counter === undefined || more !== undefined || !/^[0-9a-z]+$/.test(counter)) return false
  const { callers, next } = gaps
  const at = Number.parseInt(counter, 36)
  const key = `${caller}~${run}`
  const known = next[key]
  const expected = known ?? (run! <= gaps.leftOut ? at : 0)
  const isFree = Object.hasOwn(callers, caller!) || (Object.keys(callers).length < MOST_CALLERS && !(caller! in {}))
  const name = isFree ? caller! : 'other'
  callers[name] ??= { decisions: 0, missing: 0 }
  const tally = callers[name]
  tally.decisions++
  tally.missing = Math.max(0, tally.missing + (at < expected ? -1 : at - expected))
  if (known !== undefined) delete next[key]
  else if (Object.keys(next).length >= MOST_RUNS) leaveOutOldest(gaps)
  next[key] = Math.max(expected, at + 1)
  return true
}

/** A run's name begins with the time of its start: one that is unknown later and sorts behind is new. */
function leaveOutOldest(gaps: UploadGaps): void {
  const [oldest] = Object.keys(gaps.next)
  delete gaps.next[oldest!]
  const run = oldest!.split('~')[1]!
  if (run > gaps.leftOut) gaps.leftOut = run
}

/** Of all callers. */
export function uploadTotals({ callers }: UploadGaps): { readonly decisions: number; readonly missing: number } {
  const all = Object.values(callers)
  const sumOf = (field: 'decisions' | 'missing') => all.reduce((sum, tally) => sum + tally[field], 0)
  return { decisions: sumOf('decisions'), missing: sumOf('missing') }
}
