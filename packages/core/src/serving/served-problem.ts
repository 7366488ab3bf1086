// A problem as it is served: that of the library with guards, modes and fallbacks. What decides for it, in a service or in a caller's
// process, makes the same engine from it.

import { requireAtLeast } from '@primo/numeric'
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.js'
import type { Code } from '../engine/named-options.js'
import type { Problem } from '../problem/problem.js'
import { engineImputer } from './served-imputer.js'

/** What deciding needs of a served problem. */
export interface ServedProblem {
  readonly context: Problem['context']
  readonly covariates: Readonly<Record<string, ServedCovariate>>
  readonly actions: readonly string[]
  readonly reward: {
    readonly min: number
    readonly max: number
    readonly mean?: { readonly min: number; readonly max: number }
    readonly window?: { readonly milliseconds: number }
  }
  readonly learning?: Readonly<Record<string, unknown>>
  readonly guards?: {
    /** Smallest propensity of any action. */
    readonly floor?: number
    /** Share of decisions that play the baseline. */
    readonly holdout?: number
    readonly baseline?: string
    /** Always play the baseline. */
    readonly kill?: boolean
  }
  readonly mode?: 'active' | 'shadow'
  readonly activation?: 'implicit' | 'explicit'
}

interface ServedCovariate {
  readonly imputer: { readonly kind: string; readonly members?: Readonly<Record<string, { readonly kind: string }>> }
  /** Played when no model gave a value: the decision of the policy without one, or the baseline. */
  readonly fallback?: string
}

/** The engine of a served problem; `code`: what its options may name by kind. */
export function servedEngine(definition: ServedProblem, code: readonly Code[] = []): Engine {
  const { profile = 'robust', seed: _, maxEpochAge: __, ...options } = definition.learning ?? {}
  const floor = definition.guards?.floor ?? 0
  const holdout = definition.guards?.holdout ?? 0
  const given = (options as EngineOptions).minimumPropensity
  if (given !== undefined) requireAtLeast('minimumPropensity', given, 0)
  return createEngine(enginesProblem(definition), {
    ...(options as EngineOptions),
    profile: profile as NonNullable<EngineOptions['profile']>,
    use: code,
    // The holdout takes its share from every propensity but the baseline's.
    ...(floor > 0 || given !== undefined ? { minimumPropensity: Math.max(floor, given ?? 0) / (1 - holdout) } : {}),
  })
}

/** The problem as the engine takes it. */
export function enginesProblem(definition: ServedProblem): Problem {
  const { min, max, mean } = definition.reward
  return {
    context: definition.context,
    covariates: Object.fromEntries(
      // Guards handle fallbacks.
      Object.entries(definition.covariates).map(([name, { fallback: _, ...covariate }]) => [
        name,
        { ...covariate, imputer: engineImputer(covariate.imputer) },
      ]),
    ) as Problem['covariates'],
    actions: definition.actions,
    reward: { min, max, ...(mean === undefined ? {} : { mean }) },
  }
}
