// The queue: jobs of pg-boss in a schema of its own, one queue per version of Primo, so that a worker never runs jobs of another
// version. The id of a job is a function of what it asks for, so work that is submitted again finds its jobs, waiting, under way
// or done. What must keep its bytes (specs, rows, sums) travels as text: a database's JSON does not keep the order of fields.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Cell, ChunkTask } from '@primo/lab/node'
import PgBoss from 'pg-boss'
import { UsageError } from '../output.js'

export const SCHEMA = 'primo_queue'
/** As PostgreSQL calls it. */
const DEADLOCK = '40P01'
const ATTEMPTS = 10

/** Some cells of one world with the spec they belong to, as JSON text. */
export interface CellJob {
  readonly kind: 'cells'
  readonly spec: string
  readonly cells: readonly Cell[]
}

/** One chunk of a log to be summed. */
export interface ChunkJob {
  readonly kind: 'chunk'
  readonly task: ChunkTask
}

export type Job = CellJob | ChunkJob

/** What a worker leaves: texts (the row of each cell, or the sums of the chunk), or the sentence of an error. */
export type JobOutput = { readonly texts: readonly string[] } | { readonly error: string }

export interface JobQueue {
  readonly boss: PgBoss
  readonly name: string
  readonly close: () => Promise<void>
}

export async function openJobQueue(address: string): Promise<JobQueue> {
  if (!/^postgres(ql)?:\/\//.test(address)) {
    throw new UsageError(`--queue must be an address that begins with postgres://, got "${address}"`)
  }
  for (let attempt = 1; ; attempt++) {
    const boss = new PgBoss({ connectionString: address, schema: SCHEMA, supervise: false, schedule: false, max: 4 })
    // A connection that breaks while idle is replaced by the pool; calls that need one fail by themselves.
    boss.on('error', () => undefined)
    try {
      await boss.start()
      const name = `jobs-${version()}`
      await boss.createQueue(name)
      return { boss, name, close: () => boss.stop({ graceful: false, wait: true }) }
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined)
      // Those who open an empty database at the same time make its tables at the same time; one of them has to try again.
      if ((error as { code?: string }).code === DEADLOCK && attempt < ATTEMPTS) continue
      throw new Error(`--queue must be a database that can be reached: ${sentence(error)}`)
    }
  }
}

export function jobId(job: Job): string {
  const parts = job.kind === 'cells' ? [job.spec, ...job.cells.map(({ index }) => `/${index}`)] : [JSON.stringify(job)]
  const hash = createHash('sha256').update(parts.join('')).digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}

/** As it is called in a sentence. */
export function jobName(job: Job): string {
  if (job.kind === 'chunk') return `chunk ${job.task.chunk} of "${job.task.file}"`
  const { cells } = job
  return cells.length === 1 ? `cell ${cells[0]!.index}` : `cells ${cells[0]!.index} to ${cells.at(-1)!.index}`
}

/** A connection refused by several addresses of one name has no message of its own. */
export function sentence(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}

/** Calls again, a second apart, while the database cannot be reached; gives up after `patience` seconds. */
export async function patiently<T>(call: () => Promise<T>, patience = 300): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await call()
    } catch (error) {
      if (failures >= patience) throw error
      if (failures === 0) process.stderr.write(`the queue does not answer (${sentence(error)}); trying again\n`)
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
