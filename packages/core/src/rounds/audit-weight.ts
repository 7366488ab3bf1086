// With which probability an audit asked for a truth (method#audits).

import { type AuditSpec, LEAST_SHARE, meanShare } from '../problem/audit-spec.js'
import type { RoundBlock } from './round-table.js'

/** The probability with which an asked row was asked; `at`: row * covariateCount + which. */
export function askedWith(audit: AuditSpec, block: RoundBlock, at: number): number {
  return block.askProbability?.[at] || meanShare(audit)
}

/** The smallest probability of asking. */
export function leastProbability(audit: AuditSpec): number {
  return audit.share ?? LEAST_SHARE * audit.budget
}
