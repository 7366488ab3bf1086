// npm run block-sums [-- --rounds 5000000]: a decision log is made up and written as Parquet; primo fit --queue leaves its sums to
// two primo worker processes; the model is compared, byte for byte, with the linear oracle's own fit of all rounds in this process.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { number } from '@primo/core'
import { createEngine, encodingOf, linearOracle, loggedRounds, rewardRows } from '@primo/core/engine'
import { loggedRound, logHeader, problemOfLog } from '@primo/lab'
import { writeLog } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { startPostgres } from '../../../test/postgres-server.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5000000' }, seed: { type: 'string', default: '1' } },
})
const rounds = Number(values.rounds)
const LIMIT = 500e6
const WORKERS = 2
const bin = join(import.meta.dirname, '../bin/primo.js')

const feature = number({ min: -1, max: 1 })
const header = logHeader({
  context: { x1: feature, x2: feature, x3: feature, x4: feature },
  covariates: { z: feature },
  actions: ['a', 'b', 'c'],
  reward: { min: -1, max: 2, mean: { min: 0, max: 1 } },
})

/** Every 50th round has no final reward; two fifths of z are missing, and what was used instead is half the truth. */
function* rows() {
  const random = Random.fromSeed(Number(values.seed))
  for (let round = 0; round < rounds; round++) {
    const x = [1, 2, 3, 4].map(() => 2 * random.uniform() - 1)
    const z = 2 * random.uniform() - 1
    const action = Math.floor(3 * random.uniform())
    const seen = random.uniform() < 0.6
    const open = round % 50 === 0
    const mean = 0.5 + 0.05 * (x[3] - x[0]) + 0.1 * (action - 1) * z
    yield {
      decisionId: `d${round}`,
      action: header.actions[action],
      propensity: 1 / 3,
      reward: open ? null : mean + 0.2 * (random.uniform() - 0.5),
      rewardStatus: open ? 'open' : 'closed',
      'context.x1': x[0],
      'context.x2': x[1],
      'context.x3': x[2],
      'context.x4': x[3],
      'covariate.z': seen ? z : null,
      'imputed.z': seen ? null : z / 2,
    }
  }
}

/** The fit as a program without workers does it: all rounds in one table. */
function wholeFit() {
  const problem = problemOfLog(header)
  const { table, add } = loggedRounds(createEngine(problem))
  for (const row of rows()) add({ ...loggedRound(header, row), id: undefined })
  const options = { interactions: 'all', ridge: 0.05 }
  return linearOracle(encodingOf(problem), options).fit(
    rewardRows(table, { from: 0, to: rounds }, header.actions.length),
    Random.fromSeed(0),
  )
}

const folder = mkdtempSync(join(tmpdir(), 'primo-block-sums-'))
const memoryFile = (k) => join(folder, `memory-${k}`)
/** A process says at its end how much memory it had at most. */
const tell = (file) =>
  `data:text/javascript,${encodeURIComponent(`import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(1024 * process.resourceUsage().maxRSS)))`)}`
const start = (k, ...args) => {
  const child = spawn(process.execPath, ['--import', tell(memoryFile(k)), bin, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (piece) => {
    text += piece
  })
  const ended = new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`primo ${args[0]} ended with ${code}`)),
    )
  })
  return { ended, stop: () => child.kill('SIGTERM') }
}

const seconds = async (what, work) => {
  const before = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - before) / 1000).toFixed(1)} s`)
  return result
}

const postgres = await startPostgres()
try {
  const address = await postgres.createDatabase('block_sums')
  const path = join(folder, 'log.parquet')
  await seconds(`${rounds} rounds written`, () => writeLog(path, header, rows()))
  console.log(`${(statSync(path).size / 1e6).toFixed(0)} MB on disk`)
  const { model, chunks } = await seconds(`primo fit --queue with ${WORKERS} workers`, async () => {
    const workers = Array.from({ length: WORKERS }, (_, k) =>
      start(k, 'worker', '--queue', address, '--workers', '1', '--json'),
    )
    const fit = start('fit', 'fit', path, '--interactions', 'all', '--ridge', '0.05', '--queue', address, '--json')
    const text = await fit.ended
    for (const { stop } of workers) stop()
    const told = await Promise.all(workers.map(({ ended }) => ended))
    return { model: text.trim(), chunks: told.map((line) => JSON.parse(line).chunks) }
  })
  const memory = Array.from({ length: WORKERS }, (_, k) => Number(readFileSync(memoryFile(k), 'utf8')))
  const whole = await seconds('fit in one process', wholeFit)
  const equal = model === JSON.stringify(whole)
  const small = memory.every((bytes) => bytes < LIMIT)
  // With a few chunks the first worker may be done before the second one has started.
  const shared = chunks.every((count) => count > 0) || rounds < 1_000_000
  console.log(`rows by action: ${whole.rows.join(', ')}`)
  console.log(`chunks of each worker: ${chunks.join(', ')}`)
  console.log(`memory of each worker: ${memory.map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`).join(', ')}`)
  console.log(`the fits ${equal ? 'are the same to the last bit' : 'DIFFER'}`)
  process.exitCode = equal && small && shared ? 0 : 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
