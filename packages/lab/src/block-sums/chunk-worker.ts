// A worker thread: takes chunks, sends their sums back.

import { parentPort } from 'node:worker_threads'
import type { ChunkReply } from './chunk-thread.js'
import { type ChunkTask, packSums, sumChunk } from './sum-chunk.js'

const port = parentPort!
const answer = (reply: ChunkReply) => port.postMessage(reply)

port.on('message', (task: ChunkTask) => {
  sumChunk(task).then(
    (sums) => answer({ sums: packSums(sums) }),
    (error: Error) => answer({ failed: error.message }),
  )
})
