// A worker: takes jobs from the queue, runs them in threads and leaves the outputs. This thread tells the database that it is
// alive by moving the start of its jobs forward; pg-boss gives jobs whose start is older than their lease to somebody else.
// Outputs depend on the job only, so it does no harm when two workers finish the same one.

import { setTimeout } from 'node:timers/promises'
import { type Job, type JobOutput, type JobQueue, patiently, SCHEMA } from './job-queue.js'
import { type JobRunner, startRunner } from './run-job.js'

export interface TakeOptions {
  readonly threads: number
  /** Files of code that jobs may ask for, by hash; default none. */
  readonly use?: readonly string[]
  /** End when nothing waits and nobody works; default: wait for more. */
  readonly untilEmpty?: boolean
  /** Ends the work; jobs under way are given back. */
  readonly signal: AbortSignal
  readonly onJob?: (job: Job) => void
}

/** Milliseconds between looks at an empty queue: they double. */
const SHORTEST_IDLE = 50
const LONGEST_IDLE = 500
/** Milliseconds; the job after a longer one is left for other workers until it can be run. */
const SHORT = 1000

interface TakenJob {
  readonly id: string
  readonly data: Job
  readonly expireInSeconds: number
}

export async function takeJobs(queue: JobQueue, options: TakeOptions): Promise<void> {
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

async function takeInThread(queue: JobQueue, taken: Map<string, TakenJob>, options: TakeOptions): Promise<void> {
  const { boss, name } = queue
  const { signal } = options
  let runner: JobRunner | undefined
  const stop = () => void runner?.stop()
  const take = async (): Promise<TakenJob | undefined> => {
    const [job] = (await patiently(() => boss.fetch<Job>(name))) as unknown as TakenJob[]
    if (job !== undefined) taken.set(job.id, job)
    return job
  }
  const leave = async (job: TakenJob, output: JobOutput) => {
    await patiently(() => boss.complete(name, job.id, output))
    taken.delete(job.id)
    options.onJob?.(job.data)
  }
  // A thread does not wait for the database between short jobs: the next one is there already, the last output on its way.
  let next: Promise<TakenJob | undefined> | undefined
  let leaving = Promise.resolve()
  let short = false
  let idle = SHORTEST_IDLE
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const job = await (next ?? take())
      next = undefined
      if (job === undefined) {
        await leaving
        await patiently(() => boss.expire())
        const size = await patiently(() => boss.getQueueSize(name, { before: 'completed' }))
        if (options.untilEmpty === true && size === 0) return
        await setTimeout(idle, undefined, { signal }).catch(() => undefined)
        idle = Math.min(LONGEST_IDLE, 2 * idle)
        continue
      }
      idle = SHORTEST_IDLE
      if (runner?.suits(job.data) !== true) {
        await runner?.stop()
        runner = startRunner(job.data, options.use ?? [])
      }
      if (short) next = quietly(take())
      const started = performance.now()
      const output = await runner.run(job.data)
      short = performance.now() - started < SHORT
      if (signal.aborted) return
      // A thread that failed is not used again.
      if ('error' in output) {
        await runner.stop()
        runner = undefined
      }
      await leaving
      leaving = quietly(leave(job, output))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    // What was taken meanwhile is known and given back.
    await next?.catch(() => undefined)
    await leaving
    await runner?.stop()
  }
}

/** A failure is told to whoever waits for it, and to nobody else. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

/** Four times within the shortest lease. */
async function keepAlive({ boss, name }: JobQueue, taken: ReadonlyMap<string, TakenJob>, over: AbortSignal) {
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
      // The next time will do; if none does, somebody else runs the jobs.
      .catch(() => undefined)
  }
}
