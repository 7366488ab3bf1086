import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { warmStart } from '@primo/core'
import { createEngine, loggedRounds, Observed } from '@primo/core/engine'
import { afterAll, describe, expect, test } from 'vitest'
import { evaluationLog } from '../evaluation/evaluation-log.js'
import {
  importLog,
  type LogRow,
  logFormats,
  loggedRound,
  logHeader,
  openLog,
  problemOfLog,
  type TableSpec,
  writeLog,
} from '../node.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-import-'))
afterAll(() => rmSync(folder, { recursive: true }))

const csv = `who,arm,zip code,age,genes,seen,guess,paid
7,mail,01234,40,A,1,B,1.5
8,none,99999,20.5,B,0,A,0
9,mail,01234,33,B,1,B,
`
const mapping: TableSpec = {
  action: 'arm',
  reward: 'paid',
  propensity: { of: { mail: 0.75, none: 0.25 } },
  subject: 'who',
  context: ['age', 'zip code'],
  categories: ['zip code'],
  covariate: 'genes',
  observed: 'seen',
  prediction: 'guess',
  rewardRange: [0, 10],
}

async function collect(rows: AsyncIterable<LogRow>): Promise<LogRow[]> {
  const found: LogRow[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe('importLog', () => {
  test('maps columns of a CSV table, hides what was not seen, keeps texts that look like numbers', async () => {
    const file = join(folder, 'other.csv')
    writeFileSync(file, csv)
    const log = await importLog(file, mapping)
    expect(log.header.actions).toEqual(['mail', 'none'])
    expect(log.header.context.age).toEqual({ type: 'number', min: 20.5, max: 40 })
    const rows = await collect(log.rows())
    expect(rows[1]).toMatchObject({
      decisionId: '2',
      subject: '8',
      action: 'none',
      propensity: 0.25,
      reward: 0,
      rewardStatus: 'closed',
      'context.zip code': '99999',
      'covariate.genes': null,
      'pretrained.genes=A': 1,
      'pretrained.genes=B': 0,
    })
    expect(rows[2]).toMatchObject({ reward: null, rewardStatus: 'dropped', 'covariate.genes': 'B' })
  })

  test('becomes a log that can be written, read back and learnt from', async () => {
    const file = join(folder, 'again.csv')
    writeFileSync(file, csv)
    const log = await importLog(file, mapping)
    const out = join(folder, 'again.parquet')
    expect(await writeLog(out, log.header, log.rows())).toBe(3)
    const { header, rows } = await openLog(out)
    const rounds = loggedRounds(createEngine(problemOfLog(header)))
    for (const row of await collect(rows())) rounds.add(loggedRound(header, row))
    const block = rounds.table.blocks[0]!
    expect([...block.observed.subarray(0, 3)]).toEqual([Observed.atDecision, Observed.missing, Observed.atDecision])
    // Missing: the prediction stands in.
    expect([...block.covariates.subarray(2, 4)]).toEqual([1, 0])
    expect([...block.status.subarray(0, 3)]).toEqual([1, 1, 2])
    expect(block.reward[0]).toBe(0.15)
  })

  test('reads JSONL and says which column is not there', async () => {
    const file = join(folder, 'other.jsonl')
    writeFileSync(file, '{"a":"x","r":1,"p":0.5}\n{"a":"y","r":0,"p":0.5}\n')
    const log = await importLog(file, { action: 'a', reward: 'r', propensity: 'p', context: [] })
    expect(log.header.actions).toEqual(['x', 'y'])
    expect((await collect(log.rows())).map(({ propensity }) => propensity)).toEqual([0.5, 0.5])
    await expect(importLog(file, { action: 'arm', reward: 'r', propensity: 'p', context: [] })).rejects.toThrow(
      'no column "arm" (action); the columns are a, r, p',
    )
    await expect(importLog(file, { action: 'a', propensity: 'p', context: [] })).rejects.toThrow(
      'the spec has no "reward": add the column',
    )
  })
})

describe('the standard deviation that a model gave', () => {
  const header = logHeader({
    actions: ['a', 'b'],
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { dose: { type: 'number', min: -5, max: 15 }, wet: { type: 'boolean' } },
    reward: { min: 0, max: 1 },
  })
  const row = (decisionId: string, more: LogRow): LogRow => ({
    decisionId,
    action: 'a',
    propensity: 0.5,
    reward: 1,
    rewardStatus: 'closed',
    'context.x': 0.5,
    'pretrained.wet': 0.5,
    ...more,
  })
  const rows = [
    row('1', { 'pretrained.dose': 2, 'modelSd.dose': 0.5 }),
    row('2', { 'pretrained.dose': 2 }),
    row('3', { 'modelSd.dose': 0.5 }),
    row('4', { 'pretrained.dose': 2, 'modelSd.dose': 0, 'covariate.dose': 3 }),
  ]
  // Inside, a range of 20 is one of 2.
  const inside = [0.05, Number.NaN, Number.NaN, 0]

  test.each(logFormats)('is part of the prediction for evaluation and warm start, read from %s', async (format) => {
    const file = join(folder, `sd.${format}`)
    await writeLog(file, header, rows)
    const log = await openLog(file)
    const { rounds } = await evaluationLog(log.header, log.rows())
    const sds = (column: Float64Array) => [0, 1, 2, 3].map((k) => column[2 * k])
    expect(sds(rounds.blocks[0]!.modelSd!)).toEqual(inside)
    expect(rounds.blocks[0]!.pretrained[0]).toBeCloseTo(-0.3, 12)
    const given = (await collect(log.rows())).map((one) => loggedRound(log.header, one))
    expect(given.map(({ predictions }) => predictions!.dose)).toEqual([
      { value: 2, sd: 0.5 },
      2,
      null,
      { value: 2, sd: 0 },
    ])
    const { columns } = warmStart(problemOfLog(header), {}, given).rounds
    expect(sds(new Float64Array(Uint8Array.from(Buffer.from(columns.modelSd!, 'base64')).buffer))).toEqual(inside)
  })

  test('has no key in rows of JSONL that have none', async () => {
    const file = join(folder, 'sd.jsonl')
    await writeLog(file, header, rows)
    const keys = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => 'modelSd.dose' in JSON.parse(line))
    expect(keys).toEqual([true, false, true, true])
  })
})
