// The audited rows of a covariate with one column, one by one: B(x), z - g~, z - z~ as the decision used it, and pi, the probability with which
// the truth was asked for. They are few.

import type { EncodedCovariate } from '../problem/encoding.js'
import { askedWith } from '../rounds/audit-weight.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import type { CorrectionBasis } from './correction-basis.js'

export interface AuditedRows {
  readonly count: number
  /** B, row-major. */
  readonly columns: Float64Array
  /** z - g~. */
  readonly residuals: Float64Array
  readonly probabilities: Float64Array
}

export function auditedRows(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: CorrectionBasis,
): AuditedRows {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const audit = covariate.feature.audit!
  const rows: number[] = []
  const residuals: number[] = []
  const probabilities: number[] = []
  const row = new Float64Array(basis.columns)
  for (const { block, start, end } of blockParts(table, range)) {
    for (let i = start; i < end; i++) {
      const at = i * covariateWidth + covariate.at
      const flag = i * covariateCount + which
      if (block.observed[flag] !== Observed.audited || block.status[i] !== RoundStatus.closed) continue
      if (Number.isNaN(block.pretrained[at])) continue
      basis.expand(block.context, i * contextWidth, row, 0)
      rows.push(...row)
      residuals.push(block.revealed![at]! - block.pretrained[at]!)
      probabilities.push(askedWith(audit, block, flag))
    }
  }
  return {
    count: residuals.length,
    columns: Float64Array.from(rows),
    residuals: Float64Array.from(residuals),
    probabilities: Float64Array.from(probabilities),
  }
}
