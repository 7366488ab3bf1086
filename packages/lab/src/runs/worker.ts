// A worker thread: takes cells, sends rows back.

import { parentPort, workerData } from 'node:worker_threads'
import { loadCode } from './code-files.js'
import { cellRunner } from './run-cell.js'
import type { Cell, RunSpec } from './run-spec.js'

const port = parentPort!
const { spec, use } = workerData as { spec: RunSpec; use?: readonly string[] }
const ready = loadCode(spec, use).then((code) => cellRunner(spec, code))
// Whoever asks for a cell is told why there is none.
ready.catch(() => undefined)

port.on('message', async (cell: Cell) => {
  try {
    const run = await ready
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
