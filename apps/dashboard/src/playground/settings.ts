// What the sliders say, as a scenario and policies of the lab.

import {
  createEnvironment,
  type PolicySpec,
  policyByName,
  type ScenarioSpec,
  scenarioFromName,
  settingOf,
} from '@primo/lab'

export interface Settings {
  readonly scenario: 'A' | 'B' | 'dosing' | 'pricing'
  /** Share of the rounds whose covariate is missing. */
  readonly share: number
  /** Systematic error of the pre-trained model, 1: as the scenario has it. */
  readonly bias: number
  /** Standard deviation of its random error, as a share of half the covariate's range. */
  readonly noise: number
  /** How much observation depends on the hidden value. */
  readonly mnar: number
  /** log10 of c in gamma = c sqrt(K n / dim) of PRIMO and PRIMO-Cal: less is more exploration. */
  readonly exploration: number
  readonly rounds: number
}

export const initialSettings: Settings = {
  scenario: 'A',
  share: 0.5,
  bias: 1,
  noise: 0,
  mnar: 0,
  exploration: 1,
  rounds: 8192,
}

export const playedPolicies = ['zero-fill', 'complete-case', 'primo', 'primo-cal', 'robust', 'sees-all-values'] as const
export type PlayedPolicy = (typeof playedPolicies)[number]

/** The baselines that learn nothing of the missing values come first; all share the scenario's reward class. */
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
