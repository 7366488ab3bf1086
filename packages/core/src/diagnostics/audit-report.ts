// An audit in an epoch's report: counts, whether truths can be learnt from, the test for missing at random, and limits for mean errors.

import { addRows, BLOCK_ROUNDS, emptySums, type Sums } from '@primo/numeric'
import { type AuditReport, answersNeed, auditClaim, auditCounts, dueRange } from '../calibration/audit.js'
import { auditLimits } from '../calibration/audit-limits.js'
import { auditTest } from '../calibration/audit-test.js'
import { auditedRows } from '../calibration/audited-rows.js'
import { type CorrectionBasis, correctionBasis } from '../calibration/correction-basis.js'
import type { Engine } from '../engine/engine.js'
import { meanShare } from '../problem/audit-spec.js'
import { revealsOf } from '../problem/problem.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { covariateRows } from '../rounds/covariate-rows.js'
import type { RoundTable } from '../rounds/round-table.js'

/** Rows seen at the decision that the test's fit needs. */
const FEWEST_SEEN = 8
/** Newest rounds that the fit looks at: a report takes a fraction of a second. */
const SEEN_ROUNDS = 2 ** 14

/** null: the covariate is not audited, or its reveals are not to be learnt from. */
export function auditReport(
  rounds: RoundTable,
  memory: RoundRange,
  { encoding }: Pick<Engine, 'encoding'>,
  which: number,
): AuditReport | null {
  const covariate = encoding.covariates[which]!
  const { audit } = covariate.feature
  if (audit === undefined || revealsOf(covariate.feature) !== 'random' || memory.to === 0) return null
  const range = dueRange(memory, audit)
  const counts = auditCounts(rounds, range, which)
  const claim = auditClaim(counts)
  const late = claim === 'dropped' ? answersNeed(rounds, memory, which) : null
  const isHeld = claim === 'held' && covariate.width === 1
  const basis = correctionBasis('rich', encoding.context)
  const newest = { from: Math.max(memory.from, memory.to - SEEN_ROUNDS), to: memory.to }
  const seen = isHeld ? seenSums(rounds, newest, covariate, which, basis) : null
  return {
    share: meanShare(audit),
    ...counts,
    responseRate: counts.asked === 0 ? null : counts.answered / counts.asked,
    claim,
    ...(late === null ? {} : { holdsWithin: late }),
    test:
      seen === null || seen.count < FEWEST_SEEN
        ? null
        : auditTest(seen, auditedRows(rounds, range, covariate, which, basis)),
    // All rounds, whatever the memory: the limits hold over all looks.
    limits: isHeld ? auditLimits(rounds, dueRange({ from: 0, to: memory.to }, audit), covariate, which) : null,
  }
}

/** Sums of [B, z - g~] over the rows seen at the decision. */
function seenSums(
  rounds: RoundTable,
  memory: RoundRange,
  covariate: Engine['encoding']['covariates'][number],
  which: number,
  { columns, expand }: CorrectionBasis,
): Sums {
  const { contextWidth, batches } = covariateRows(rounds, memory, covariate, which)
  const sums = emptySums(columns)
  const rows = new Float64Array(BLOCK_ROUNDS * (columns + 1))
  for (const { count, known, context, truth, pretrained } of batches) {
    let found = 0
    for (let row = 0; row < count; row++) {
      if (known[row] !== 1) continue
      expand(context, row * contextWidth, rows, found * (columns + 1))
      rows[found * (columns + 1) + columns] = truth[row]! - pretrained[row]!
      found++
    }
    addRows(sums, rows, 0, found, null, 0, rows)
  }
  return sums
}
