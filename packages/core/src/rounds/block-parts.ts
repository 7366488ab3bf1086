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

/** Of parts in round order at most those of `most` blocks: spread evenly, the newest among them. */
export function spreadParts<T extends { readonly block: RoundBlock }>(parts: Iterable<T>, most: number): readonly T[] {
  const all = [...parts]
  const blocks = [...new Set(all.map(({ block }) => block))]
  if (blocks.length <= most) return all
  const chosen = new Set(
    Array.from({ length: most }, (_, k) => blocks[Math.floor(((k + 1) * blocks.length) / most) - 1]),
  )
  return all.filter(({ block }) => chosen.has(block))
}
