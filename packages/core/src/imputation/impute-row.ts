// z-tilde of one round under the newest models: for every covariate that was missing at the decision, the pre-trained
// value with its correction, or a constant; observed values and fallbacks stay what they are.

import { type Corrector, type CovariateModel, compileCorrection, isCorrection } from '../calibration/correction.js'
import type { Encoding } from '../problem/encoding.js'
import type { ModelCompiler } from '../regression/function-class.js'
import { Observed, type RoundBlock } from '../rounds/round-table.js'

/** Writes the missing covariates of block row `row` to out[to ...], a row of covariate columns. */
export type RowImputer = (block: RoundBlock, row: number, out: Float64Array, to: number) => void

export function compileImputation(
  encoding: Encoding,
  models: readonly (CovariateModel | null)[],
  clip: 'range' | 'none',
  compile?: ModelCompiler,
): RowImputer {
  const { contextWidth, covariateWidth, covariates } = encoding
  const count = covariates.length
  const at = Int32Array.from(covariates, (covariate) => covariate.at)
  const widths = Int32Array.from(covariates, (covariate) => covariate.width)
  const correctors: readonly (Corrector | null)[] = covariates.map((covariate, which) => {
    const model = models[which]
    return isCorrection(model) ? compileCorrection(model, encoding.context, covariate, clip, compile) : null
  })
  const constants = covariates.map((_, which) => {
    const model = models[which]
    return model?.kind === 'constant' ? Float64Array.from(model.values) : null
  })
  return (block, row, out, to) => {
    for (let which = 0; which < count; which++) {
      if (block.observed[row * count + which] === Observed.atDecision) continue
      const column = at[which]!
      const from = row * covariateWidth + column
      const constant = constants[which]
      if (constant != null) {
        for (let k = 0; k < constant.length; k++) out[to + column + k] = constant[k]!
        continue
      }
      // Without a prediction the row keeps the fallback that was written with it.
      if (Number.isNaN(block.pretrained[from])) continue
      for (let k = 0; k < widths[which]!; k++) out[to + column + k] = block.pretrained[from + k]!
      correctors[which]?.(block.context, row * contextWidth, out, to + column)
    }
  }
}
