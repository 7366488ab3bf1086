// A worker: takes cells from the queue, runs them in threads and leaves the rows. This thread tells the database that it is
// alive by moving the start of its jobs forward; pg-boss gives jobs whose start is older than their lease to somebody else.
// Rows depend on the cell only, so it does no harm when two workers finish the same one.

import { setTimeout } from 'node:timers/promises'
import { type Cell, type CellThread, type RunSpec, startCellThread } from '@primo/lab/node'
import { type CellJob, type CellOutput, type CellQueue, patiently, SCHEMA } from './cell-queue.js'

export interface TakeOptions {
  readonly threads: number
  /** End when nothing waits and nobody works; default: wait for more. */
  readonly untilEmpty?: boolean
  /** Ends the work; cells under way are given back. */
  readonly signal: AbortSignal
  readonly onCells?: (cells: number) => void
}

const IDLE = 500

interface TakenJob {
  readonly id: string
  readonly data: CellJob
  readonly expireInSeconds: number
}

export async function takeCells(queue: CellQueue, options: TakeOptions): Promise<void> {
  const { boss, name } = queue
  const { signal } = options
  const taken = new Map<string, TakenJob>()
  const over = new AbortController()
  const living = keepAlive(queue, taken, over.signal)
  // When one thread's loop fails the others end too.
  const each = { ...options, signal: AbortSignal.any([signal, over.signal]) }
  try {
    await Promise.all(Array.from({ length: options.threads }, () => takeInThread(queue, taken, each)))
  } finally {
    over.abort()
    await living
    if (signal.aborted && taken.size > 0) await boss.fail(name, [...taken.keys()])
  }
}

async function takeInThread(queue: CellQueue, taken: Map<string, TakenJob>, options: TakeOptions): Promise<void> {
  const { boss, name } = queue
  const { signal } = options
  let thread: { readonly spec: string; readonly cells: CellThread } | undefined
  const stop = () => void thread?.cells.stop()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const [job] = (await boss.fetch<CellJob>(name)) as unknown as TakenJob[]
      if (job === undefined) {
        await patiently(() => boss.expire())
        const size = await patiently(() => boss.getQueueSize(name, { before: 'completed' }))
        if (options.untilEmpty === true && size === 0) return
        await setTimeout(IDLE, undefined, { signal }).catch(() => undefined)
        continue
      }
      taken.set(job.id, job)
      if (thread?.spec !== job.data.spec) {
        await thread?.cells.stop()
        thread = { spec: job.data.spec, cells: startCellThread(JSON.parse(job.data.spec) as RunSpec) }
      }
      const output = await outputOf(thread.cells, job.data.cells)
      if (signal.aborted) return
      // A thread that failed is not used again.
      if ('error' in output) {
        await thread.cells.stop()
        thread = undefined
      }
      await patiently(() => boss.complete(name, job.id, output))
      taken.delete(job.id)
      options.onCells?.(job.data.cells.length)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await thread?.cells.stop()
  }
}

async function outputOf(thread: CellThread, cells: readonly Cell[]): Promise<CellOutput> {
  const rows: string[] = []
  try {
    for (const cell of cells) rows.push(JSON.stringify(await thread.run(cell)))
  } catch (error) {
    return { error: (error as Error).message }
  }
  return { rows }
}

/** Four times within the shortest lease. */
async function keepAlive({ boss, name }: CellQueue, taken: ReadonlyMap<string, TakenJob>, over: AbortSignal) {
  let told = performance.now()
  while (!over.aborted) {
    await setTimeout(100, undefined, { signal: over }).catch(() => undefined)
    const lease = Math.min(...[...taken.values()].map(({ expireInSeconds }) => expireInSeconds))
    if (over.aborted || performance.now() - told < 250 * lease) continue
    told = performance.now()
    const text = `UPDATE ${SCHEMA}.job SET started_on = now() WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`
    await boss
      .getDb()
      .executeSql(text, [name, [...taken.keys()]])
      // The next time will do; if none does, somebody else runs the cells.
      .catch(() => undefined)
  }
}
