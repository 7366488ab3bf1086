// One sentence over all claims of a study.

import type { Verdict } from '../studies/study.js'

/** "All 8 claims held.", "6 of 8 claims held; not: ..." */
export function closingSentence(verdicts: readonly Verdict[]): string {
  const count = verdicts.length
  if (count === 0) return 'No claim was put to the test.'
  const failed = verdicts.filter(({ held }) => !held)
  if (failed.length === 0) return count === 1 ? 'The claim held.' : `All ${count} claims held.`
  const held = failed.length === count ? `None of ${count} claims` : `${count - failed.length} of ${count} claims`
  const what = failed.map(({ sentence }) => sentence.replace(/\.$/, '')).join('; ')
  return `${count === 1 ? 'The claim did not hold' : `${held} held; not`}: ${what}.`
}
