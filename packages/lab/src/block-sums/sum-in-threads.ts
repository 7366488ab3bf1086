// The chunks of a log, summed in threads of this process.

import type { ChunkSums } from '@primo/core/engine'
import { startChunkThread } from './chunk-thread.js'
import { type ChunkTask, unpackSums } from './sum-chunk.js'

/** Sums the chunks of a log in threads of this process. */
export async function sumInThreads(
  tasks: readonly ChunkTask[],
  threads: number,
  onChunk: () => void = () => undefined,
): Promise<readonly ChunkSums[]> {
  const left = [...tasks]
  const sums: ChunkSums[] = []
  const work = async () => {
    const thread = startChunkThread()
    try {
      for (let task = left.shift(); task !== undefined; task = left.shift()) {
        sums.push(unpackSums(await thread.run(task)))
        onChunk()
      }
    } finally {
      await thread.stop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, work))
  return sums
}
