// A process that sums the blocks it is told to, answers and ends.

import { type SumTask, sumBlocks } from './sum-blocks.js'

process.once('message', (task: SumTask) => {
  const sums = sumBlocks(task)
  process.send!({ sums, memory: 1024 * process.resourceUsage().maxRSS })
})
