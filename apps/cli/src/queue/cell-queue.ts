// The queue of cells: jobs of pg-boss in a schema of its own, one queue per version of Primo, so that a worker never runs cells
// of another version. A job is some cells of one world with the spec they belong to; its id is a function of both, so a run
// that is submitted again finds its jobs, waiting, under way or done. Spec and rows travel as text: a database's JSON does not
// keep the order of fields, and rows must be the same bytes as those of a local run.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Cell } from '@primo/lab/node'
import PgBoss from 'pg-boss'
import { UsageError } from '../output.js'

export const SCHEMA = 'primo_queue'

export interface CellJob {
  /** The run's spec, as JSON text. */
  readonly spec: string
  readonly cells: readonly Cell[]
}

/** What a worker leaves: the rows as JSON text in the order of the cells, or the sentence of an error. */
export type CellOutput = { readonly rows: readonly string[] } | { readonly error: string }

export interface CellQueue {
  readonly boss: PgBoss
  readonly name: string
  readonly close: () => Promise<void>
}

export async function openCellQueue(address: string): Promise<CellQueue> {
  if (!/^postgres(ql)?:\/\//.test(address)) {
    throw new UsageError(`--queue must be an address that begins with postgres://, got "${address}"`)
  }
  const boss = new PgBoss({ connectionString: address, schema: SCHEMA, supervise: false, schedule: false, max: 4 })
  // A connection that breaks while idle is replaced by the pool; calls that need one fail by themselves.
  boss.on('error', () => undefined)
  try {
    await boss.start()
    const name = `cells-${version()}`
    await boss.createQueue(name)
    return { boss, name, close: () => boss.stop({ graceful: false, wait: true }) }
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined)
    throw new Error(`--queue must be a database that can be reached: ${sentence(error)}`)
  }
}

export function jobId({ spec, cells }: CellJob): string {
  const hash = createHash('sha256')
    .update(spec)
    .update(cells.map(({ index }) => `/${index}`).join(''))
    .digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
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
