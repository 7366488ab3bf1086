// The parts of core that a ledger needs. The thread that writes the store loads them without the engine.

export { type Columns, sameColumns } from './problem/columns.js'
export { type Growth, growthOf } from './problem/growth.js'
export { countUpload, noUploadGaps, type UploadGaps, uploadTotals } from './serving/upload-gaps.js'
