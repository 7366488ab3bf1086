// A log carried from any format to any other and back is the same to the last bit.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type LogFormat, type LogRow, logFormats, logHeader, openLog, writeLog } from '../node.js'
import { header, rows } from './log-files.fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function collect(file: string): Promise<LogRow[]> {
  const found: LogRow[] = []
  for await (const row of (await openLog(file)).rows()) found.push(row)
  return found
}

const pairs = logFormats.flatMap((from) => logFormats.map((to): [LogFormat, LogFormat] => [from, to]))

describe('a decision log', () => {
  it.each(pairs)('goes through %s and then %s without changing a bit', async (from, to) => {
    const all = [...rows(200, 5)]
    const first = join(folder, `first-${from}-${to}.${from}`)
    const second = join(folder, `second-${from}-${to}.${to}`)
    expect(await writeLog(first, header, all)).toBe(200)
    const opened = await openLog(first)
    expect(opened.header).toEqual(header)
    expect(opened.format).toBe(from)
    await writeLog(second, opened.header, opened.rows())
    // toStrictEqual tells -0 from 0.
    expect(await collect(second)).toStrictEqual(all)
  })

  it('spans several Parquet row groups', async () => {
    const file = join(folder, 'groups.parquet')
    const small = logHeader({ actions: ['a', 'b'], reward: { min: 0, max: 1 } })
    function* many(): Generator<LogRow> {
      for (let k = 0; k < 18_000; k++) {
        yield { decisionId: `${k}`, action: k % 3 === 0 ? 'a' : 'b', propensity: 1 / (k + 1), rewardStatus: 'open' }
      }
    }
    await writeLog(file, small, many())
    const found = await collect(file)
    expect(found.length).toBe(18_000)
    expect(
      found.findIndex(({ decisionId, propensity }, k) => decisionId !== `${k}` || propensity !== 1 / (k + 1)),
    ).toBe(-1)
  })

  it('refuses a newer version, a wrong cell and a missing one, naming the place', async () => {
    const good: LogRow = { decisionId: '1', action: 'a', rewardStatus: 'closed', reward: 1, propensity: 0.5 }
    const small = logHeader({ actions: ['a', 'b'], reward: { min: 0, max: 1 } })
    const file = join(folder, 'bad.jsonl')
    await expect(writeLog(file, small, [good, { ...good, reward: Number.NaN }])).rejects.toThrow(
      'log, row 2, column "reward": must be a finite number, got NaN',
    )
    expect(() => readFileSync(file)).toThrow()
    await expect(writeLog(file, small, [{ ...good, action: 'c' }])).rejects.toThrow('must be one of a, b, got "c"')
    await expect(writeLog(file, small, [{ action: 'a', rewardStatus: 'open' }])).rejects.toThrow(
      'log, row 1, column "decisionId": must not be empty',
    )
    writeFileSync(file, '{"decisionId":"1","log":{"format":"primo-log","version":2,"actions":["a"]}}\n')
    await expect(openLog(file)).rejects.toThrow("version of the log's header must be at most 1, got 2")
    const first = JSON.stringify({ decisionId: '1', action: 'a', rewardStatus: 'open', log: small })
    writeFileSync(file, `${first}\n{oops\n`)
    await expect(collect(file)).rejects.toThrow(/bad.jsonl, line 2: must be JSON/)
    writeFileSync(file, '{"decisionId":"1","action":"a","rewardStatus":"open"}\n')
    await expect(openLog(file)).rejects.toThrow('must have the header of the log under "log"')
    writeFileSync(join(folder, 'other.csv'), 'a,b\n1,2\n')
    await expect(openLog(join(folder, 'other.csv'))).rejects.toThrow('no column "log"')
  })

  it('ignores columns that it does not know and takes absent ones as null', async () => {
    const small = logHeader({ actions: ['a'], reward: { min: 0, max: 1 } })
    const file = join(folder, 'more.jsonl')
    writeFileSync(
      file,
      `${JSON.stringify({ decisionId: '1', action: 'a', rewardStatus: 'open', colour: 'red', log: small })}\n`,
    )
    const [row] = await collect(file)
    expect(row).not.toHaveProperty('colour')
    expect(row).toMatchObject({ decisionId: '1', reward: null, propensities: null })
  })
})
