// Exponential forgetting in blocks: a round of age a counts 2^(-a / halfLife). Inside a block weights are taken
// relative to the block's last round, so its sums never change as time goes on; when blocks are merged each is scaled
// by the age of its end.

import { BLOCK_ROUNDS, type Sums } from './sums.js'

/** Weight of a row of a block relative to the block's last round. */
export function weightInBlock(row: number, halfLife: number): number {
  return 2 ** ((row - (BLOCK_ROUNDS - 1)) / halfLife)
}

/** The factor on a block's relative weights when `rounds` rounds have been decided. */
export function blockDecay(block: number, rounds: number, halfLife: number): number {
  return 2 ** ((block * BLOCK_ROUNDS + BLOCK_ROUNDS - rounds) / halfLife)
}

/** Sums of rows whose weights are multiplied by a factor. */
export function scaleSums(sums: Sums, factor: number): Sums {
  if (factor === 1) return sums
  return {
    columns: sums.columns,
    count: sums.count,
    weight: factor * sums.weight,
    gram: sums.gram.map((value) => factor * value),
  }
}
