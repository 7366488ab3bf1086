import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { number } from '@primo/core'
import { createEngine, encodingOf, linearOracle, loggedRounds, rewardRows } from '@primo/core/engine'
import { Random } from '@primo/numeric'
import { afterAll, describe, expect, it } from 'vitest'
import { loggedRound, problemOfLog } from '../log/logged-round.js'
import { type LogRow, logHeader, openLog, writeLog } from '../log.js'
import { openChunkedLog } from './log-chunk.js'
import { chunkTasks, fitChunks, packSums, sumChunk, unpackSums } from './sum-chunk.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-chunks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const header = logHeader({
  context: { x: number({ min: 0, max: 4 }) },
  covariates: { z: number({ min: -1, max: 1 }) },
  actions: ['a', 'b'],
  reward: { min: 0, max: 2, mean: { min: 0, max: 1 } },
})

/** Every seventh round is open; half of z is missing. */
function* rowsOf(rounds: number): Generator<LogRow> {
  const random = Random.fromSeed(5)
  for (let round = 0; round < rounds; round++) {
    const x = 4 * random.uniform()
    const z = 2 * random.uniform() - 1
    const seen = random.uniform() < 0.5
    const open = round % 7 === 0
    yield {
      decisionId: `d${round}`,
      action: header.actions[round % 2]!,
      propensity: round % 11 === 0 ? null : 0.5,
      reward: open ? null : 0.3 + 0.25 * x + 0.1 * Math.abs(x * z) * random.uniform(),
      rewardStatus: open ? 'open' : 'closed',
      'context.x': x,
      'covariate.z': seen ? z : null,
      'pretrained.z': z / 2,
      'imputed.z': seen ? null : z / 3,
    }
  }
}

/** Several blocks, row groups that do not end with them. One chunk; the merge over chunks is tested in core and by npm run block-sums. */
const rounds = 20_000

describe('sums of a log', () => {
  it.each([{ interactions: 'all' }, { shared: 0.5, indicator: 'interacted' }] as const)(
    'give the bits of the oracle on the whole log, also after a journey as text: %j',
    async (options) => {
      const file = join(folder, 'log.parquet')
      await writeLog(file, header, rowsOf(rounds))
      const problem = problemOfLog(header)
      const { table, add } = loggedRounds(createEngine(problem))
      for await (const row of (await openLog(file)).rows()) add({ ...loggedRound(header, row), propensity: 1 })
      const rows = rewardRows(table, { from: 0, to: rounds }, 2)
      const whole = linearOracle(encodingOf(problem), options).fit(rows, Random.fromSeed(0))
      const log = await openChunkedLog(file)
      const [task] = chunkTasks(log, options)
      const model = await fitChunks(log, options, [unpackSums(packSums(await sumChunk(task!)))])
      expect(JSON.stringify(model)).toBe(JSON.stringify(whole))
      expect(model.rows.reduce((sum, count) => sum + count, 0)).toBe(rounds - Math.ceil(rounds / 7))
      expect(model.clippedShare).toBeGreaterThan(0)
    },
  )

  it('keep every bit as text', () => {
    const gram = Float64Array.of(-0, 0.1 + 0.2, Number.MIN_VALUE, 1e300)
    const [back] = unpackSums(packSums({ chunk: 3, sums: [{ columns: 1, count: 2, weight: 1 / 3, gram }] })).sums
    expect(back).toEqual({ columns: 1, count: 2, weight: 1 / 3, gram })
    expect(Object.is(back!.gram[0], -0)).toBe(true)
  })

  it('of a log that is another one by now, has no rewards, or cannot be read in parts, are refused by name', async () => {
    const changed = join(folder, 'changed.parquet')
    await writeLog(changed, header, rowsOf(100))
    const [task] = chunkTasks(await openChunkedLog(changed), {})
    await writeLog(changed, header, rowsOf(101))
    await expect(sumChunk(task!)).rejects.toThrow(/must have \d+ bytes and 100 rounds .*changed\.parquet/)
    await writeLog(changed, header, rowsOf(1))
    const one = await openChunkedLog(changed)
    await expect(fitChunks(one, {}, [await sumChunk(chunkTasks(one, {})[0]!)])).rejects.toThrow('got none')
    const lines = join(folder, 'log.jsonl')
    await writeLog(lines, header, rowsOf(10))
    await expect(openChunkedLog(lines)).rejects.toThrow('log must be Parquet, which can be read in parts, got jsonl')
  })
})
