// A window of rounds, and the blocks it touches.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { RoundBlock, RoundTable } from './round-table.js'

/** Rounds from (inclusive) to (exclusive). */
export interface RoundRange {
  readonly from: number
  readonly to: number
}

export interface BlockPart {
  readonly block: RoundBlock
  readonly start: number
  readonly end: number
}

/** Visits the part of each block that lies in the range. */
export function* blockParts(table: RoundTable, { from, to }: RoundRange): Iterable<BlockPart> {
  for (let index = Math.floor(from / BLOCK_ROUNDS); index * BLOCK_ROUNDS < to; index++) {
    const first = index * BLOCK_ROUNDS
    yield {
      block: table.blocks[index]!,
      start: Math.max(from - first, 0),
      end: Math.min(to - first, BLOCK_ROUNDS),
    }
  }
}
