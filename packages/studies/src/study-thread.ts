// A thread that runs cells of one study: takes a world and a repeat, sends the figures back.

import { parentPort, workerData } from 'node:worker_threads'
import type { CellTask, ThreadData } from './runner/run-study.js'
import { studies } from './studies/catalog.js'

const { study, options } = workerData as ThreadData
const run = studies.find(({ name }) => name === study)!.cellRunner(options)

parentPort!.on('message', async (task: CellTask) => {
  parentPort!.postMessage(await run(task))
})
