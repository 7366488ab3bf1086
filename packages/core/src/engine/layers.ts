// Imputation layers to choose among (method#layer-choice; beyond the paper): the calibrated model, g~ with all coefficients
// apart where z is missing, and both together. With indicators the reward model learns for itself what a wrong imputation does,
// at twice the parameters: worth it only where calibration fails.

import { type CovariateModel, uncorrected } from '../calibration/correction.js'
import { type LinearOptions, linearOracle } from '../oracle/linear.js'
import type { Oracle, RewardModel } from '../oracle/oracle.js'
import type { Encoding } from '../problem/encoding.js'

export type LayerName = 'calibrated' | 'pretrained-indicator' | 'calibrated-indicator'

export interface Layer {
  readonly name: LayerName
  readonly imputes: 'calibrated' | 'pretrained'
  readonly oracle: Oracle
}

export function layersOf(
  encoding: Encoding,
  calibrated: Oracle,
  options: LinearOptions,
  noise: boolean,
): readonly Layer[] {
  const indicator = linearOracle(encoding, { ...options, indicator: 'interacted' }, noise)
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

/** What is remembered of the layers from end to end; models in the order of the engine's layers. */
export interface LayerState {
  readonly chosen: LayerName
  readonly models: readonly RewardModel[]
  /** L by layer, and the weight behind it. */
  readonly losses: readonly number[]
  readonly weight: number
}

export interface LayerReport {
  readonly chosen: LayerName
  /** Rewards judged so far, the old ones counting less. */
  readonly weight: number
  /** Mean squared error of predictions made beforehand; null: none judged yet. */
  readonly losses: Readonly<Record<LayerName, number>> | null
}
