// npm run simulate-faults [-- --seeds 100000 --seed 1]: plays seeds of replicas, callers and faults on one simulated store
// (apps/service/src/simulation), from a first seed on. Prints how far it is, and seed and schedule of the first failure.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
})
const [seeds, seed] = [values.seeds, values.seed].map(Number)
if (!(Number.isSafeInteger(seeds) && seeds > 0 && Number.isSafeInteger(seed)))
  throw new Error(`--seeds and --seed must be whole numbers, got "${values.seeds}" and "${values.seed}"`)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const given = ['run', 'apps/service/src/simulation', '--maxWorkers=1', '--testNamePattern=seeds of everything']
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...given], {
  cwd: root,
  env: { ...process.env, PRIMO_SIMULATE: `${seeds} ${seed}` },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
