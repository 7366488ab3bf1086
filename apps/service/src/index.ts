// What the service exports.

export { checkWorkers, defaults, describeConfig, type GivenConfig, readConfig, readGivenConfig } from './config.js'
export { forgetSubject } from './host/forget-subject.js'
export { startHost } from './host/host.js'
export { definitionOfLog, importCommands } from './host/import-log.js'
export { type KeyRing, openKeyRing } from './http/key-ring.js'
export { newKey, type Role, roles } from './http/keys.js'
export { createServer } from './http/server.js'
export { type ScoredRows, type ScoreOptions, scoreRows } from './imputers/score-rows.js'
export { type CopyOptions, copyStore } from './integrity/copy-store.js'
export { examineStore, type Finding } from './integrity/examine-store.js'
export { type Repaired, repairStore } from './integrity/repair-store.js'
export { type Depth, type Verified, verifyStore } from './integrity/verify-store.js'
export { codeModules, loadCodeModules } from './learning/code-modules.js'
export { replayProblem } from './learning/replay.js'
export { pagedDecisions } from './ledger/paged-decisions.js'
export type { RawStore } from './ledger/raw-store.js'
export { type Store, type StoredDecision, StoreUnavailable } from './ledger/store.js'
export type { Damage } from './ledger/store-damaged.js'
export { createMetrics } from './metrics.js'
export { exportHeader, exportRows } from './reports/export-log.js'
export { type Service, type ServiceOptions, startService } from './service.js'
export {
  type Config,
  ConfigError,
  configSchema,
  flagOf,
  type Setting,
  settingNames,
  settings,
  variableOf,
} from './settings.js'
export { openRestore } from './store/open-restore.js'
export { openExistingStore, openRawStore, openStore } from './store/open-store.js'
