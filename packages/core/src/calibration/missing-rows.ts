// The rows that guards look at: closed rounds in which exactly one covariate was missing and the pre-trained model said
// something, with the reward that came back. Their rewards say something about the missing value (SPEC D5): the reward
// model of the complete rounds is right whatever made the value go missing, as long as that did not depend on the noise.

import { blockParts, type RoundRange } from '../data/block-parts.js'
import type { Encoding } from '../data/encoding.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../data/round-table.js'
import type { InputRow } from '../oracle/oracle.js'

/** One row in buffers of its own, so that values can be tried in place of the missing one. */
export interface MissingRow extends InputRow {
  readonly modelSd: Float64Array
  action: number
  reward: number
  /** g~(x), inside units. */
  pretrained: number
}

/** Visits the rows where numeric covariate `which` alone is missing; the row object is the same each time. */
export function forEachMissing(
  table: RoundTable,
  range: RoundRange,
  encoding: Encoding,
  which: number,
  visit: (row: MissingRow) => void,
): void {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = table.shape
  const at = encoding.covariates[which]!.at
  const row: MissingRow = {
    context: new Float64Array(p),
    covariates: new Float64Array(m),
    observed: new Uint8Array(c),
    modelSd: new Float64Array(c),
    action: 0,
    reward: 0,
    pretrained: 0,
  }
  for (const { block, start, end } of blockParts(table, range)) {
    for (let i = start; i < end; i++) {
      if (block.status[i] !== RoundStatus.closed || !onlyMissing(block, i, c, which)) continue
      const pretrained = block.pretrained[i * m + at]!
      if (Number.isNaN(pretrained)) continue
      for (let k = 0; k < p; k++) row.context[k] = block.context[i * p + k]!
      for (let k = 0; k < m; k++) row.covariates[k] = block.covariates[i * m + k]!
      for (let k = 0; k < c; k++) row.observed[k] = k === which ? 0 : 1
      for (let k = 0; k < c; k++) row.modelSd[k] = block.modelSd === null ? Number.NaN : block.modelSd[i * c + k]!
      row.action = block.action[i]!
      row.reward = block.reward[i]!
      row.pretrained = pretrained
      visit(row)
    }
  }
}

function onlyMissing(block: RoundBlock, row: number, covariateCount: number, which: number): boolean {
  for (let k = 0; k < covariateCount; k++) {
    const seen = block.observed[row * covariateCount + k] === Observed.atDecision
    if (seen === (k === which)) return false
  }
  return true
}
