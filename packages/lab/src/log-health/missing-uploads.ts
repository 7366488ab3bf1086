// Decisions of callers that decide themselves which are missing between others of the same run.

import { type UploadGaps, uploadTotals } from '@primo/core/ledger'
import { count, type LogFinding, listed, ok, percent, warning } from './log-finding.js'

/** None where no decision was uploaded. */
export function missingUploads(gaps: UploadGaps): readonly LogFinding[] {
  const { decisions, missing } = uploadTotals(gaps)
  if (decisions === 0) return []
  const all = `${count(decisions, 'decision')} of local callers`
  if (missing === 0) return [ok('missing uploads', `No number is missing between ${all}.`)]
  const from = Object.entries(gaps.callers).filter((caller) => caller[1].missing > 0)
  const share = percent(missing / (decisions + missing))
  return [
    warning(
      'missing uploads',
      `Beside ${all}, ${missing.toLocaleString('en')} (${share}) are missing: ${listed(from.map(([name, tally]) => `${name} ${tally.missing}`))}.`,
      'Their rewards may differ from those in the log: find out how they got lost before you evaluate.',
    ),
  ]
}
