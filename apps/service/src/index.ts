// What the service exports.

export { type Config, ConfigError, defaults, describeConfig, readConfig } from './config.js'
export { startHost } from './host/host.js'
export { definitionOfLog, importCommands } from './host/import-log.js'
export { newKey, type Role, roles } from './http/keys.js'
export { createServer } from './http/server.js'
export { type ScoredRows, type ScoreOptions, scoreRows } from './imputers/score-rows.js'
export { replayProblem } from './learning/replay.js'
export { type Store, StoreUnavailable } from './ledger/store.js'
export { createMetrics } from './metrics.js'
export { exportHeader, exportRows } from './reports/export-log.js'
export { type Service, type ServiceOptions, startService } from './service.js'
export { openStore } from './store/open-store.js'
