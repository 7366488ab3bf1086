import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CHUNK_ROUNDS,
  encodingOf,
  type LinearOptions,
  linearOracle,
  linearSums,
  number,
  Observed,
  type Problem,
  Random,
  RoundStatus,
  RoundTable,
  rewardRows,
} from '@primo/core'
import { afterAll, describe, expect, it } from 'vitest'
import { openBlockFile, writeBlockFile } from './block-file.js'
import { chunkCount, fitChunks, sumBlocks } from './sum-blocks.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-blocks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}
const shape = { contextWidth: 1, covariateWidth: 1, covariateCount: 1 }

/** Action c is played in the first chunk only; every seventh round is open. */
function tableOf(rounds: number): RoundTable {
  const random = Random.fromSeed(5)
  const table = new RoundTable(shape)
  for (let round = 0; round < rounds; round++) {
    table.append()
    const block = table.block(round)
    const row = round % 4096
    const x = 2 * random.uniform() - 1
    const z = 2 * random.uniform() - 1
    block.context[row] = x
    block.covariates[row] = z
    block.observed[row] = random.uniform() < 0.5 ? Observed.atDecision : Observed.missing
    block.action[row] = round % (round < CHUNK_ROUNDS ? 3 : 2)
    block.reward[row] = 0.5 + 0.7 * x + 0.3 * x * z + 0.3 * (random.uniform() - 0.5)
    block.status[row] = round % 7 === 0 ? RoundStatus.open : RoundStatus.closed
  }
  return table
}

describe('sums of a block file', () => {
  const rounds = 2 * CHUNK_ROUNDS + 9000
  const table = tableOf(rounds)
  const path = join(folder, 'rounds.blocks')
  writeBlockFile(path, { format: 1, kind: 'round-blocks', rounds, actionCount: 3, shape }, table.blocks)

  it.each<LinearOptions>([{ interactions: 'all' }, { shared: 0.5, indicator: 'interacted' }])(
    'taken chunk by chunk and merged give the bits of the oracle on the whole table: %j',
    (options) => {
      const rows = rewardRows(table, { from: 0, to: rounds }, 3)
      const whole = linearOracle(encodingOf(problem), options).fit(rows, Random.fromSeed(0))
      expect(chunkCount(rounds)).toBe(3)
      const task = { path, problem, options }
      // As two workers hand them back, the later one first.
      const later = sumBlocks({ ...task, chunks: { from: 1, to: 3 } })
      const earlier = sumBlocks({ ...task, chunks: { from: 0, to: 1 } })
      const model = fitChunks(task, [...later, ...earlier])
      expect(JSON.stringify(model)).toBe(JSON.stringify(whole))
      expect(model.rows.reduce((sum, count) => sum + count, 0)).toBe(rows.count)
      expect(model.clippedShare).toBeGreaterThan(0)
      // A chunk left out is noticed in the bits.
      expect(JSON.stringify(fitChunks(task, later))).not.toBe(JSON.stringify(whole))
    },
  )

  it('of one chunk given twice, or rows of another chunk, are refused', () => {
    const sums = linearSums(encodingOf(problem), {})
    const [first] = sumBlocks({ path, problem, options: {}, chunks: { from: 2, to: 3 } })
    const rows = rewardRows(table, { from: 0, to: 4096 }, 3)
    expect(() => sums.fit([first!, first!], rows)).toThrow('got chunk 2 twice')
    expect(() => sums.sumChunk(1, rows)).toThrow('rows must be of chunk 1, got block 0')
  })

  it('that is cut short, or is no block file, are refused by name', () => {
    const cut = join(folder, 'cut.blocks')
    const small = tableOf(5000)
    writeBlockFile(cut, { format: 1, kind: 'round-blocks', rounds: 5000, actionCount: 3, shape }, small.blocks)
    truncateSync(cut, 4096 + 1000)
    const file = openBlockFile(cut)
    expect(() => file.read(0)).toThrow(/cut\.blocks" must have \d+ bytes, got 1000/)
    file.close()
    const other = join(folder, 'other')
    writeFileSync(other, '{"kind":"log"}')
    expect(() => openBlockFile(other)).toThrow(`got "${other}"`)
  })
})
