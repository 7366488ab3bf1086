// One sentence over all claims of a study.

import type { StudyResult } from './study.js'

/** "All 8 claims held.", "6 of 8 claims held; not: ..."; a quick run says that it is one. */
export function closingSentence(result: Pick<StudyResult, 'verdicts' | 'settings' | 'conclusion'>): string {
  const { verdicts, settings, conclusion } = result
  if (conclusion !== undefined) return conclusion
  const count = verdicts.length
  if (count === 0) return 'No claim was put to the test.'
  const failed = verdicts.filter(({ held }) => !held).map(({ sentence }) => sentence.replace(/\.$/, ''))
  const which = failed.length === 0 ? '' : `${count === 1 ? '' : '; not'}: ${failed.join('; ')}`
  const sentence = `${heldOf(count - failed.length, count)}${which}.`
  return settings.scale === 'quick' ? `At quick scale ${sentence[0]!.toLowerCase()}${sentence.slice(1)}` : sentence
}

function heldOf(held: number, count: number): string {
  if (count === 1) return held === 1 ? 'The claim held' : 'The claim did not hold'
  if (held === count) return count === 2 ? 'Both claims held' : `All ${count} claims held`
  return held === 0 ? `None of ${count} claims held` : `${held} of ${count} claims held`
}
