// A policy that learns from every reward as it arrives, as a user writes one.

import type { Problem } from '@primo/core'
import type { EngineOptions } from '@primo/core/engine'
import type { Random } from '@primo/numeric'

/** What a policy sees of a round. The same object is used for every round. */
export interface SeenRound {
  /** From 1. */
  readonly round: number
  /**
   * The columns of the context, then those of the covariates: numbers scaled to [-1, 1], booleans 0 or 1, a column per level. In place of a
   * missing value stands what the pre-trained model predicts.
   */
  readonly columns: Float64Array
  /** Per covariate: 1 where it is missing. */
  readonly missing: Uint8Array
}

/** What a policy begins with. */
export interface PolicyStart {
  readonly problem: Problem
  readonly actions: number
  /** Length of `columns`. */
  readonly columns: number
  /** For whatever the policy draws itself; its actions are drawn for it. */
  readonly random: Random
}

/** A policy in the middle of a run. */
export interface RunningPolicy {
  /** Writes the probability of playing each action. */
  decide(seen: SeenRound, propensities: Float64Array): void
  /** The reward of a round that was played, in units of the mean reward's range: 0 is its smallest value, 1 its largest. */
  learn(seen: SeenRound, action: number, reward: number, propensity: number): void
}

/**
 * A policy of your own: any algorithm that gives propensities and learns from rewards.
 * @example
 * const first: OnlinePolicy = {
 *   name: 'first',
 *   start: () => ({ decide: (_seen, propensities) => propensities.fill(0).fill(1, 0, 1), learn: () => {} }),
 * }
 * runPolicy({ spec: first, problem, world, seed: 1 })
 */
export interface OnlinePolicy {
  /** Shown in tables and plots. */
  readonly name: string
  /** Begins a run: a new policy that has learnt nothing. */
  start(setting: PolicyStart): RunningPolicy
  /** The engine that fills missing values, such as { profile: 'primo-cal' }; default: the pre-trained model as it is. */
  readonly imputation?: EngineOptions
}

export function isOnlinePolicy(policy: unknown): policy is OnlinePolicy {
  return typeof policy === 'object' && policy !== null && typeof (policy as Partial<OnlinePolicy>).start === 'function'
}
