// npm run block-sums [-- --rounds 5000000 --processes 2]: a log made up and written to disk, its sums taken by processes of their
// own, and the fit from them compared, byte for byte, with the linear oracle's own fit of the whole log in this process.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BLOCK_ROUNDS, encodingOf, linearOracle, number, Observed, Random, RoundStatus, RoundTable } from '@primo/core'
import { blockFileRows, fitChunks, openBlockFile, sumInProcesses, writeBlockFile } from '@primo/lab/node'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5000000' },
    processes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
})
const rounds = Number(values.rounds)
const processes = Number(values.processes)
const LIMIT = 500e6

const unit = number({ min: -1, max: 1 })
const problem = {
  context: { x1: unit, x2: unit, x3: unit, x4: unit },
  covariates: { z: { ...unit, imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}
const options = { interactions: 'all', ridge: 0.05 }
const shape = { contextWidth: 4, covariateWidth: 1, covariateCount: 1 }

/** One block at a time; every 50th round has no final reward. */
function* blocks() {
  const random = Random.fromSeed(Number(values.seed))
  const block = { ...oneBlock() }
  for (let index = 0; index * BLOCK_ROUNDS < rounds; index++) {
    for (let row = 0; row < BLOCK_ROUNDS; row++) {
      let total = 0
      for (let k = 0; k < 4; k++) {
        const x = 2 * random.uniform() - 1
        block.context[4 * row + k] = x
        total += (k - 1.5) * x
      }
      const z = 2 * random.uniform() - 1
      const action = Math.floor(3 * random.uniform())
      block.covariates[row] = z
      block.action[row] = action
      block.observed[row] = random.uniform() < 0.6 ? Observed.atDecision : Observed.missing
      block.reward[row] = 0.5 + 0.05 * total + 0.1 * (action - 1) * z + 0.2 * (random.uniform() - 0.5)
      block.status[row] = (index * BLOCK_ROUNDS + row) % 50 === 0 ? RoundStatus.open : RoundStatus.closed
    }
    yield { ...block, index }
  }
}

function oneBlock() {
  const table = new RoundTable(shape)
  table.append()
  return table.blocks[0]
}

const seconds = async (what, work) => {
  const before = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - before) / 1000).toFixed(1)} s`)
  return result
}

const folder = mkdtempSync(join(tmpdir(), 'primo-block-sums-'))
const path = join(folder, 'rounds.blocks')
try {
  const header = { format: 1, kind: 'round-blocks', rounds, actionCount: 3, shape }
  await seconds(`${rounds} rounds written`, () => writeBlockFile(path, header, blocks()))
  console.log(`${(statSync(path).size / 1e6).toFixed(0)} MB on disk`)
  const task = { path, problem, options }
  const { sums, memory } = await seconds(`sums by ${processes} processes`, () => sumInProcesses(task, processes))
  const merged = await seconds('merged and fitted', () => fitChunks(task, sums))
  const file = openBlockFile(path)
  const rows = { ...shape, ...blockFileRows(file, { from: 0, to: rounds }), count: rounds }
  const whole = await seconds('fit in one process', () =>
    linearOracle(encodingOf(problem), options).fit(rows, Random.fromSeed(0)),
  )
  file.close()
  const equal = JSON.stringify(merged) === JSON.stringify(whole)
  const small = memory.every((bytes) => bytes < LIMIT)
  console.log(`rows by action: ${merged.rows.join(', ')}`)
  console.log(`memory of each process: ${memory.map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`).join(', ')}`)
  console.log(`the fits ${equal ? 'are the same to the last bit' : 'DIFFER'}`)
  process.exitCode = equal && small ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
