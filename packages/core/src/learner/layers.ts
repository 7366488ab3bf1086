// Imputation layers to choose among (method#layer-choice; beyond the paper): the calibrated model, g~ with all coefficients
// apart where z is missing, and both together. With indicators the reward model learns for itself what a wrong imputation does,
// at twice the parameters: worth it only where calibration fails.

import type { Correction, CovariateModel } from '../calibration/correction.js'
import type { Encoding } from '../data/encoding.js'
import { type LinearOptions, linearOracle } from '../oracle/linear.js'
import type { Oracle } from '../oracle/oracle.js'

export type LayerName = 'calibrated' | 'pretrained-indicator' | 'calibrated-indicator'

export interface Layer {
  readonly name: LayerName
  readonly imputes: 'calibrated' | 'pretrained'
  readonly oracle: Oracle
}

export function layersOf(encoding: Encoding, calibrated: Oracle, options: LinearOptions): readonly Layer[] {
  const indicator = linearOracle(encoding, { ...options, indicator: 'interacted' })
  return [
    { name: 'calibrated', imputes: 'calibrated', oracle: calibrated },
    { name: 'pretrained-indicator', imputes: 'pretrained', oracle: indicator },
    { name: 'calibrated-indicator', imputes: 'calibrated', oracle: indicator },
  ]
}

/** What fills missing values under a layer: the corrections, or g~ with what is known of the residual. */
export function layerModels(
  imputes: Layer['imputes'],
  corrections: readonly (CovariateModel | null)[],
): readonly (CovariateModel | null)[] {
  if (imputes === 'calibrated') return corrections
  return corrections.map((model) => (model?.kind === 'correction' ? uncorrected(model) : model))
}

/** g~ as it is, with what is known of the residual. */
export function uncorrected(correction: Correction): Correction {
  const { beforeAudit: _audit, byFold: _folds, map: _map, mapByFold: _maps, ...model } = correction
  return { ...model, class: 'bias', coefficients: model.coefficients.map(() => [0]) }
}
