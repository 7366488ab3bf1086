// z-tilde of many rounds under the newest models: what impute-row.ts writes for one, to the bit, for a list of a block's rows. A
// number with a correction by a basis is filled for all rows at once; other covariates row by row.

import {
  type CovariateModel,
  compileCorrection,
  compileRowsCorrection,
  isCorrection,
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

function covariateImputer(
  encoding: Encoding,
  covariate: EncodedCovariate,
  which: number,
  model: CovariateModel | null,
  clip: 'range' | 'none',
  compile: ModelCompiler | undefined,
): RowsImputer {
  const { contextWidth, covariateWidth } = encoding
  const covariateCount = encoding.covariates.length
  const { at, width } = covariate
  const constant = model?.kind === 'constant' ? Float64Array.from(model.values) : null
  const correction = isCorrection(model) ? model : null
  const together =
    correction === null ? null : compileRowsCorrection(correction, encoding.context, covariate, clip, CHUNK)
  const corrector =
    correction === null || together !== null
      ? null
      : compileCorrection(correction, encoding.context, covariate, clip, compile)
  const chosen = new Int32Array(CHUNK)
  const values = new Float64Array(CHUNK)

  function fillTogether(block: RoundBlock, count: number, out: Float64Array): void {
    for (let i = 0; i < count; i++) values[i] = block.pretrained[chosen[i]! * covariateWidth + at]!
    together!(block.context, contextWidth, chosen, count, values)
    for (let i = 0; i < count; i++) out[chosen[i]! * covariateWidth + at] = values[i]!
  }

  return (block, rows, count, out) => {
    let waiting = 0
    for (let i = 0; i < count; i++) {
      const row = rows[i]!
      if (block.observed[row * covariateCount + which] === Observed.atDecision) continue
      const to = row * covariateWidth + at
      if (constant !== null) {
        for (let k = 0; k < constant.length; k++) out[to + k] = constant[k]!
        continue
      }
      // Without a prediction the row keeps the fallback that was written with it.
      if (Number.isNaN(block.pretrained[to])) continue
      if (together !== null) {
        chosen[waiting++] = row
        if (waiting < CHUNK) continue
        fillTogether(block, waiting, out)
        waiting = 0
        continue
      }
      for (let k = 0; k < width; k++) out[to + k] = block.pretrained[to + k]!
      corrector?.(block.context, row * contextWidth, out, to)
    }
    if (waiting > 0) fillTogether(block, waiting, out)
  }
}
