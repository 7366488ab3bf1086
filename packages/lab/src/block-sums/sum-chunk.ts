// Sums of one chunk of a log for the linear reward fit: what one worker does, here or on another machine that reads the file.
// The fit from the sums of all chunks has the bits of the fit in one process.

import type { LinearOptions } from '@primo/core'
import { type ChunkSums, encodingOf, type LinearModel, linearSums } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import { tableError } from '../tables/table-error.js'
import { type ChunkedLog, openChunkedLog } from './log-chunk.js'

/** Everything a worker needs to know, as JSON. */
export interface ChunkTask {
  readonly file: string
  readonly bytes: number
  readonly rounds: number
  readonly options: LinearOptions
  readonly chunk: number
}

/** One task per chunk of a log, for threads or workers elsewhere. */
export function chunkTasks({ file, bytes, rounds, chunks }: ChunkedLog, options: LinearOptions): readonly ChunkTask[] {
  return Array.from({ length: chunks }, (_, chunk) => ({ file, bytes, rounds, options, chunk }))
}

/** Sums one chunk for the linear reward fit; refuses a log that is not the one of the task. */
export async function sumChunk({ file, bytes, rounds, options, chunk }: ChunkTask): Promise<ChunkSums> {
  const log = await openChunkedLog(file)
  if (log.bytes !== bytes || log.rounds !== rounds) {
    const rule = `the log must have ${bytes} bytes and ${rounds} rounds as where the fit began`
    throw new PrimoError('invalid-option', `${rule}, got ${log.bytes} and ${log.rounds}: "${file}"`, { value: file })
  }
  return linearSums(encodingOf(log.problem), options).sumChunk(chunk, await log.read(chunk))
}

/** The model of the whole log from the sums of all its chunks, in any order. */
export async function fitChunks(
  log: ChunkedLog,
  options: LinearOptions,
  sums: readonly ChunkSums[],
): Promise<LinearModel> {
  const used = sums.filter((chunk) => chunk.sums.some(({ count }) => count > 0))
  if (used.length === 0) throw tableError('table-empty', log.file, 'must have rounds with a final reward, got none')
  const last = Math.max(...used.map(({ chunk }) => chunk))
  return linearSums(encodingOf(log.problem), options).fit(sums, await log.read(last))
}

/** Sums as text that keeps every bit. */
export function packSums({ chunk, sums }: ChunkSums): string {
  return JSON.stringify({
    chunk,
    sums: sums.map(({ gram, weight, ...rest }) => ({ ...rest, bits: packed([weight, ...gram]) })),
  })
}

/** The sums that `packSums` wrote as text. */
export function unpackSums(text: string): ChunkSums {
  const { chunk, sums } = JSON.parse(text) as {
    chunk: number
    sums: readonly { columns: number; count: number; bits: string }[]
  }
  return {
    chunk,
    sums: sums.map(({ bits, ...rest }) => {
      const bytes = Uint8Array.from(Buffer.from(bits, 'base64'))
      const numbers = new Float64Array(bytes.buffer)
      return { ...rest, weight: numbers[0]!, gram: numbers.slice(1) }
    }),
  }
}

function packed(numbers: readonly number[]): string {
  return Buffer.from(Float64Array.from(numbers).buffer).toString('base64')
}
