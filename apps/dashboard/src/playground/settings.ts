// What the sliders say, as a scenario and policies of the lab.

import {
  createEnvironment,
  type PolicySpec,
  policyByName,
  type ScenarioSpec,
  scenarioFromName,
  settingOf,
} from '@primo/lab'
import type { PlayedPolicy, Settings } from './world-settings.js'

export function scenarioOf({ scenario, share, bias, noise, mnar }: Settings): ScenarioSpec {
  const plain = scenarioFromName(scenario)
  if (plain.kind === 'bandit') return plain
  const covariate = Object.values(createEnvironment(plain).problem.covariates)[0]
  const half = covariate?.type === 'number' ? (covariate.max - covariate.min) / 2 : 1
  return {
    ...plain,
    missingness: mnar === 0 ? { kind: 'mar', share } : { kind: 'mnar', mnarStrength: mnar, share },
    imputer: { bias, noise: noise * half },
  }
}

export function policyOf(
  name: PlayedPolicy,
  environment: ReturnType<typeof createEnvironment>,
  exploration: number,
): PolicySpec {
  const spec = policyByName(name, settingOf(environment))
  if (spec.kind !== 'engine' || name === 'robust') return spec
  return { ...spec, options: { ...spec.options, gamma: { kind: 'practical', c: 10 ** exploration } } }
}
