// Puts cells on the queue and hands every row on as workers finish them. A result leaves the queue after it was handed on, so
// a submitter that dies and is started again loses nothing. Jobs that are no longer there (another submitter of the same run
// took their results) are put back.

import { setTimeout } from 'node:timers/promises'
import { type Cell, cellGroups, type FinishedCell, type RunRow, type RunSpec } from '@primo/lab/node'
import { type CellJob, type CellOutput, type CellQueue, jobId, patiently, SCHEMA } from './cell-queue.js'

export interface SubmitOptions {
  /** Cells whose rows are known already. */
  readonly finished: (cell: number) => boolean
  /** Seconds without a sign of life after which a worker's cells go to another one. */
  readonly lease: number
  readonly onRow: (done: FinishedCell) => void
  /** Nobody has taken anything for a while. */
  readonly onIdle?: () => void
  /** Drops what the queue holds of this run from before. Default false. */
  readonly fresh?: boolean
}

/** With fewer worlds than this the cells of a world may go to several workers. */
const PARTS = 32
/** How often workers may die over the same cells. */
const RETRIES = 10
const POLL = 200
const LOOK = 5000
const BATCH = 500

export async function submitCells(
  queue: CellQueue,
  spec: RunSpec,
  cells: readonly Cell[],
  options: SubmitOptions,
): Promise<void> {
  const { boss, name } = queue
  const text = JSON.stringify(spec)
  // Groups of all cells, not of those left: so their ids are the same when the run is continued.
  const open = new Map<string, CellJob>()
  const places = new Map<string, number>()
  cellGroups(cells, PARTS).forEach((group, place) => {
    const job: CellJob = { spec: text, cells: group }
    const id = jobId(job)
    places.set(id, place)
    if (group.some(({ index }) => !options.finished(index))) open.set(id, job)
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
      if (output === null || !('rows' in output)) {
        await drop([...open.keys()])
        throw new Error(failureOf(open.get(id)!, output))
      }
      open.get(id)!.cells.forEach(({ index }, i) => {
        if (!options.finished(index)) options.onRow({ cell: index, row: JSON.parse(output.rows[i]!) as RunRow })
      })
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

async function endedJobs({ boss, name }: CellQueue, ids: readonly string[]) {
  const { rows } = await boss
    .getDb()
    .executeSql(
      `SELECT id, output FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state IN ('completed', 'failed') LIMIT ${BATCH}`,
      [name, ids as string[]],
    )
  return rows as { id: string; output: CellOutput | null }[]
}

async function jobsThere({ boss, name }: CellQueue, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await boss
    .getDb()
    .executeSql(`SELECT id, state FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[])`, [name, ids as string[]])
  return new Map((rows as { id: string; state: string }[]).map(({ id, state }) => [id, state]))
}

function failureOf({ cells }: CellJob, output: CellOutput | null): string {
  const which = cells.length === 1 ? `cell ${cells[0]!.index}` : `cells ${cells[0]!.index} to ${cells.at(-1)!.index}`
  return output !== null && 'error' in output
    ? `${which} failed: ${output.error}`
    : `${which} must be finished within ${RETRIES + 1} attempts, but the worker died or was stopped each time`
}
