// Deciding in the caller's own process; nothing of Node.

export { indexedDbPolicy, indexedDbSpool } from './local/indexed-db.js'
export {
  type Local,
  type LocalDecided,
  type LocalMetrics,
  type LocalOptions,
  openLocal,
  type PolicyDecided,
  type StandInDecided,
} from './local/local.js'
export type { KeptPolicy, PolicyKeep, SourceOptions } from './local/policy-source.js'
export type { Acknowledge, UploadCounts, UploadOptions } from './local/uploads.js'
