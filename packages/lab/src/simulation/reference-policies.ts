// The policies of the reference runs with the exact settings of SPEC part D: per-action ridge 0.05 on the listed features,
// predictions clipped to [-0.5, 1.5], the 31-column correction basis with ridge 1 and the true delta0, logit observation
// model with floor 0.1, practical gamma with c = 10, doubling epochs, last-epoch window.

import { createEngine, type Engine, type EngineOptions, type GammaOption } from '@primo/core'
import { referenceData, referenceEnvironment, referenceInteractions } from '../environments/reference.js'

export interface ReferencePolicy {
  readonly name: string
  readonly engine: Engine
  readonly seesCovariate: boolean
}

export function referencePolicies(environmentName: string): readonly ReferencePolicy[] {
  const reference = referenceData(environmentName)
  const { problem } = referenceEnvironment(environmentName)
  const { constants } = reference
  const shared = {
    oracle: { interactions: referenceInteractions(reference), clip: { min: -0.5, max: 1.5 }, width: 'action' },
  } as const
  const calibration = { class: 'basis', delta0: constants.delta0, clip: 'none', observation: { floor: 0.1 } } as const
  const theory: GammaOption = {
    kind: 'theory',
    formulas: 'printed',
    elasticity: constants.elasticityPrinted,
    lambda: reference.rewardNoise,
    lipschitz: constants.lipschitzInCovariate,
    omega0: constants.omega0,
    etaBound: reference.covariateNoise,
    delta0: constants.delta0,
    entropyExponent: 1,
  }
  const policy = (name: string, options: EngineOptions, seesCovariate = false): ReferencePolicy => ({
    name,
    engine: createEngine(problem, { ...shared, ...options }),
    seesCovariate,
  })
  return [
    policy('uniform', { profile: 'primo', schedule: { kind: 'list', ends: [] } }),
    policy('oracle that sees z', { profile: 'primo' }, true),
    policy('primo', { profile: 'primo' }),
    policy('primo-cal', { profile: 'primo-cal', calibration }),
    policy('primo, theory gamma', { profile: 'primo', gamma: theory }),
    policy('primo-cal, theory gamma', { profile: 'primo-cal', calibration, gamma: theory }),
  ]
}
