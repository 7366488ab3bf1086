// Files of users' code, loaded by whoever runs it (Node only).

export { importModule } from './modules/import-module.js'
export { moduleHash } from './modules/module-hash.js'
