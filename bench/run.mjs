// npm run bench: every benchmark, or those named on the command line.

import { benchPath } from './decision-path.mjs'
import { benchLocal } from './local.mjs'
import { benchPeers } from './peers.mjs'
import { benchPostgres } from './postgres.mjs'
import { benchRounds } from './rounds.mjs'
import { benchService } from './service.mjs'
import { benchTraining } from './training.mjs'

const benchmarks = {
  rounds: benchRounds,
  peers: benchPeers,
  service: benchService,
  postgres: benchPostgres,
  path: benchPath,
  local: benchLocal,
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
