// z-tilde of many rounds under the newest models: what impute-row.ts writes for one, to the bit, for a list of a block's rows. A
// number with a correction by a basis is filled for all rows at once; other covariates row by row. Loops are functions of the module, not of
// a compiled model: engines forget the machine code of closures that are made anew with each.

import {
  type Corrector,
  type CovariateModel,
  compileCorrection,
  compileRowsCorrection,
  isCorrection,
  type RowsCorrector,
} from '../calibration/correction.js'
import type { EncodedCovariate, Encoding } from '../problem/encoding.js'
import type { ModelCompiler } from '../regression/function-class.js'
import { Observed, type RoundBlock } from '../rounds/round-table.js'

/** Writes the missing covariates of block rows rows[0], rows[1], ... to the same rows of `out`, covariate columns of a whole block. */
export type RowsImputer = (block: RoundBlock, rows: Int32Array, count: number, out: Float64Array) => void

export function compileRowsImputation(
  encoding: Encoding,
  models: readonly (CovariateModel | null)[],
  clip: 'range' | 'none',
  compile?: ModelCompiler,
): RowsImputer {
  const parts = encoding.covariates.map((covariate, which) =>
    covariateImputer(encoding, covariate, which, models[which] ?? null, clip, compile),
  )
  if (parts.length === 1) return parts[0]!
  return (block, rows, count, out) => {
    for (const impute of parts) impute(block, rows, count, out)
  }
}

/** Rows that are filled before the next ones. */
const CHUNK = 64

/** How one covariate is filled: by a constant, by a correction for many rows or for one, or by g~ as it is. */
interface Filling {
  readonly which: number
  readonly at: number
  readonly width: number
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly covariateCount: number
  readonly constant: Float64Array | null
  readonly together: RowsCorrector | null
  readonly corrector: Corrector | null
  /** Rows that wait for `together`, and their values. */
  readonly chosen: Int32Array
  readonly values: Float64Array
}

function covariateImputer(
  encoding: Encoding,
  covariate: EncodedCovariate,
  which: number,
  model: CovariateModel | null,
  clip: 'range' | 'none',
  compile: ModelCompiler | undefined,
): RowsImputer {
  const { contextWidth, covariateWidth, context, covariates } = encoding
  const correction = isCorrection(model) ? model : null
  const together = correction === null ? null : compileRowsCorrection(correction, context, covariate, clip, CHUNK)
  const filling: Filling = {
    which,
    at: covariate.at,
    width: covariate.width,
    contextWidth,
    covariateWidth,
    covariateCount: covariates.length,
    constant: model?.kind === 'constant' ? Float64Array.from(model.values) : null,
    together,
    corrector:
      correction === null || together !== null
        ? null
        : compileCorrection(correction, context, covariate, clip, compile),
    chosen: new Int32Array(CHUNK),
    values: new Float64Array(CHUNK),
  }
  return (block, rows, count, out) => fill(filling, block, rows, count, out)
}

function fill(filling: Filling, block: RoundBlock, rows: Int32Array, count: number, out: Float64Array): void {
  const { which, at, width, contextWidth, covariateWidth, covariateCount } = filling
  const { constant, together, corrector, chosen } = filling
  const { observed, pretrained } = block
  let waiting = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    if (observed[row * covariateCount + which] === Observed.atDecision) continue
    const to = row * covariateWidth + at
    if (constant !== null) {
      for (let k = 0; k < constant.length; k++) out[to + k] = constant[k]!
      continue
    }
    // Without a prediction the row keeps the fallback that was written with it.
    if (Number.isNaN(pretrained[to])) continue
    if (together !== null) {
      chosen[waiting++] = row
      if (waiting < CHUNK) continue
      fillTogether(filling, block, waiting, out)
      waiting = 0
      continue
    }
    for (let k = 0; k < width; k++) out[to + k] = pretrained[to + k]!
    corrector?.(block.context, row * contextWidth, out, to)
  }
  if (waiting > 0) fillTogether(filling, block, waiting, out)
}

function fillTogether(filling: Filling, { pretrained, context }: RoundBlock, count: number, out: Float64Array): void {
  const { at, contextWidth, covariateWidth, together, chosen, values } = filling
  for (let i = 0; i < count; i++) values[i] = pretrained[chosen[i]! * covariateWidth + at]!
  together!(context, contextWidth, chosen, count, values)
  for (let i = 0; i < count; i++) out[chosen[i]! * covariateWidth + at] = values[i]!
}
