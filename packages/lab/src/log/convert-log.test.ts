import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { evaluationLog } from '../evaluation/evaluation-log.js'
import { convertLog, type LogRow, openLog, writeLog } from '../node.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-convert-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

async function collect(rows: AsyncIterable<LogRow>): Promise<LogRow[]> {
  const found: LogRow[] = []
  for await (const row of rows) found.push(row)
  return found
}

const article = (name: string) => ({ Action: { [`article=${name}`]: '' } })

function event(played: number, more: object, c: object, actions = ['sports', 'politics', 'music']) {
  const others = actions.map((_, k) => k + 1).filter((k) => k !== played)
  return {
    _label_cost: -1,
    _label_probability: 0.8,
    _label_Action: played,
    _labelIndex: played - 1,
    Timestamp: '2022-03-09T00:31:34.5000000Z',
    Version: '1',
    EventId: `event-${played}`,
    a: [played, ...others],
    c: { ...c, _multi: actions.map(article) },
    p: [0.8, ...others.map(() => 0.2 / others.length)],
    VWState: { m: 'N/A' },
    ...more,
  }
}

const lines = (events: readonly object[]) => events.map((one) => `${JSON.stringify(one)}\n`).join('')

describe('dsjson', () => {
  const events = [
    event(2, {}, { User: { 'name=Tom': '', age: 30, _secret: 1 }, Geo: [{ city: 'Rome' }, { at: [1.5, -2] }] }),
    event(1, { _label_cost: 0 }, { User: { 'name=Anna': '' }, Geo: { city: 'Oslo', at: [2, 0] }, mobile: true }),
    event(1, { _deferred: true }, { User: { 'name=Anna': '', age: 50 } }, ['music', 'sports']),
    { ...event(3, {}, { User: { 'name=Tom': '' } }), _label_cost: undefined, _label_probability: undefined },
  ]

  test('keeps the ranking as propensities of named actions, rewards, times and the shared context', async () => {
    const { header, rows } = await convertLog(fileOf('a.dsjson', lines(events)), 'dsjson')
    const [sports, politics, music] = ['sports', 'politics', 'music'].map((name) => `Action.article=${name}`)
    expect(header.actions).toEqual([music, politics, sports])
    expect(header.reward).toEqual({ min: 0, max: 1 })
    expect(header.context).toEqual({
      'User.name': { type: 'category', levels: ['Anna', 'Tom'] },
      'User.age': { type: 'number', min: 0, max: 50 },
      'Geo.city': { type: 'category', levels: ['(none)', 'Oslo', 'Rome'] },
      'Geo.at.0': { type: 'number', min: 0, max: 2 },
      'Geo.at.1': { type: 'number', min: -2, max: 0 },
      mobile: { type: 'boolean' },
    })
    const [first, second, third, last] = await collect(rows())
    expect(first).toMatchObject({
      decisionId: '1',
      eventId: 'event-2',
      time: Date.UTC(2022, 2, 9, 0, 31, 34, 500),
      action: politics,
      propensity: 0.8,
      propensities: [0.1, 0.8, 0.1],
      eligible: null,
      reward: 1,
      rewardStatus: 'closed',
      'context.User.name': 'Tom',
      'context.User.age': 30,
      'context.Geo.city': 'Rome',
      'context.Geo.at.1': -2,
      'context.mobile': false,
    })
    expect(second).toMatchObject({ action: sports, reward: 0, 'context.User.age': 0, 'context.mobile': true })
    expect(third).toMatchObject({ action: music, eligible: [music, sports], reward: null, rewardStatus: 'void' })
    expect(third!.propensities).toEqual([0.8, 0, 0.2])
    expect(last).toMatchObject({ action: music, propensity: 0.8, reward: null, rewardStatus: 'dropped' })
  })

  test('becomes a log that is written, read back and evaluated', async () => {
    const { header, rows } = await convertLog(fileOf('b.dsjson', lines(events)), 'dsjson')
    const out = join(folder, 'b.csv')
    expect(await writeLog(out, header, rows())).toBe(4)
    const log = await openLog(out)
    const { choices, leftOut } = await evaluationLog(log.header, log.rows())
    expect([...choices.reward]).toEqual([1, 0])
    expect(leftOut).toEqual({ void: 1, dropped: 1 })
  })

  test('numbers actions that have no names of their own, and says so', async () => {
    const alike = { ...events[0]!, c: { _multi: [{ f: 1 }, { f: 1 }, { f: 2 }] } }
    const { header, rows, lost } = await convertLog(fileOf('c.dsjson', lines([alike])), 'dsjson')
    expect(header.actions).toEqual(['1', '2', '3'])
    expect((await collect(rows()))[0]).toMatchObject({ action: '2', propensities: [0.1, 0.8, 0.1] })
    expect(lost[0]).toContain('numbered by position')
  })

  test('passes over rewards without their decision and takes a cost of null as none', async () => {
    const stray = { RewardValue: 1, EnqueuedTimeUtc: '2022-03-09T00:31:34Z', EventId: 'lost', Observations: [] }
    const unknown = event(1, { _label_cost: null }, {})
    const { rows, lost } = await convertLog(fileOf('e.dsjson', lines([stray, unknown, stray])), 'dsjson')
    const [only, ...none] = await collect(rows())
    expect(only).toMatchObject({ reward: null, rewardStatus: 'dropped' })
    expect(none).toEqual([])
    expect(lost).toContain('2 rewards that came without their decision')
  })

  test('refuses what is no single decision, with its line', async () => {
    const slots = fileOf('d.dsjson', lines([events[0]!, { c: { _multi: [{}], _slots: [{}] } }]))
    await expect(convertLog(slots, 'dsjson')).rejects.toThrow(/d\.dsjson, line 2: .*_slots/)
  })
})

