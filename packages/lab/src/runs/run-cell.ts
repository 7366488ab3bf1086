// Runs cells one after the other. The world of a scenario and seed is kept while its policies run, when it is small enough.

import type { Interactions, Problem } from '@primo/core'
import type { Environment, WorldBlock } from '../environments/environment.js'
import { createEnvironment } from '../environments/scenario.js'
import { type PolicySetting, policyByName } from '../policies/catalog.js'
import type { OnlinePolicy } from '../policies/online-policy.js'
import type { PolicySpec } from '../policies/policy-spec.js'
import { runPolicy } from '../simulation/run-policy.js'
import { worldOf } from '../simulation/simulate.js'
import { type CodeLookup, isCodeRef } from './code-ref.js'
import type { RunRow } from './run-row.js'
import { type Cell, isEnvironment, type RunSpec, scenarioName } from './run-spec.js'

const KEPT_ROUNDS = 2 ** 18
/** Points of a curve. */
const MARKS = 64

export type CellRunner = (cell: Cell, onProgress?: (rounds: number) => void) => RunRow

/** `code` finds what the spec's files export. */
export function cellRunner(spec: RunSpec, code: CodeLookup = () => undefined): CellRunner {
  const environments = new Map<number, Environment>()
  let kept: { readonly scenario: number; readonly seed: number; readonly blocks: readonly WorldBlock[] } | undefined
  const environmentOf = (scenario: number) => {
    const made = environments.get(scenario) ?? environmentFor(spec.scenarios[scenario]!, code)
    environments.set(scenario, made)
    return made
  }
  const worldFor = (scenario: number, seed: number): Iterable<WorldBlock> => {
    const environment = environmentOf(scenario)
    if (spec.rounds > KEPT_ROUNDS)
      return { [Symbol.iterator]: () => worldOf(environment, seed, spec.rounds)[Symbol.iterator]() }
    if (kept === undefined || kept.scenario !== scenario || kept.seed !== seed) {
      kept = { scenario, seed, blocks: [...worldOf(environment, seed, spec.rounds)] }
    }
    return kept.blocks
  }
  return (cell, onProgress) => {
    const environment = environmentOf(cell.scenario)
    const seed = spec.seed + cell.repeat
    const policy = resolvePolicy(spec.policies[cell.policy]!, settingOf(environment), code)
    const row = runPolicy({
      spec: policy,
      problem: environment.problem,
      world: worldFor(cell.scenario, seed),
      seed,
      every: Math.max(1, Math.floor(spec.rounds / MARKS)),
      ...(onProgress === undefined ? {} : { onProgress }),
    })
    return { scenario: scenarioName(spec.scenarios[cell.scenario]!), ...row }
  }
}

/** What named policies need to know of an environment. */
export function settingOf(environment: Environment): PolicySetting {
  return policySetting(environment, environment.delta0)
}

/** What named policies need to know of a problem, simulated or read from a table. */
export function policySetting(
  source: { readonly problem: Problem; readonly interactions: Interactions },
  delta0: number | undefined,
): PolicySetting {
  const { problem, interactions } = source
  const covariates = Object.keys(problem.covariates)
  const products =
    interactions === 'none'
      ? []
      : interactions === 'all'
        ? covariates.flatMap((z) => Object.keys(problem.context).map((x) => [z, x]))
        : interactions
  return { actions: problem.actions.length, covariates, interactions: products, delta0 }
}

function resolvePolicy(
  policy: RunSpec['policies'][number],
  setting: PolicySetting,
  code: CodeLookup,
): PolicySpec | OnlinePolicy {
  if (typeof policy === 'string') return policyByName(policy, setting)
  return isCodeRef(policy) ? (code(policy) as PolicySpec | OnlinePolicy) : policy
}

/** The environment of a scenario, whichever way it is given. */
export function environmentFor(scenario: RunSpec['scenarios'][number], code: CodeLookup): Environment {
  if (isEnvironment(scenario)) return scenario
  return isCodeRef(scenario) ? (code(scenario) as Environment) : createEnvironment(scenario)
}
