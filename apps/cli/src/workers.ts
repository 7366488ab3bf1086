// Several processes on one port. The first listens and hands connections out in turn; each other one is a replica on the same
// store. One that dies is replaced.

import cluster, { type Worker } from 'node:cluster'

/** What a process that serves may say about it. */
export interface Summary {
  readonly told: { readonly url: string; readonly store: string; readonly keys: readonly string[] }
  readonly lines: readonly string[]
}

/** Milliseconds before a worker that died is replaced. */
const AGAIN_AFTER = 500

/** Whether this process is one of several. */
export const isWorker = cluster.isWorker

/** Tells the process that listens that this one serves. */
export function tellServing(summary: Summary): void {
  process.send!(summary)
}

/** Starts `count` processes like this one; resolves when all serve. Where the first cannot, it has said why, and this process ends as it did. */
export async function startWorkers(count: number): Promise<Summary> {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    stopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  const endIfAlone = () => {
    if (stopping && Object.keys(cluster.workers ?? {}).length === 0) process.exit(0)
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const first = cluster.fork()
  const ended = (_: Worker, code: number | null) => process.exit(code ?? 1)
  cluster.once('exit', ended)
  const summary = await serving(first)
  cluster.off('exit', ended)
  const replace = () => {
    if (!stopping) cluster.fork()
  }
  cluster.on('exit', () => {
    if (!stopping) setTimeout(replace, AGAIN_AFTER)
    endIfAlone()
  })
  // Of the two events of its end, either may come last.
  cluster.on('disconnect', endIfAlone)
  await othersServing(count - 1)
  return summary
}

/** Starts so many more; one that dies before it serves has another in its place. */
function othersServing(count: number): Promise<void> {
  let left = count
  return new Promise((resolve) => {
    cluster.on('message', () => {
      if (--left === 0) resolve()
    })
    for (let k = 0; k < count; k++) cluster.fork()
  })
}

function serving(worker: Worker): Promise<Summary> {
  return new Promise((resolve) => void worker.once('message', resolve))
}
