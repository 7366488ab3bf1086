// primo worker: runs cells that primo simulate --queue has put on a queue, on any machine that reaches the database.

import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { printJson, wholeNumber } from '../output.js'
import { openCellQueue } from '../queue/cell-queue.js'
import { takeCells } from '../queue/take-cells.js'

interface WorkerFlags {
  readonly queue: string
  readonly workers?: number
  readonly untilEmpty?: boolean
  readonly json?: boolean
}

const HELP = `
A worker that is stopped (Ctrl-C, SIGTERM) gives its cells back; one that dies loses them to another one after their lease. Worker and
submitter must be of one version.

Examples:
  primo worker --queue postgres://user:password@host/database
  primo worker --queue postgres://user:password@host/database --workers 2 --until-empty
`

export function workerCommand(): Command {
  return new Command('worker')
    .description('run cells of primo simulate --queue on this machine')
    .requiredOption('--queue <address>', 'the database that holds the queue: postgres://...')
    .option('--workers <n>', 'threads (default: the number of cores, at most 8)', wholeNumber('--workers', 1))
    .option('--until-empty', 'end when nothing waits and nobody works; default: wait for more')
    .option('--json', 'one object at the end on stdout: the number of cells that were run')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(flags: WorkerFlags): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  const queue = await openCellQueue(flags.queue)
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  let done = 0
  try {
    await takeCells(queue, {
      threads: flags.workers ?? Math.min(8, availableParallelism()),
      untilEmpty: flags.untilEmpty === true,
      signal: stopped.signal,
      onCells: (cells) => {
        done += cells
        if (process.stderr.isTTY) process.stderr.write(`\r${done} cells`)
      },
    })
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    await queue.close()
  }
  process.stderr.write(`${process.stderr.isTTY ? '\r' : ''}${done} cells were run\n`)
  if (flags.json === true) printJson({ cells: done })
}
