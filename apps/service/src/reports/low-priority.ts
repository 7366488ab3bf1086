// Threads that only read leave the processor to those that decide and write.

import { setPriority } from 'node:os'

const LOWEST = 19

/** Of the calling thread, where threads have priorities of their own; elsewhere it would be that of the whole process. */
export function lowPriority(): void {
  if (process.platform === 'linux') setPriority(LOWEST)
}
