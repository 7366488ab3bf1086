// Residuals z - g-hat(x) of a numeric covariate on the newest closed rounds whose value was known at the decision.

import { type CorrectionBasis, correctionBasis } from '../calibration/correction-basis.js'
import type { LadderFit } from '../calibration/ladder.js'
import { foldOfRound } from '../calibration/ladder-sums.js'
import type { RoundRange } from '../data/block-parts.js'
import type { EncodedCovariate, Encoding } from '../data/encoding.js'
import { Observed, RoundStatus, type RoundTable } from '../data/round-table.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import { fitLogVariance } from './residual-variance.js'

/** Enough for 16 quantiles, and so few that a fit does not notice. */
const MOST_ROWS = 512

/** `coefficients` may be those of a prefix of the basis. */
export function knownResiduals(
  table: RoundTable,
  { from, to }: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: CorrectionBasis,
  coefficients: readonly number[],
): Float64Array {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const found = new Float64Array(MOST_ROWS)
  const b = new Float64Array(basis.columns)
  let count = 0
  for (let round = to - 1; round >= from && count < MOST_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) continue
    const at = row * covariateWidth + covariate.at
    const pretrained = block.pretrained[at]!
    if (Number.isNaN(pretrained)) continue
    basis.expand(block.context, row * contextWidth, b, 0)
    let predicted = pretrained
    for (let k = 0; k < coefficients.length; k++) predicted += coefficients[k]! * b[k]!
    found[count++] = block.covariates[at]! - predicted
  }
  return found.slice(0, count)
}

/** Rows that a variance function is fitted on. */
const VARIANCE_ROWS = 4096

/** v(x) of the residual variance from held-out residuals (each row judged by the other fold); null: too few rows. */
export function knownLogVariance(
  table: RoundTable,
  { from, to }: RoundRange,
  { context, covariates }: Encoding,
  which: number,
  { byFold, shrinkage, rung }: Pick<LadderFit, 'byFold' | 'shrinkage' | 'rung'>,
): readonly number[] | null {
  const { contextWidth: p, covariateWidth, covariateCount } = table.shape
  const basis = correctionBasis(rung, context)
  const b = new Float64Array(basis.columns)
  const squares: number[] = []
  const contexts: number[] = []
  for (let round = to - 1; round >= from && squares.length < VARIANCE_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) continue
    const at = row * covariateWidth + covariates[which]!.at
    if (Number.isNaN(block.pretrained[at])) continue
    basis.expand(block.context, row * p, b, 0)
    const beta = byFold[0]![1 - foldOfRound(round)]!
    let predicted = block.pretrained[at]!
    for (let k = 0; k < beta.length; k++) predicted += shrinkage * beta[k]! * b[k]!
    squares.push((block.covariates[at]! - predicted) ** 2)
    for (let k = 0; k < p; k++) contexts.push(block.context[row * p + k]!)
  }
  return squares.length === 0 ? null : fitLogVariance(Float64Array.from(squares), Float64Array.from(contexts), p)
}
