// From a scenario to its environment: the structure of its kind with what the scenario lays on it.

import { banditStructure } from './bandit.js'
import { bendsStructure } from './bends.js'
import { dosingStructure } from './dosing.js'
import { familyStructure } from './family.js'
import { imputerQuality } from './imputers.js'
import { pricingStructure } from './pricing.js'
import { referenceStructure } from './reference.js'
import { scenarioName } from './scenario-name.js'
import { parseScenario, type ScenarioSpec } from './scenario-spec.js'
import { buildEnvironment, type KnownEnvironment, type Structure } from './structure.js'

/**
 * The environment of a scenario.
 * @example createEnvironment(scenarioFromName('dosing?share=0.6'))
 */
export function createEnvironment(spec: ScenarioSpec): KnownEnvironment {
  parseScenario(spec)
  const own = ownStructure(spec)
  let { covariate, delta0, ...rest } = own
  if (covariate !== null && spec.kind !== 'bandit') {
    if (spec.missingness !== undefined) covariate = { ...covariate, missingness: spec.missingness }
    if (spec.imputer !== undefined) {
      covariate = { ...covariate, imputer: imputerQuality(covariate.imputer, spec.imputer) }
      delta0 = undefined
    }
  }
  return buildEnvironment({
    ...rest,
    name: spec.name ?? scenarioName(spec),
    covariate,
    delay: spec.delay ?? own.delay,
    ...(delta0 === undefined ? {} : { delta0 }),
  })
}

function ownStructure(spec: ScenarioSpec): Structure {
  switch (spec.kind) {
    case 'reference':
      return referenceStructure(spec.environment)
    case 'family':
      return familyStructure(spec)
    case 'bandit':
      return banditStructure(spec)
    case 'dosing':
      return dosingStructure(spec)
    case 'pricing':
      return pricingStructure()
    case 'bends':
      return bendsStructure()
  }
}
