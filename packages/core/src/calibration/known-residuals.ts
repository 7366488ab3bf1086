// Residuals z - g-hat(x) of a numeric covariate on the newest closed rounds whose value was known at the decision.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { EncodedCovariate, Encoding } from '../problem/encoding.js'
import { fitModelSd, type ModelSdUse } from '../residuals/model-sd.js'
import { spreadScale } from '../residuals/residual-moments.js'
import { fitLogVariance } from '../residuals/residual-variance.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import type { InputBasis } from './input-basis.js'
import type { LadderFit } from './ladder.js'
import { foldOfRound } from './ladder-sums.js'
import { compileMap, type MonotoneMap } from './monotone-map.js'

/** Enough for 16 quantiles, and so few that a fit does not notice. */
const MAX_ROWS = 512

/** `coefficients` may be those of a prefix of the basis; with `bySd`, residuals in units of what the model's sd says. */
export function knownResiduals(
  table: RoundTable,
  { from, to }: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: InputBasis,
  coefficients: readonly number[],
  bySd?: ModelSdUse,
  map?: MonotoneMap,
): Float64Array {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const found = new Float64Array(MAX_ROWS)
  const b = new Float64Array(basis.columns)
  const moved = compileMap(map)
  let count = 0
  for (let round = to - 1; round >= from && count < MAX_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) continue
    const at = row * covariateWidth + covariate.at
    const pretrained = block.pretrained[at]!
    if (Number.isNaN(pretrained)) continue
    basis.expandAt(block.context, row * contextWidth, block.pretrained, at, b, 0)
    let predicted = pretrained + moved(pretrained)
    for (let k = 0; k < coefficients.length; k++) predicted += coefficients[k]! * b[k]!
    found[count] = block.covariates[at]! - predicted
    if (bySd !== undefined) {
      const sd = block.modelSd?.[row * covariateCount + which]
      found[count] = found[count]! / spreadScale({ bySd }, block.context, row * contextWidth, sd)
    }
    count++
  }
  return found.slice(0, count)
}

/** Rows that a variance function is fitted on. */
const VARIANCE_ROWS = 4096

/** How the residual's variance varies from row to row. */
export interface VariableSpread {
  readonly logVariance?: readonly number[]
  readonly bySd?: ModelSdUse
}

/** From held-out residuals (each row judged by the other fold): by the context, by the model's own sd, or not at all. */
export function knownSpread(
  table: RoundTable,
  { from, to }: RoundRange,
  { covariates }: Encoding,
  which: number,
  basis: InputBasis,
  fit: Pick<LadderFit, 'byFold' | 'shrinkage' | 'residualVariance' | 'mapByFold'>,
  residuals: 'model' | 'log-linear',
): VariableSpread {
  const { contextWidth: p, covariateWidth, covariateCount } = table.shape
  const first = Math.floor(from / BLOCK_ROUNDS)
  // The usual case costs nothing: no model says how sure it is.
  if (residuals === 'model' && !table.blocks.slice(first).some(({ modelSd }) => modelSd !== null)) return {}
  const { byFold, shrinkage, residualVariance, mapByFold } = fit
  const moved = [compileMap(mapByFold?.[0]), compileMap(mapByFold?.[1])]
  const b = new Float64Array(basis.columns)
  const squares: number[] = []
  const contexts: number[] = []
  const sds: number[] = []
  for (let round = to - 1; round >= from && squares.length < VARIANCE_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) continue
    const at = row * covariateWidth + covariates[which]!.at
    if (Number.isNaN(block.pretrained[at])) continue
    basis.expandAt(block.context, row * p, block.pretrained, at, b, 0)
    const beta = byFold[0]![1 - foldOfRound(round)]!
    let predicted = block.pretrained[at]! + moved[1 - foldOfRound(round)]!(block.pretrained[at]!)
    for (let k = 0; k < beta.length; k++) predicted += shrinkage * beta[k]! * b[k]!
    squares.push((block.covariates[at]! - predicted) ** 2)
    for (let k = 0; k < p; k++) contexts.push(block.context[row * p + k]!)
    sds.push(block.modelSd === null ? Number.NaN : block.modelSd[row * covariateCount + which]!)
  }
  if (squares.length === 0) return {}
  const x = Float64Array.from(contexts)
  const logVariance = residuals === 'log-linear' ? fitLogVariance(Float64Array.from(squares), x, p) : null
  // What the context explains already is not the model's to explain.
  const left = squares.map((square, i) =>
    logVariance === null ? square : square / spreadScale({ logVariance }, x, i * p) ** 2,
  )
  const told = sds.flatMap((sd, i) => (Number.isNaN(sd) ? [] : [i]))
  const bySd = fitModelSd(
    Float64Array.from(told, (i) => left[i]!),
    Float64Array.from(told, (i) => sds[i]!),
    residualVariance[0]!,
  )
  return { ...(logVariance === null ? {} : { logVariance }), ...(bySd === null ? {} : { bySd }) }
}
