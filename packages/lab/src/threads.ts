// Work handed to threads.

// block-sums
export { type ChunkThread, startChunkThread } from './block-sums/chunk-thread.js'

// runs
export { type CellThread, startCellThread } from './runs/cell-thread.js'
