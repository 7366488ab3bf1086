// Sums of a part of a block file, for the linear reward fit: what one worker does. It holds one block at a time.

import {
  BLOCK_ROUNDS,
  CHUNK_ROUNDS,
  type ChunkSums,
  encodingOf,
  type LinearModel,
  type LinearOptions,
  linearSums,
  type Problem,
  type RoundRange,
  RoundTable,
  rewardRows,
  type SummableRows,
} from '@primo/core'
import { type BlockFile, openBlockFile } from './block-file.js'

/** Everything a worker needs to know, as JSON. */
export interface SumTask {
  readonly path: string
  readonly problem: Problem
  readonly options: LinearOptions
  /** Chunks from (inclusive) to (exclusive). */
  readonly chunks: { readonly from: number; readonly to: number }
}

export function chunkCount(rounds: number): number {
  return Math.ceil(rounds / CHUNK_ROUNDS)
}

export function sumBlocks({ path, problem, options, chunks }: SumTask): readonly ChunkSums[] {
  const file = openBlockFile(path)
  try {
    const { sumChunk } = linearSums(encodingOf(problem), options)
    return Array.from({ length: chunks.to - chunks.from }, (_, i) => {
      const chunk = chunks.from + i
      return sumChunk(chunk, blockFileRows(file, chunkRange(chunk, file.header.rounds)))
    })
  } finally {
    file.close()
  }
}

/** The model of the whole log from the sums of all its chunks. */
export function fitChunks(task: Omit<SumTask, 'chunks'>, sums: readonly ChunkSums[]): LinearModel {
  const file = openBlockFile(task.path)
  try {
    const last = sums
      .filter((chunk) => chunk.sums.some(({ count }) => count > 0))
      .reduce((newest, { chunk }) => Math.max(newest, chunk), 0)
    const newest = blockFileRows(file, chunkRange(last, file.header.rounds))
    return linearSums(encodingOf(task.problem), task.options).fit(sums, newest)
  } finally {
    file.close()
  }
}

function chunkRange(chunk: number, rounds: number): RoundRange {
  return { from: chunk * CHUNK_ROUNDS, to: Math.min(rounds, (chunk + 1) * CHUNK_ROUNDS) }
}

/** The closed rounds of a range; batches are read from the file as they are asked for. */
export function blockFileRows({ header, read }: BlockFile, range: RoundRange): SummableRows {
  const { shape, actionCount } = header
  return {
    actionCount,
    batches: {
      *[Symbol.iterator]() {
        for (let index = Math.floor(range.from / BLOCK_ROUNDS); index * BLOCK_ROUNDS < range.to; index++) {
          const table = new RoundTable(shape)
          table.blocks[index] = read(index)
          const from = Math.max(range.from, index * BLOCK_ROUNDS)
          const to = Math.min(range.to, (index + 1) * BLOCK_ROUNDS)
          yield* rewardRows(table, { from, to }, actionCount).batches
        }
      },
    },
  }
}