describe('Open Bandit data', () => {
  const csv = `,timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,user-item_affinity_0,user-item_affinity_1
0,2019-11-24 00:00:14.877041+00:00,10,3,0,0.25,81ce1234,03a5648a,0.0,1.0
1,2019-11-24 00:01:00+00:00,2,1,1,0.5,81ce1234,2723e212,0.0,0.0
`

  test('takes items as actions, clicks as rewards, users and positions as context', async () => {
    const items = fileOf('item_context.csv', 'item_id,item_feature_0,item_feature_1\n2,0.1,aa\n7,0.2,bb\n10,-0.3,aa\n')
    const { header, rows, lost } = await convertLog(fileOf('all.csv', csv), 'obd', items)
    expect(header.actions).toEqual(['2', '7', '10'])
    expect(Object.keys(header.context)).toEqual(['position', 'user_feature_0', 'user_feature_1'])
    expect((await collect(rows()))[0]).toMatchObject({
      time: Date.UTC(2019, 10, 24, 0, 0, 14, 877),
      action: '10',
      propensity: 0.25,
      reward: 0,
      rewardStatus: 'closed',
      'context.position': '3',
      'context.user_feature_1': '03a5648a',
    })
    expect(lost.join('\n')).toContain('2 columns user-item_affinity_*')
  })

  test('without a file of items knows those that were shown', async () => {
    const log = await convertLog(fileOf('men.csv', csv), 'obd')
    expect(log.header.actions).toEqual(['2', '10'])
    const { choices } = await evaluationLog(log.header, log.rows())
    expect([...choices.reward]).toEqual([0, 1])
  })

  test('names a time that is none', async () => {
    const file = fileOf('bad.csv', csv.replace('2019-11-24 00:01:00+00:00', 'yesterday'))
    await expect(collect((await convertLog(file, 'obd')).rows())).rejects.toThrow(
      'row 2, column "timestamp": must be a time, got "yesterday"',
    )
  })
})
