// The rows a report looks at: copies of the newest closed rounds that the state was learnt from. A report may decide and fill
// them as it likes; the log stays as it is.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { Observed, type RoundBlock, RoundStatus, RoundTable, reasonsOf } from '../rounds/round-table.js'

/** One block: enough for intervals of a few percent, and a report takes a fraction of a second. */
const REPORT_ROWS = BLOCK_ROUNDS

export interface ReportSample {
  readonly count: number
  /** Rows 0 to count - 1, oldest first. */
  readonly block: RoundBlock
}

export function reportSample(table: RoundTable, before: number): ReportSample {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = table.shape
  const found: number[] = []
  for (let round = Math.min(before, table.count) - 1; round >= 0 && found.length < REPORT_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    if (block.status[round % BLOCK_ROUNDS] === RoundStatus.closed) found.push(round)
  }
  found.reverse()
  const copy = new RoundTable(table.shape)
  copy.append()
  const block = copy.blocks[0]!
  found.forEach((round, i) => {
    const from = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    block.context.set(from.context.subarray(row * p, (row + 1) * p), i * p)
    block.covariates.set(from.covariates.subarray(row * m, (row + 1) * m), i * m)
    block.pretrained.set(from.pretrained.subarray(row * m, (row + 1) * m), i * m)
    for (let k = 0; k < c; k++) block.observed[i * c + k] = from.observed[row * c + k]!
    if (from.reasons !== null) reasonsOf(block, table.shape).set(from.reasons.subarray(row * c, (row + 1) * c), i * c)
    block.action[i] = from.action[row]!
    block.reward[i] = from.reward[row]!
  })
  return { count: found.length, block }
}

export function wasObserved(sample: ReportSample, row: number, which: number, covariateCount: number): boolean {
  return sample.block.observed[row * covariateCount + which] === Observed.atDecision
}
