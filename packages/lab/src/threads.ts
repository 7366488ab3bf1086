// The door to threads that do the work of a run or of a fit, for programs that only hand it out: it loads next to nothing.

export { type ChunkThread, startChunkThread } from './block-sums/chunk-thread.js'
export { type CellThread, startCellThread } from './runs/cell-thread.js'
