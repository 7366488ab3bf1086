// An environment: a problem together with the truth behind it, as a stream of rounds that is a function of the seed.
// Rounds come in the same blocks of 4,096 as the log, so any block can be made by itself, on any machine.

import type { Problem } from '@primo/core'

/** Rounds of one block in columns, row-major, inside units. What of it a policy may see is decided by the simulation. */
export interface WorldBlock {
  readonly count: number
  readonly context: Float64Array
  /** The true covariates z*. */
  readonly truth: Float64Array
  /** Per covariate: 1 where a policy sees it. */
  readonly observed: Uint8Array
  /** The pre-trained predictions g~; NaN where there is none. */
  readonly pretrained: Float64Array
  /** The standard deviation that comes with each prediction, one per covariate, inside units, NaN where none; absent: none does. */
  readonly modelSd?: Float64Array
  /** What the members of an ensemble predict, where the problem has one: per round the members of its covariate in order. */
  readonly members?: Float64Array
  /** Mean reward of every action, in units of the mean reward's range; null where unknown (a table without means). */
  readonly means: Float64Array | null
  /** Reward that every action would have given, same units. */
  readonly rewards: Float64Array
  /** Regret of each round that nobody can avoid without seeing what is missing; null where unknown. */
  readonly floor: Float64Array | null
  /** How many later rounds are decided before the reward arrives; null: at once. */
  readonly delay: Uint32Array | null
}

/** A problem with the truth behind it, as a stream of rounds that is a function of the seed. */
export interface Environment {
  readonly name: string
  readonly problem: Problem
  /** Products of features that the linear reward class needs to be well specified (or the closest it can be). */
  readonly interactions: readonly (readonly string[])[]
  /** Root mean square of g~ - g*, in the covariate's units, where there is one covariate and it is known. */
  readonly delta0?: number
  /** The block with this index, of `count` rounds (at most 4,096). */
  readonly block: (seed: number, index: number, count: number) => WorldBlock
}
