// The two problems of the demo, as a user would define them.

import type { ProblemDefinition } from '@primo/contract'
import { type ScenarioSpec, scenarioFromName } from '@primo/lab'
import { createStream, type Stream } from './stream.js'

export interface DemoProblem {
  readonly name: string
  /** What one unit of reward is. */
  readonly unit: string
  readonly covariateUnit: string
  /** What is done without Primo; a small share of the decisions still does it, for comparison. */
  readonly baseline: string
  /** Why the covariate is missing, as the clients say. */
  readonly reason: string
  /** Share of the rewards that never come back, and of the audit's requests that are answered. */
  readonly lost: number
  readonly answered: number
}

export const demoProblems: readonly DemoProblem[] = [
  {
    name: 'dosing',
    unit: 'right doses',
    covariateUnit: 'risk alleles',
    baseline: 'medium',
    reason: 'not tested',
    lost: 0,
    answered: 1,
  },
  {
    name: 'pricing',
    unit: 'dollars',
    covariateUnit: 'dollars a month',
    baseline: '$14',
    reason: 'withheld',
    lost: 0.02,
    answered: 0.8,
  },
]

/** Rounds that a reward is late, on average. */
export const DELAY = 100
const AUDIT_SHARE = 0.03
const HOLDOUT = 0.02
/** Rewards that never come are given up after a minute. */
const WINDOW = 60_000

export function scenarioOf({ name }: DemoProblem): ScenarioSpec {
  return scenarioFromName(`${name}?delayMean=${DELAY}`)
}

export function streamOf(problem: DemoProblem, seed: number): Stream {
  return createStream(problem.name, scenarioOf(problem), seed, problem.reason)
}

export function definitionOf(
  { baseline }: DemoProblem,
  { problem, covariate }: Stream,
  seed: number,
): ProblemDefinition {
  const { min, max, mean } = problem.reward
  const spec = problem.covariates[covariate]!
  return {
    context: problem.context,
    covariates: { [covariate]: { ...spec, audit: { share: AUDIT_SHARE, within: 5 * DELAY } } },
    actions: [...problem.actions],
    reward: {
      min,
      max,
      ...(mean === undefined ? {} : { mean }),
      window: { milliseconds: WINDOW },
      learnFrom: 'arrival',
    },
    learning: { profile: 'robust', seed },
    guards: { holdout: HOLDOUT, baseline },
  } as unknown as ProblemDefinition
}
