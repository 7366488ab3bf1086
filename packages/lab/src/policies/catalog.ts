// Policies by name: `rule` or `rule:imputation`, such as `igw:mean` or `linucb:calibrated`, and the names people know
// (`primo`, `no-z`, `complete-case`, ...). Every rule runs on every imputation. Interactions and delta0 come from the
// environment, so that all policies share one reward class; robust chooses its products itself.

import type { EngineOptions } from '@primo/core/engine'
import { entryOf, PrimoError } from '@primo/numeric'
import type { PolicySpec } from './policy-spec.js'

/** What named policies need to know of a problem. */
export interface PolicySetting {
  readonly actions: number
  readonly covariates: readonly string[]
  readonly interactions: readonly (readonly string[])[]
  /** Ball of the calibrated policies; absent: none. */
  readonly delta0?: number | undefined
}

const ALIASES: Readonly<Record<string, string>> = {
  primo: 'igw:pretrained',
  'primo-cal': 'igw:calibrated',
  'sees-all-values': 'igw:truth',
  'no-z': 'igw:none',
  'complete-case': 'igw:complete',
  'mean-imputation': 'igw:mean',
  'zero-fill': 'igw:zero',
  indicator: 'igw:indicator',
  'indicator-interacted': 'igw:indicator-interacted',
}

type Imputation = keyof typeof IMPUTATIONS
const IMPUTATIONS = {
  pretrained: 'the pre-trained model as it is',
  calibrated: 'the model corrected by Cal (Alg.2)',
  truth: 'z is seen in every round',
  none: 'z is never used',
  complete: 'rewards fitted on rounds without missing values',
  mean: 'the mean of the observed values',
  zero: 'zero',
  indicator: 'the model, with an offset where z is missing',
  'indicator-interacted': 'the model, with all coefficients apart where z is missing',
} as const

const RULES = {
  igw: 'inverse gap weighting, doubling epochs, last-epoch fits (the paper)',
  greedy: 'best score',
  'epsilon-greedy': 'best score, 5% uniform',
  linucb: 'largest upper confidence limit',
  lints: 'Thompson sampling with exact propensities',
  squarecb: 'online regression, inverse gap weighting with gamma = 10 sqrt(n)',
} as const

/** What can stand after the colon of rule:imputation. */
export const imputationNames: Readonly<Record<string, string>> = IMPUTATIONS

/** Names and meanings for help texts. */
export const policyNames: Readonly<Record<string, string>> = {
  uniform: 'every action alike',
  'best-fixed-action': 'the one action that is best on average over these rounds',
  robust: 'the robust profile: beyond the paper, no proof, nothing to tune where the world does not move',
  ...Object.fromEntries(Object.entries(ALIASES).map(([name, full]) => [name, describe(full)])),
  ...Object.fromEntries(Object.entries(RULES).map(([rule, meaning]) => [rule, `${meaning}, on the pre-trained model`])),
}

function describe(full: string): string {
  const [rule, imputation] = full.split(':') as [keyof typeof RULES, Imputation]
  return `${rule}: ${IMPUTATIONS[imputation]}`
}

/** A policy of the catalogue, `rule` or `rule:imputation`, for a problem. */
export function policyByName(name: string, setting: PolicySetting): PolicySpec {
  if (name === 'uniform') return { name, kind: 'uniform' }
  if (name === 'robust') {
    return { name, kind: 'engine', sees: 'world', options: { profile: 'robust' } }
  }
  if (name === 'best-fixed-action') return { name, kind: 'best-fixed-action' }
  const [rule, imputation = 'pretrained', ...rest] = (entryOf(ALIASES, name) ?? name).split(':')
  if (!isKey(RULES, rule) || !isKey(IMPUTATIONS, imputation) || rest.length > 0) {
    const known = `${Object.keys(policyNames).join(', ')}, or rule:imputation with imputation ${Object.keys(IMPUTATIONS).join(', ')}`
    throw new PrimoError('invalid-option', `policy must be one of ${known}, got "${name}"`, {
      field: 'policy',
      value: name,
    })
  }
  const sees = imputation === 'truth' ? 'truth' : imputation === 'none' ? 'none' : 'world'
  const options = optionsOf(rule === 'squarecb' ? 'igw' : rule, imputation, setting)
  return rule === 'squarecb'
    ? { name, kind: 'squarecb', scale: 10, options, sees }
    : { name, kind: 'engine', options, sees }
}

/** Throws where `policyByName` would, whatever the problem. */
export function checkPolicyName(name: string): void {
  policyByName(name, { actions: 2, covariates: [], interactions: [] })
}

function isKey<T extends object>(object: T, key: string | undefined): key is string & keyof T {
  return key !== undefined && Object.hasOwn(object, key)
}

function optionsOf(
  rule: Exclude<keyof typeof RULES, 'squarecb'>,
  imputation: Imputation,
  setting: PolicySetting,
): EngineOptions {
  const { covariates, interactions, delta0 } = setting
  const hidden = imputation === 'none'
  const indicator =
    imputation === 'indicator' ? 'intercept' : imputation === 'indicator-interacted' ? 'interacted' : 'none'
  return {
    profile: imputation === 'calibrated' ? 'primo-cal' : 'primo',
    oracle: {
      interactions: hidden
        ? interactions.filter((product) => !product.some((part) => covariates.includes(part)))
        : interactions,
      // Covariance matrices are only needed by the rules that use widths.
      width: rule === 'linucb' || rule === 'lints' ? 'pointwise' : 'action',
      indicator: hidden ? 'none' : indicator,
      // As in the reference runs: rewards are noisy beyond [0, 1], so predictions may be too.
      clip: { min: -0.5, max: 1.5 },
    },
    ...(imputation === 'calibrated'
      ? {
          calibration: {
            class: 'basis',
            clip: 'none',
            observation: { floor: 0.1 },
            ...(delta0 === undefined ? {} : { delta0 }),
          },
        }
      : {}),
    ...(imputation === 'mean' || imputation === 'zero' ? { imputation } : {}),
    ...(imputation === 'complete' ? { rows: 'complete' } : {}),
    ...ruleOptions(rule, setting.actions),
  }
}

function ruleOptions(rule: Exclude<keyof typeof RULES, 'squarecb'>, actions: number): EngineOptions {
  if (rule === 'igw') return {}
  const often: EngineOptions = {
    window: 'all',
    schedule: { kind: 'growth', first: Math.max(20, 4 * actions), factor: 1.1 },
  }
  switch (rule) {
    case 'greedy':
      return { ...often, exploration: { kind: 'greedy' } }
    case 'epsilon-greedy':
      return { ...often, exploration: { kind: 'epsilon-greedy', epsilon: 0.05 } }
    case 'linucb':
      return { ...often, exploration: { kind: 'linucb', alpha: 1 } }
    case 'lints':
      return { ...often, exploration: { kind: 'lints', spread: 1 } }
  }
}
