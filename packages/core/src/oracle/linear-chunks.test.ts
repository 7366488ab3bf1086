import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { encodingOf } from '../engine.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { rewardRows } from '../rounds/reward-rows.js'
import { Observed, RoundStatus, RoundTable } from '../rounds/round-table.js'
import { type LinearOptions, linearOracle } from './linear.js'
import { CHUNK_ROUNDS, linearSums } from './linear-chunks.js'

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

describe('sums of chunks', () => {
  const rounds = 2 * CHUNK_ROUNDS + 9000
  const table = tableOf(rounds)
  const rowsOf = (chunk: number) =>
    rewardRows(table, { from: chunk * CHUNK_ROUNDS, to: Math.min(rounds, (chunk + 1) * CHUNK_ROUNDS) }, 3)

  it.each<LinearOptions>([{ interactions: 'all' }, { shared: 0.5, indicator: 'interacted' }])(
    'merged in any order give the bits of the oracle on the whole table: %j',
    (options) => {
      const rows = rewardRows(table, { from: 0, to: rounds }, 3)
      const whole = linearOracle(encodingOf(problem), options).fit(rows, Random.fromSeed(0))
      const sums = linearSums(encodingOf(problem), options)
      const [later, earlier, first] = [2, 1, 0].map((chunk) => sums.sumChunk(chunk, rowsOf(chunk)))
      const model = sums.fit([later!, earlier!, first!], rowsOf(2))
      expect(JSON.stringify(model)).toBe(JSON.stringify(whole))
      expect(model.rows.reduce((sum, count) => sum + count, 0)).toBe(rows.count)
      expect(model.clippedShare).toBeGreaterThan(0)
      // A chunk left out is noticed in the bits.
      expect(JSON.stringify(sums.fit([later!, first!], rowsOf(2)))).not.toBe(JSON.stringify(whole))
    },
  )

  it('of one chunk given twice, or rows of another chunk, are refused', () => {
    const sums = linearSums(encodingOf(problem), {})
    const last = sums.sumChunk(2, rowsOf(2))
    expect(() => sums.fit([last, last], rowsOf(2))).toThrow('got chunk 2 twice')
    expect(() => sums.sumChunk(1, rowsOf(2))).toThrow('rows must be of chunk 1, got block 128')
  })
})
