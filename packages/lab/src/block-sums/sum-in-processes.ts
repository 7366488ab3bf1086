// Shares the chunks of a block file out over processes of their own and gathers their sums.

import { fork } from 'node:child_process'
import type { ChunkSums } from '@primo/core'
import { openBlockFile } from './block-file.js'
import { chunkCount, type SumTask } from './sum-blocks.js'

export interface ProcessSums {
  readonly sums: readonly ChunkSums[]
  /** Largest resident memory of each process, in bytes. */
  readonly memory: readonly number[]
}

export interface SumReply {
  readonly sums: readonly ChunkSums[]
  readonly memory: number
}

export async function sumInProcesses(task: Omit<SumTask, 'chunks'>, processes: number): Promise<ProcessSums> {
  const file = openBlockFile(task.path)
  const chunks = chunkCount(file.header.rounds)
  file.close()
  const bounds = Array.from({ length: processes + 1 }, (_, i) => Math.floor((i * chunks) / processes))
  const parts = await Promise.all(
    bounds.slice(0, -1).map((from, i) => sumInProcess({ ...task, chunks: { from, to: bounds[i + 1]! } })),
  )
  return { sums: parts.flatMap(({ sums }) => sums), memory: parts.map(({ memory }) => memory) }
}

function sumInProcess(task: SumTask): Promise<SumReply> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./sum-process.js', import.meta.url), { serialization: 'advanced' })
    child.once('message', (reply: SumReply) => {
      resolve(reply)
      child.disconnect()
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`a process that sums blocks must answer before it ends, got ${signal ?? `exit code ${code}`}`)),
    )
    child.send(task)
  })
}
