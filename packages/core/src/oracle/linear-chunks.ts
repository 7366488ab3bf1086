// The linear reward fit in pieces, for logs that are summed by several workers. A chunk is 64 blocks of rounds by index: a whole
// subtree of the fixed tree, so that merging inside chunks first and then over chunks adds the same numbers in the same order
// as summing all blocks in one process, and the model has the same bits.

import { BLOCK_ROUNDS, mergeBlocks, PrimoError, type Sums } from '@primo/numeric'
import type { Encoding } from '../problem/encoding.js'
import { actionSums, type SummableRows } from './action-sums.js'
import { designColumns } from './design.js'
import { fitActionSums, type LinearOptions, linearSettings } from './linear.js'
import type { LinearModel } from './linear-model.js'

const CHUNK_BLOCKS = 64
/** Rounds of a chunk. */
export const CHUNK_ROUNDS = CHUNK_BLOCKS * BLOCK_ROUNDS

/** The sums of one chunk of a log. */
export interface ChunkSums {
  /** Index of the chunk: its rounds begin at chunk * CHUNK_ROUNDS. */
  readonly chunk: number
  /** By action. */
  readonly sums: readonly Sums[]
}

export interface LinearSums {
  /** Sums of the rows of one chunk: rows of other chunks are refused. */
  readonly sumChunk: (chunk: number, rows: SummableRows) => ChunkSums
  /**
   * The fit of all rows from the sums of all their chunks, in any order. `newest` are the rows of the last chunk that has any.
   * The bits are those of the oracle's own fit.
   */
  readonly fit: (chunks: readonly ChunkSums[], newest: SummableRows) => LinearModel
}

/** The linear reward fit of a log that several workers sum. */
export function linearSums(encoding: Encoding, options: LinearOptions = {}): LinearSums {
  const settings = linearSettings(encoding, options)
  const columns = designColumns(settings.design)
  return {
    sumChunk: (chunk, rows) => ({ chunk, sums: actionSums(ofChunk(chunk, rows), settings.design) }),
    fit: (chunks, newest) => {
      const sorted = [...chunks].sort((a, b) => a.chunk - b.chunk)
      const twice = sorted.find(({ chunk }, i) => sorted[i + 1]?.chunk === chunk)
      if (twice !== undefined) {
        throw new PrimoError('invalid-option', `chunks must be distinct, got chunk ${twice.chunk} twice`, {
          field: 'chunks',
          value: twice.chunk,
        })
      }
      const merged = encoding.actions.map((_, a) =>
        mergeBlocks(
          sorted.flatMap(({ chunk, sums }) => (sums[a]!.count === 0 ? [] : [{ block: chunk, sums: sums[a]! }])),
          columns,
        ),
      )
      return fitActionSums(merged, settings, newest)
    },
  }
}

function ofChunk(chunk: number, rows: SummableRows): SummableRows {
  return {
    actionCount: rows.actionCount,
    ...(rows.spread === undefined ? {} : { spread: rows.spread }),
    batches: {
      *[Symbol.iterator]() {
        for (const batch of rows.batches) {
          if (Math.floor(batch.block / CHUNK_BLOCKS) !== chunk) {
            throw new PrimoError('invalid-option', `rows must be of chunk ${chunk}, got block ${batch.block}`, {
              field: 'rows',
              value: batch.block,
            })
          }
          yield batch
        }
      },
    },
  }
}
