// Mean imputation: the mean of the values that were seen at the decision in the window, per column of the covariate.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { ConstantImputation } from '../calibration/correction.js'
import type { EncodedCovariate } from '../problem/encoding.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'

/** undefined: none was seen. */
export function observedMean(
  rounds: RoundTable,
  { from, to }: RoundRange,
  covariate: EncodedCovariate,
  which: number,
): ConstantImputation | undefined {
  const { covariateWidth, covariateCount } = rounds.shape
  const values = new Float64Array(covariate.width)
  let count = 0
  for (let round = from; round < to; round++) {
    const block = rounds.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) continue
    count++
    for (let k = 0; k < values.length; k++)
      values[k] = values[k]! + block.covariates[row * covariateWidth + covariate.at + k]!
  }
  return count === 0 ? undefined : { kind: 'constant', values: Array.from(values, (value) => value / count) }
}
