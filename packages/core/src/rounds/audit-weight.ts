// How much an audited row counts: b / pi, b the mean share asked for, so that asked rows stand for all missing ones (method#audits). In fits the
// weights add up to the effective number of rows, (sum w)^2 / sum w^2, so that a ridge counts those.

import { type AuditSpec, LEAST_SHARE, meanShare } from '../problem/audit-spec.js'
import { blockParts, type RoundRange } from './block-parts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from './round-table.js'

/** The probability with which an asked row was asked; `at`: row * covariateCount + which. */
export function askedWith(audit: AuditSpec, block: RoundBlock, at: number): number {
  return block.askProbability?.[at] || meanShare(audit)
}

/** 1 where every missing value was asked for alike. */
export function auditWeight(audit: AuditSpec, block: RoundBlock, at: number): number {
  return meanShare(audit) / askedWith(audit, block, at)
}

/** The smallest probability of asking. */
export function leastProbability(audit: AuditSpec): number {
  return audit.share ?? LEAST_SHARE * audit.budget
}

/** sum w / sum w^2 over the audited rows: times this, weights add up to the effective number of rows. */
export function effectiveScale(audit: AuditSpec, table: RoundTable, range: RoundRange, which: number): number {
  const { covariateCount } = table.shape
  let sum = 0
  let squares = 0
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      const at = row * covariateCount + which
      if (block.observed[at] !== Observed.audited || block.status[row] !== RoundStatus.closed) continue
      const weight = auditWeight(audit, block, at)
      sum += weight
      squares += weight * weight
    }
  }
  return squares === 0 ? 1 : sum / squares
}
