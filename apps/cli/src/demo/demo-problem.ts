// The two problems of the demo, as a user would define them.

import type { ProblemDefinition } from '@primo/contract'
import { type ScenarioSpec, scenarioFromName } from '@primo/lab'
import { createStream, type Stream } from './stream.js'

export interface DemoProblem {
  readonly name: string
  /** What one unit of reward is. */
  readonly unit: string
  /** What one does with them, in a sentence. */
  readonly verb: string
  readonly covariateUnit: string
  /** What is unknown where the covariate is missing, in a sentence. */
  readonly unknown: string
  /** What is done without Primo; a small share of the decisions still does it, for comparison. */
  readonly baseline: string
  /** Why the covariate is missing, as the clients say. */
  readonly reason: string
  /** Share of the rewards that never come back, and of the audit's requests that are answered. */
  readonly lost: number
  readonly answered: number
  /** Dials of the scenario: a model so wrong that correcting it shows within a minute. */
  readonly dials: string
  /** Share of the demo's pace: the first one shown is to be settled first. */
  readonly haste: number
}

export const demoProblems: readonly DemoProblem[] = [
  {
    name: 'dosing',
    unit: 'right doses',
    verb: 'gives',
    covariateUnit: 'risk alleles',
    unknown: 'risk alleles',
    baseline: 'medium',
    reason: 'not tested',
    lost: 0,
    answered: 1,
    dials: 'bias=3&noise=0.5&share=0.6',
    haste: 1,
  },
  {
    name: 'pricing',
    unit: 'dollars',
    verb: 'earns',
    covariateUnit: 'dollars a month',
    unknown: 'incomes',
    baseline: '$14',
    reason: 'withheld',
    lost: 0.02,
    answered: 0.8,
    dials: 'bias=2',
    haste: 0.25,
  },
]

/** Rounds that a reward is late, on average. */
export const DELAY = 50
const AUDIT_SHARE = 0.03
export const HOLDOUT = 0.02
/** Rewards that never come are given up after a minute. */
const WINDOW = 60_000

export function scenarioOf({ name, dials }: DemoProblem): ScenarioSpec {
  return scenarioFromName(`${name}?delayMean=${DELAY}&${dials}`)
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
