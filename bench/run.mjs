// npm run bench: every benchmark, or those named on the command line.

import { benchKernel } from './decision-kernel.mjs'
import { benchPath } from './decision-path.mjs'
import { benchExports } from './exports.mjs'
import { benchFunctionClasses } from './function-classes.mjs'
import { benchLocal } from './local.mjs'
import { benchLog } from './log-round-trip.mjs'
import { benchPeers } from './peers.mjs'
import { benchPostgres } from './postgres.mjs'
import { benchRounds } from './rounds.mjs'
import { benchService } from './service.mjs'
import { benchStoreLog } from './store-log.mjs'
import { benchTable } from './table-replay.mjs'
import { benchTracing } from './tracing.mjs'
import { benchTraining } from './training.mjs'

const benchmarks = {
  kernel: benchKernel,
  rounds: benchRounds,
  peers: benchPeers,
  log: benchLog,
  table: benchTable,
  'function-classes': benchFunctionClasses,
  service: benchService,
  postgres: benchPostgres,
  'store-log': benchStoreLog,
  exports: benchExports,
  path: benchPath,
  local: benchLocal,
  tracing: benchTracing,
  training: benchTraining,
}
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const names = wanted.length > 0 ? wanted : Object.keys(benchmarks)
for (const name of names) {
  if (benchmarks[name] === undefined) {
    console.error(`benchmark must be one of ${Object.keys(benchmarks).join(', ')}, got "${name}"`)
    process.exit(2)
  }
  await benchmarks[name]()
}
