// Puts jobs on the queue and hands every output on as workers finish them. An output leaves the queue after it was handed on, so
// a submitter that dies and is started again loses nothing. Jobs that are no longer there (another submitter of the same work
// took their outputs) are put back.

import { setTimeout } from 'node:timers/promises'
import { type Job, type JobOutput, type JobQueue, jobId, jobName, patiently, SCHEMA } from './job-queue.js'

export interface SubmitOptions {
  /** Seconds without a sign of life after which a worker's jobs go to another one. */
  readonly lease: number
  /** Nobody has taken anything for a while. */
  readonly onIdle?: () => void
  /** Drops what the queue holds of these jobs from before. Default false. */
  readonly fresh?: boolean
}

/** How often workers may die over the same job. */
const RETRIES = 10
const POLL = 100
const LOOK = 5000
const BATCH = 500

/** All jobs, the first ones first; those that are not `needed` are only known by their place. */
export async function submitJobs<J extends Job>(
  queue: JobQueue,
  jobs: readonly J[],
  needed: (job: J) => boolean,
  onOutput: (job: J, texts: readonly string[]) => void,
  options: SubmitOptions,
): Promise<void> {
  const { boss, name } = queue
  const open = new Map<string, J>()
  const places = new Map<string, number>()
  jobs.forEach((job, place) => {
    const id = jobId(job)
    places.set(id, place)
    if (needed(job)) open.set(id, job)
  })
  const put = async (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += BATCH) {
      await boss.insert(
        ids.slice(at, at + BATCH).map((id) => ({
          id,
          name,
          data: open.get(id)!,
          priority: -places.get(id)!,
          expireInSeconds: options.lease,
          retryLimit: RETRIES,
          retryDelay: 0,
        })),
      )
    }
  }
  const drop = async (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += BATCH) await boss.deleteJob(name, ids.slice(at, at + BATCH))
  }
  if (options.fresh === true) await drop([...places.keys()])
  await patiently(() => put([...open.keys()]))
  let looked = performance.now()
  while (open.size > 0) {
    const ended = await patiently(() => endedJobs(queue, [...open.keys()]))
    for (const { id, output } of ended) {
      if (output === null || !('texts' in output)) {
        await drop([...open.keys()])
        throw new Error(failureOf(open.get(id)!, output))
      }
      onOutput(open.get(id)!, output.texts)
      open.delete(id)
    }
    if (ended.length > 0) await patiently(() => drop(ended.map(({ id }) => id)))
    if (open.size === 0) return
    if (performance.now() - looked > LOOK) {
      looked = performance.now()
      await patiently(() => boss.expire())
      const there = await patiently(() => jobsThere(queue, [...open.keys()]))
      await patiently(() => put([...open.keys()].filter((id) => !there.has(id))))
      if (![...there.values()].includes('active')) options.onIdle?.()
    }
    await setTimeout(POLL)
  }
}

/** Says once that nobody works. */
export function tellIdle(): () => void {
  let told = false
  return () => {
    if (!told) process.stderr.write('nobody works on the queue; start workers with: primo worker --queue ADDRESS\n')
    told = true
  }
}

async function endedJobs({ boss, name }: JobQueue, ids: readonly string[]) {
  const { rows } = await boss
    .getDb()
    .executeSql(
      `SELECT id, output FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state IN ('completed', 'failed') LIMIT ${BATCH}`,
      [name, ids as string[]],
    )
  return rows as { id: string; output: JobOutput | null }[]
}

async function jobsThere({ boss, name }: JobQueue, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await boss
    .getDb()
    .executeSql(`SELECT id, state FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[])`, [name, ids as string[]])
  return new Map((rows as { id: string; state: string }[]).map(({ id, state }) => [id, state]))
}

function failureOf(job: Job, output: JobOutput | null): string {
  return output !== null && 'error' in output
    ? `${jobName(job)} failed: ${output.error}`
    : `${jobName(job)} must be finished within ${RETRIES + 1} attempts, but the worker died or was stopped each time`
}
