// Runs the cells of a study in worker threads and makes the result. With one worker everything happens in this
// thread. The result does not depend on the number of workers.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Study, StudyOptions, StudyResult } from '@primo/lab/node'
import { PrimoError } from '@primo/numeric'
import { Found } from './found.js'
import type { Cell, Size, StudyRow, StudySpec, World } from './study-spec.js'

/** A place of work: a world by its index, and a repeat. */
export interface CellTask {
  readonly world: number
  readonly repeat: number
}

/** Data of a thread besides its tasks; JSON-safe. */
export interface ThreadData {
  readonly study: string
  readonly options: Omit<StudyOptions, 'workers' | 'onProgress'>
}

export interface RunnableStudy extends Study {
  /** Runs one cell; for threads. */
  readonly cellRunner: (options: ThreadData['options']) => (task: CellTask) => Promise<Cell>
}

/** So far are the seeds of a second look from those of the first. */
const AGAIN_FROM = 500_000

export function defineStudy<W extends World, S extends Size>(spec: StudySpec<W, S>): RunnableStudy {
  const { name, title, claim } = spec
  const cellRunner: RunnableStudy['cellRunner'] = (options) => {
    const size = sizeOf(spec, options)
    const worlds = worldsOf(spec, size, options)
    const { policies } = options
    return async ({ world, repeat }) => {
      const seed = options.seed + repeat
      return spec.measure(worlds[world]!, { size, seed, repeat, ...(policies === undefined ? {} : { policies }) })
    }
  }
  return { name, title, claim, cellRunner, run: (options) => runStudy(spec, cellRunner, options) }
}

function sizeOf<W extends World, S extends Size>(
  spec: StudySpec<W, S>,
  { scale, size = {} }: Pick<StudyOptions, 'scale' | 'size'>,
): S {
  const usual = spec[scale]
  for (const [field, value] of Object.entries(size)) {
    if (!Object.hasOwn(usual, field) || !Number.isInteger(value) || value <= 0)
      throw new PrimoError(
        'invalid-option',
        `size of study ${spec.name} has the numbers ${Object.keys(usual).join(', ')}, all whole and above 0, got ${field}=${value}`,
        { field, value },
      )
  }
  return { ...usual, ...size }
}

function worldsOf<W extends World, S extends Size>(
  spec: StudySpec<W, S>,
  size: S,
  { worlds: wanted }: Pick<StudyOptions, 'worlds'>,
): readonly W[] {
  const worlds = spec.worlds(size)
  const unknown = wanted?.find((name) => !worlds.some((one) => one.name === name))
  if (unknown !== undefined)
    throw new PrimoError(
      'invalid-option',
      `worlds of study ${spec.name} are ${worlds.map(({ name }) => name).join('; ')}, got "${unknown}"`,
      { field: 'worlds', value: unknown },
    )
  return wanted === undefined ? worlds : worlds.filter(({ name }) => wanted.includes(name))
}

async function runStudy<W extends World, S extends Size>(
  spec: StudySpec<W, S>,
  cellRunner: RunnableStudy['cellRunner'],
  options: StudyOptions,
): Promise<StudyResult> {
  const { scale, seed, policies } = options
  if (policies !== undefined && spec.judgesPolicies !== true)
    throw new PrimoError(
      'invalid-option',
      `study ${spec.name} compares policies of its own. Leave policies out, or run the study strangers`,
      { field: 'policies', value: policies },
    )
  const absent = spec.absent?.() ?? null
  if (absent !== null) {
    const conclusion = `Passed over: the table ${absent} is not in the data folder (PRIMO_DATA names it; default ../shared/data beside the checkout).`
    return { settings: { scale, seed }, tables: [], plots: [], verdicts: [], conclusion }
  }
  const size = sizeOf(spec, options)
  const worlds = worldsOf(spec, size, options)
  const rowsOf = async (some: readonly W[], repeatsOf: (world: W) => number, from: number, how: StudyOptions) => {
    const tasks = some.flatMap((world) =>
      Array.from({ length: repeatsOf(world) }, (_, k) => ({ world: worlds.indexOf(world), repeat: from + k })),
    )
    const cells = await runTasks(tasks, cellRunner, spec.name, how)
    return cells.flatMap((cell, at) =>
      Object.entries(cell).map(([arm, figures]): StudyRow => {
        const { world, repeat } = tasks[at]!
        return { world: worlds[world]!.name, arm, seed: seed + repeat, figures }
      }),
    )
  }
  const rows = await rowsOf(worlds, (world) => spec.repeats?.(world, size) ?? size.repeats, 0, options)
  const found = new Found(worlds, size, scale === 'full', rows)
  const again = spec.again?.(found)
  if (again !== undefined && again.worlds.length > 0) {
    const second = await rowsOf(again.worlds, () => again.repeats, AGAIN_FROM, { ...options, onProgress: () => {} })
    found.again = new Found(again.worlds, size, scale === 'full', second)
    rows.push(...second)
  }
  return {
    settings: { ...size, 'first seed': seed, scale },
    tables: spec.tables(found),
    plots: spec.plots?.(found) ?? [],
    verdicts: spec.verdicts(found),
    rows,
  }
}

async function runTasks(
  tasks: readonly CellTask[],
  cellRunner: RunnableStudy['cellRunner'],
  study: string,
  { workers = Math.min(8, availableParallelism()), onProgress, ...shared }: StudyOptions,
): Promise<readonly Cell[]> {
  const cells: Cell[] = new Array(tasks.length)
  let next = 0
  let done = 0
  const work = async (run: (task: CellTask) => Promise<Cell>) => {
    for (let at = next++; at < tasks.length; at = next++) {
      cells[at] = await run(tasks[at]!)
      onProgress?.(++done / tasks.length)
    }
  }
  if (workers <= 1) {
    const run = cellRunner(shared)
    await work(async (task) => {
      // Lets a progress bar draw between two cells.
      await new Promise((resolve) => setImmediate(resolve))
      return run(task)
    })
    return cells
  }
  const workerData: ThreadData = { study, options: shared }
  const threads = Array.from(
    { length: Math.min(workers, tasks.length) },
    () => new Worker(new URL('../study-thread.js', import.meta.url), { workerData }),
  )
  try {
    await Promise.all(threads.map((thread) => work((task) => answerOf(thread, task))))
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
  return cells
}

function answerOf(thread: Worker, task: CellTask): Promise<Cell> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      thread.off('message', answer).off('error', fail)
      end()
    }
    const answer = (cell: Cell) => settle(() => resolve(cell))
    const fail = (error: Error) => settle(() => reject(error))
    thread.on('message', answer).on('error', fail)
    thread.postMessage(task)
  })
}
