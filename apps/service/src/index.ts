// The public door of the service.

export { type Config, ConfigError, defaults, describeConfig, readConfig } from './config.js'
export { exportHeader, exportRows } from './engine/export-log.js'
export { startHost } from './engine/host.js'
export { definitionOfLog, importCommands } from './engine/import-log.js'
export { replayProblem } from './engine/replay.js'
export { newKey, type Role, roles } from './http/keys.js'
export { createServer } from './http/server.js'
export { type ScoredRows, type ScoreOptions, scoreRows } from './imputers/score-rows.js'
export { createMetrics } from './metrics.js'
export { type Service, type ServiceOptions, startService } from './service.js'
export { openStore } from './store/open-store.js'
export { type Store, StoreUnavailable } from './store/store.js'
