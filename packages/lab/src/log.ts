// The decision log alone.

// log
export { type ConvertedLog, convertLog, type ForeignFormat, foreignFormats } from './log/convert-log.js'
export { importLog, type TableLog } from './log/import-log.js'
export { type ArchivedFile, type LogArchive, readArchive, writeArchive } from './log/log-archive.js'
export { type LogCell, type LogRow, modelSdColumn, predictionColumns } from './log/log-columns.js'
export { checkLogHeader, type LogCovariate, type LogHeader, logHeader } from './log/log-header.js'
export { finalReward, loggedRound, problemOfLog } from './log/logged-round.js'
export { type LogFile, openLog } from './log/read-log.js'
export { type LogFormat, type LogRows, logBytes, logFormatOf, logFormats, writeLog } from './log/write-log.js'

// tables
export { tableNotes } from './tables/table-notes.js'
export type { TableSpec } from './tables/table-spec.js'
