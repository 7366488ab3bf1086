// The policies of the reference runs (method#main-table, method#gamma-table) with their exact settings: per-action
// ridge 0.05 on the listed features, predictions clipped to [-0.5, 1.5], the 31-column correction basis with ridge 1
// and the true delta0, logit observation model with minimum 0.1, practical gamma with c = 10 unless said otherwise,
// doubling epochs.

import type { CalibrationOptions, GammaOption } from '@primo/core'
import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec, ReferenceEnvironment, Sees } from '@primo/lab'
import { referenceInteractions } from '@primo/lab'

export interface ReferencePolicies {
  /** A policy of the reference runs under a name of one's own. */
  readonly policy: (name: string, options: EngineOptions, sees?: Sees) => PolicySpec
  /** Calibration as in the reference runs, with changes. */
  readonly calibration: (changes?: CalibrationOptions) => CalibrationOptions
  readonly theoryGamma: GammaOption
}

export function referencePolicies(reference: ReferenceEnvironment): ReferencePolicies {
  const { constants } = reference
  const interactions = referenceInteractions(reference)
  const withoutCovariate = interactions.filter((product) => !product.includes('z'))
  return {
    policy: (name, options, sees = 'world') => ({
      name,
      kind: 'engine',
      sees,
      options: {
        ...options,
        oracle: {
          interactions: sees === 'none' ? withoutCovariate : interactions,
          clip: { min: -0.5, max: 1.5 },
          width: 'action',
          ...options.oracle,
        },
      },
    }),
    calibration: (changes = {}) => ({
      class: 'basis',
      delta0: constants.delta0,
      clip: 'none',
      observation: { floor: 0.1 },
      ...changes,
    }),
    theoryGamma: {
      kind: 'theory',
      formulas: 'printed',
      elasticity: constants.elasticityPrinted,
      lambda: reference.rewardNoise,
      lipschitz: constants.lipschitzInCovariate,
      omega0: constants.omega0,
      etaBound: reference.covariateNoise,
      delta0: constants.delta0,
      entropyExponent: 1,
    },
  }
}
