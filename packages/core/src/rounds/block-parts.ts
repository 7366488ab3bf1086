// A window of rounds, the blocks it touches, and some of them that stand for all.

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

/** Parts that have about `most` of all rows that are counted: spread evenly, the last one among them. */
export function spreadParts<T>(parts: readonly T[], most: number, rowsOf: (part: T) => number): readonly T[] {
  const rows = parts.reduce((sum, part) => sum + rowsOf(part), 0)
  if (rows <= most) return parts
  const count = Math.ceil((parts.length * most) / rows)
  return Array.from({ length: count }, (_, k) => parts[Math.floor(((k + 1) * parts.length) / count) - 1]!)
}
