// primo fit LOG: the linear reward model of a decision log of any size, summed by threads here or by the workers of a queue.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Interactions, LinearOptions } from '@primo/core'
import type { ChunkSums, LinearModel, MissingIndicator } from '@primo/core/engine'
import {
  type ChunkedLog,
  type ChunkTask,
  chunkTasks,
  fitChunks,
  openChunkedLog,
  progressBar,
  sumInThreads,
  unpackSums,
  writeLog,
} from '@primo/lab/node'
import { Command } from 'commander'
import { checkFolder, print, printJson, realNumber, UsageError, wholeNumber } from '../output.js'
import { openJobQueue } from '../queue/job-queue.js'
import { submitJobs, tellIdle } from '../queue/submit-jobs.js'
import { addTableArgument, interactions, tableOf } from '../table-flags.js'
import { logOf } from './spec-log.js'

interface FitFlags {
  readonly spec?: string
  readonly table?: string
  readonly interactions?: Interactions
  readonly indicator?: string
  readonly ridge?: number
  readonly shared?: number
  readonly workers?: number
  readonly queue?: string
  readonly lease: number
  readonly out?: string
  readonly json?: boolean
}

const HELP = `
The log is read in chunks of 262,144 rounds. Each is summed on its own and the sums are merged, so the model is the same to the
last bit on one thread, on many, and on a queue. With --queue the workers must be able to read the log under the same path.

Examples:
  primo export --store sqlite:primo-data/primo.db --problem dose --out dose.parquet
  primo fit dose.parquet --interactions all --out dose-rewards.json
  primo fit /shared/dose.parquet --queue postgres://user:password@host/database
`

export function fitCommand(): Command {
  const command = new Command('fit')
  return addTableArgument(
    command,
    'a decision log in Parquet (docs/log-format.md), or a table of decisions with --spec',
  )
    .option('--spec <file>', 'what each column of a table is, as primo inspect --action --reward writes it')
    .option('--interactions <list>', 'products in the linear class: none, all, or z:x1,z:x2', interactions)
    .option('--indicator <how>', 'columns for missing covariates: none, intercept or interacted (default: none)')
    .option('--ridge <r>', 'ridge toward the pooled mean reward (default: 0.05)', realNumber('--ridge'))
    .option('--shared <r>', 'ridge of a part shared by all actions (default: no such part)', realNumber('--shared'))
    .option('--workers <n>', 'threads (default: the number of cores, at most 8)', wholeNumber('--workers', 1))
    .option('--queue <address>', 'let primo worker take the sums, over the database postgres://...')
    .option(
      '--lease <seconds>',
      'with --queue: how long a worker may be silent before others take over its work',
      wholeNumber('--lease', 1),
      20,
    )
    .option('--out <file>', 'write the model to this file, as JSON')
    .option('--json', 'the model as one JSON object on stdout, nothing else')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(given: string | undefined, flags: FitFlags): Promise<void> {
  const file = tableOf(given, flags.table)
  checkFolder('--out', flags.out)
  if (flags.spec === undefined) return fitLog(file, flags)
  if (flags.queue !== undefined)
    throw new UsageError('--queue needs a decision log that all workers can read: primo convert --spec makes one')
  const folder = mkdtempSync(join(tmpdir(), 'primo-fit-'))
  try {
    const { header, rows } = await logOf(file, flags.spec)
    await writeLog(join(folder, 'log.parquet'), header, rows())
    await fitLog(join(folder, 'log.parquet'), flags)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fitLog(file: string, flags: FitFlags): Promise<void> {
  if (flags.queue !== undefined && flags.workers !== undefined)
    throw new UsageError('--workers cannot be combined with --queue: give it to primo worker')
  const options: LinearOptions = {
    ...(flags.interactions === undefined ? {} : { interactions: flags.interactions }),
    ...(flags.indicator === undefined ? {} : { indicator: flags.indicator as MissingIndicator }),
    ...(flags.ridge === undefined ? {} : { ridge: flags.ridge }),
    ...(flags.shared === undefined ? {} : { shared: flags.shared }),
  }
  const log = await openChunkedLog(resolve(file))
  const tasks = chunkTasks(log, options)
  const progress = progressBar('summing', tasks.length)
  const sums =
    flags.queue === undefined
      ? await sumInThreads(tasks, flags.workers ?? Math.min(8, availableParallelism()), progress.advance)
      : await sumOnQueue(flags.queue, tasks, flags.lease, progress.advance)
  progress.done()
  const model = await fitChunks(log, options, sums)
  if (flags.out !== undefined) writeFileSync(flags.out, `${JSON.stringify(model)}\n`)
  if (flags.json === true) printJson(model)
  else print(textOf(log, model))
}

async function sumOnQueue(
  address: string,
  tasks: readonly ChunkTask[],
  lease: number,
  onChunk: () => void,
): Promise<readonly ChunkSums[]> {
  const queue = await openJobQueue(address)
  const sums: ChunkSums[] = []
  try {
    await submitJobs(
      queue,
      tasks.map((task) => ({ kind: 'chunk' as const, task })),
      () => true,
      (_, texts) => {
        sums.push(unpackSums(texts[0]!))
        onChunk()
      },
      { lease, onIdle: tellIdle() },
    )
  } finally {
    await queue.close()
  }
  return sums
}

function textOf(
  { rounds, chunks, header }: ChunkedLog,
  { rows, sigma, clippedShare, coefficients }: LinearModel,
): string {
  const used = rows.reduce((sum, count) => sum + count, 0)
  return [
    `${rounds.toLocaleString('en')} rounds in ${chunks} chunks, ${used.toLocaleString('en')} with a final reward`,
    ...header.actions.map((action, a) => `  ${action}: ${rows[a]!.toLocaleString('en')} rounds`),
    `${coefficients[0]!.length} columns; noise ${sigma.toPrecision(4)} of the mean reward's range; ${(100 * clippedShare).toFixed(2)}% of predictions clipped`,
  ].join('\n')
}
