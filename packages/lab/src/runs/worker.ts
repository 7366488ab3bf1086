// A worker thread: takes cells, sends rows back.

import { parentPort, workerData } from 'node:worker_threads'
import { cellRunner } from './run-cell.js'
import type { Cell, RunSpec } from './run-spec.js'

const port = parentPort!
const run = cellRunner((workerData as { spec: RunSpec }).spec)

port.on('message', (cell: Cell) => {
  try {
    let before = 0
    const row = run(cell, (rounds) => {
      port.postMessage({ type: 'progress', rounds: rounds - before })
      before = rounds
    })
    port.postMessage({ type: 'done', cell: cell.index, row })
  } catch (error) {
    const { message, stack } = error as Error
    port.postMessage({ type: 'failed', cell: cell.index, message, stack })
  }
})
