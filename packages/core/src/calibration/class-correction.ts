// A correction from a function class: g-hat(x) = g~(x) + sum_f scale_f h_f(x), the h_f being the fits of the folds. What h reads is
// the context, or g~(x) alone (a recalibration map, method#class-ball), which for the isotonic class is g itself: h = m(g~) - g~.

import type { EncodedFeature } from '../problem/encoding.js'
import { compileModel, type ModelCompiler } from '../regression/function-class.js'
import { compileUsable, type UsableModel } from '../regression/usable-fit.js'
import type { Corrector } from './correction.js'

export interface ClassPart {
  /** Includes the ball's scaling, the shrinkage and the share of the fold. */
  readonly scale: number
  readonly fitted: UsableModel
}

export interface ClassCorrection {
  readonly kind: 'class-correction'
  readonly class: string
  readonly input: 'context' | 'pretrained'
  /** Whether the models are of g itself rather than of h. */
  readonly direct: boolean
  /** Per column of the covariate: the fits of the folds. */
  readonly parts: readonly (readonly ClassPart[])[]
  /** See Correction. */
  readonly moments?: readonly number[]
  readonly points?: readonly number[]
}

/** Adds h(x) to the pre-trained values. */
export function classAdder(
  correction: ClassCorrection,
  context: readonly EncodedFeature[],
  compile: ModelCompiler = compileModel,
): Corrector {
  const width = correction.input === 'context' ? context.reduce((sum, feature) => sum + feature.width, 0) : 1
  const columns = correction.parts.map((parts) =>
    parts.map(({ scale, fitted }) => ({ scale, predictor: compileUsable(fitted, compile(fitted.model), width) })),
  )
  const { direct } = correction
  const own = correction.input === 'pretrained'
  const one = new Float64Array(1)
  return (x, at, values, to) => {
    for (let k = 0; k < columns.length; k++) {
      const pretrained = values[to + k]!
      one[0] = pretrained
      let sum = pretrained
      for (const { scale, predictor } of columns[k]!) {
        const value = own ? predictor.row(one, 0) : predictor.row(x, at)
        sum += scale * (direct ? value - pretrained : value)
      }
      values[to + k] = sum
    }
  }
}
