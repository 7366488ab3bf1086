// primo worker: runs what primo simulate --queue and primo fit --queue put on a queue, on any machine that reaches the database.

import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { names, printJson, wholeNumber } from '../output.js'
import { openJobQueue } from '../queue/job-queue.js'
import { takeJobs } from '../queue/take-jobs.js'

interface WorkerFlags {
  readonly queue: string
  readonly workers?: number
  readonly untilEmpty?: boolean
  readonly use?: string[]
  readonly json?: boolean
}

const HELP = `
A worker that is stopped (Ctrl-C, SIGTERM) gives its work back; if it dies, others take over when its lease runs out. Worker and
submitter must be the same version of Primo. A run with code of its own (--scenario ./my-world.ts) needs --use with the same files: what is
on the queue never says which file to load.

Examples:
  primo worker --queue postgres://user:password@host/database
  primo worker --queue postgres://user:password@host/database --workers 2 --until-empty
`

export function workerCommand(): Command {
  return new Command('worker')
    .requiredOption('--queue <address>', 'the database that holds the queue: postgres://...')
    .option('--workers <n>', 'threads (default: the number of cores, at most 8)', wholeNumber('--workers', 1))
    .option('--use <files>', 'files of code of your own that runs may ask for, separated by commas', names)
    .option('--until-empty', 'exit when the queue is empty and nobody is working (default: wait for more)')
    .option('--json', 'print one JSON object at the end: how many cells were run and how many chunks of logs summed')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(flags: WorkerFlags): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  const queue = await openJobQueue(flags.queue)
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const done = { cells: 0, chunks: 0 }
  const told = () => `${done.cells} cells run${done.chunks > 0 ? `, ${done.chunks} chunks summed` : ''}`
  try {
    await takeJobs(queue, {
      threads: flags.workers ?? Math.min(8, availableParallelism()),
      untilEmpty: flags.untilEmpty === true,
      use: flags.use ?? [],
      signal: stopped.signal,
      onJob: (job) => {
        if (job.kind === 'cells') done.cells += job.cells.length
        else done.chunks++
        if (process.stderr.isTTY) process.stderr.write(`\r${told()}`)
      },
    })
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    await queue.close()
  }
  process.stderr.write(`${process.stderr.isTTY ? '\r' : ''}${told()}\n`)
  if (flags.json === true) printJson(done)
}
