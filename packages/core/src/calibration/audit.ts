// What audited rows say (method#audits). An audited row was missing at the decision, was asked for with a probability pi that is known
// before, and its truth came back; so audited rows, weighted by 1/pi, stand for all missing rows whatever made the values go
// missing. With a share the weights are equal and 1; with a budget they add up to the effective number of rows: a ridge counts those.
//   claim: held while requests are answered; dropped when the one-sided 99% upper limit (Wilson) of the response rate is below
//   0.95, because who answers may depend on the value. Without the claim audited rows are not learnt from.
//   test and limits: audit-test.ts, audit-limits.ts.

import type { AuditSpec } from '../problem/audit-spec.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import type { AuditLimits } from './audit-limits.js'
import type { AuditTest } from './audit-test.js'

/** Response rates whose upper limit is below this are "clearly below 1". */
const LOWEST_RESPONSE = 0.95
/** Audited rows from which they are learnt from. */
const AUDIT_ROWS = 32
/** One-sided 99% point of the standard normal. */
const ONE_SIDED = 2.3263

export interface AuditCounts {
  /** Requests that are due, and truths that came back for them. */
  readonly asked: number
  readonly answered: number
}

export type AuditClaim = 'held' | 'dropped' | 'too-few-rows'

export interface AuditReport extends AuditCounts {
  readonly share: number
  /** null: nothing was asked. */
  readonly responseRate: number | null
  readonly claim: AuditClaim
  /** Where the claim is dropped: rounds to allow for an answer with which it would hold; absent: there are none. */
  readonly holdsWithin?: number
  readonly test: AuditTest | null
  /** Limits for the models' mean errors on missing rows; null: the claim does not hold, or a category. */
  readonly limits: AuditLimits | null
}

/** Requests still under way (newer than `within` rounds) and their answers are left out: quick answers may be special. */
export function dueRange({ from, to }: RoundRange, { within = 0 }: AuditSpec): RoundRange {
  return { from, to: Math.max(from, to - within) }
}

export function auditCounts(table: RoundTable, range: RoundRange, which: number): AuditCounts {
  const { covariateCount } = table.shape
  let asked = 0
  let answered = 0
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      if (block.status[row] !== RoundStatus.closed) continue
      const flag = block.observed[row * covariateCount + which]
      if (flag === Observed.audited) answered++
      if (flag === Observed.audited || flag === Observed.asked) asked++
    }
  }
  return { asked, answered }
}

/** The least of 64, 128, ... rounds that answers need, if with it the claim holds; null: truths do not come late, they do not come. */
export function answersNeed(table: RoundTable, range: RoundRange, which: number): number | null {
  for (let within = 64; within < range.to - range.from; within *= 2) {
    if (auditClaim(auditCounts(table, dueRange(range, { share: 1, within }), which)) === 'held') return within
  }
  return null
}

export function auditClaim({ asked, answered }: AuditCounts): AuditClaim {
  if (asked > 0 && responseLimit(answered, asked) < LOWEST_RESPONSE) return 'dropped'
  return answered < AUDIT_ROWS ? 'too-few-rows' : 'held'
}

/** One-sided upper 99% limit of the response rate (Wilson). */
export function responseLimit(answered: number, asked: number): number {
  const rate = answered / asked
  const z2 = ONE_SIDED * ONE_SIDED
  const centre = rate + z2 / (2 * asked)
  const half = ONE_SIDED * Math.sqrt((rate * (1 - rate) + z2 / (4 * asked)) / asked)
  return Math.min(1, (centre + half) / (1 + z2 / asked))
}
