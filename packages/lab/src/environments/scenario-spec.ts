// A scenario as JSON data: `kind` says which environment and gives its own options; missingness, imputer quality and
// reward delay can be laid on any of them (a bandit has no covariate, so only a delay).

import type { BanditOptions } from './bandit.js'
import type { DelaySpec } from './delay.js'
import type { DosingOptions } from './dosing.js'
import type { FamilyOptions } from './family.js'
import type { ImputerSpec } from './imputers.js'
import type { MissingnessSpec } from './mechanisms.js'
import { referenceEnvironments } from './reference-data.js'
import { between, byKind, type Check, inside, oneOf, record, refuse, text, whole } from './spec-fields.js'

interface ScenarioBase {
  /** Shown in tables and plots; default: the scenario's short name. */
  readonly name?: string
  readonly delay?: DelaySpec
}

interface WithCovariate extends ScenarioBase {
  readonly missingness?: MissingnessSpec
  readonly imputer?: ImputerSpec
}

/** A reference environment as a scenario. */
export interface ReferenceScenario extends WithCovariate {
  readonly kind: 'reference'
  readonly environment: string
}

/** An environment of the parametric family as a scenario. */
export interface FamilyScenario extends WithCovariate, FamilyOptions {
  readonly kind: 'family'
}
interface BanditScenario extends ScenarioBase, BanditOptions {
  readonly kind: 'bandit'
}
interface DosingScenario extends WithCovariate, DosingOptions {
  readonly kind: 'dosing'
}
interface PricingScenario extends WithCovariate {
  readonly kind: 'pricing'
}

interface BendsScenario extends WithCovariate {
  readonly kind: 'bends'
}

/** A scenario as JSON data: which environment, and what is laid on it. */
export type ScenarioSpec =
  | ReferenceScenario
  | FamilyScenario
  | BanditScenario
  | DosingScenario
  | PricingScenario
  | BendsScenario

const share = between(0, 1)
const solvedShare = inside(0, 1)
const strength = between(-100, 100)

const missingness = byKind({
  mcar: record({ kind: text, share }, ['share']),
  mar: record({ kind: text, share: solvedShare, strength }),
  mnar: record({ kind: text, mnarStrength: strength, share: solvedShare, strength }, ['mnarStrength']),
  blocks: record({ kind: text, share, length: whole(1, 1e9) }, ['share', 'length']),
  drift: record({ kind: text, from: share, to: share, rounds: whole(1, 1e12) }, ['from', 'to', 'rounds']),
})

const imputer = record({
  bias: between(-100, 100),
  noise: between(0, 1e9),
  extra: between(0, 0.95),
  stale: record({ at: whole(0, 1e12), over: whole(0, 1e12), amount: between(0, 1) }, ['at']),
})

const delay: Check = (field, value) => {
  record({ rounds: whole(0, 1e9), mean: between(0, 1e6) })(field, value)
  if (Object.keys(value as object).length !== 1) refuse(field, 'either {rounds} or {mean}', value)
}

const base = { kind: text, name: text, delay }
const covariate = { ...base, missingness, imputer }

/** The options that are a kind's own. */
export const scenarioOptions = {
  reference: { environment: oneOf(referenceEnvironments.map(({ name }) => name)) },
  family: {
    dimension: whole(1, 200),
    actions: whole(2, 200),
    covariateMean: oneOf(['smooth', 'rough']),
    reward: oneOf(['linear', 'quadratic', 'nonlinear']),
    misspecifiedReward: between(0, 100),
    misspecifiedImputer: between(0, 10),
    heteroscedastic: between(0, 1),
    correlation: between(0, 0.99),
    rareShare: inside(0, 1),
    driftPeriod: whole(2, 1e12),
    covariateNoise: inside(0, 10),
    rewardNoise: between(0, 10),
    draw: whole(0, Number.MAX_SAFE_INTEGER),
  },
  bandit: { actions: whole(1, 1000), gap: between(0, 1), sigma: between(0, 10) },
  dosing: { grading: oneOf(['exact', 'graded']) },
  pricing: {},
  bends: {},
} as const satisfies Record<ScenarioSpec['kind'], Record<string, Check>>

const scenario = byKind({
  reference: record({ ...covariate, ...scenarioOptions.reference }, ['environment']),
  family: record({ ...covariate, ...scenarioOptions.family }),
  bandit: record({ ...base, ...scenarioOptions.bandit }),
  dosing: record({ ...covariate, ...scenarioOptions.dosing }),
  pricing: record({ ...covariate, ...scenarioOptions.pricing }),
  bends: record({ ...covariate, ...scenarioOptions.bends }),
})

/** Checks a scenario given as JSON text or as an object; throws `invalid-option` naming the field and the value. */
export function parseScenario(given: unknown): ScenarioSpec {
  let value = given
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given)
    } catch {
      refuse('scenario', 'JSON', given)
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('scenario', 'an object', value)
  scenario('', value)
  return value as ScenarioSpec
}
