// An environment: a problem together with the truth behind it, as a stream of rounds that is a function of the seed.
// Rounds come in the same blocks of 4,096 as the log, so any block can be made by itself, on any machine.

import type { Problem } from '@primo/core'

/** Rounds of one block, in columns and inside units; what a policy may see is decided by the simulation. */
export interface WorldBlock {
  readonly context: Float64Array
  /** The true covariate z*. */
  readonly truth: Float64Array
  readonly observed: Uint8Array
  /** The pre-trained prediction g~(x). */
  readonly pretrained: Float64Array
  /** Mean reward of every action, row-major, in units of the mean reward's range. */
  readonly means: Float64Array
  /** The reward of a round is the mean of the action played plus this. */
  readonly noise: Float64Array
}

export interface Environment {
  readonly name: string
  readonly problem: Problem
  /** The block with this index, of `count` rounds. */
  readonly block: (seed: number, index: number, count: number) => WorldBlock
  /** Regret per round that no policy can avoid without seeing the missing values, where known. */
  readonly floor?: number
}
