import { join } from 'node:path'
import { type LogHealth, type LogRow, logHeader } from '@primo/lab'
import { writeLog } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const header = logHeader({
  actions: ['no', 'yes'],
  context: { x: { type: 'number', min: 0, max: 1 } },
  reward: { min: 0, max: 1 },
})

function* rows(propensity: number): Generator<LogRow> {
  const random = Random.fromSeed(1)
  for (let k = 0; k < 1000; k++) {
    const action = random.uniform() < 0.5 ? 'yes' : 'no'
    const reward = random.uniform() < 0.4 ? 1 : 0
    const p = action === 'yes' ? propensity : 1 - propensity
    yield {
      decisionId: `${k}`,
      action,
      propensity: p,
      reward,
      rewardStatus: 'closed',
      'context.x': random.uniform(),
    }
  }
}

describe('primo doctor LOG', () => {
  test('ends with 0 where nothing stands out', async () => {
    const log = join(folder, 'clean.jsonl')
    await writeLog(log, header, rows(0.5))
    const { code, stdout } = await primo('doctor', log)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^1,000 rows: nothing stands out\.\nok {7}propensities/)
  })

  test('names wrong propensities, in sentences and as JSON, and ends with 1', async () => {
    const log = join(folder, 'wrong.csv')
    await writeLog(log, header, rows(0.7))
    const text = await primo('doctor', log)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/failure +calibration +Actions are not played as often/)
    const { code, stdout } = await primo('doctor', log, '--json')
    expect(code).toBe(1)
    const { findings, calibration } = JSON.parse(stdout) as LogHealth
    expect(findings.filter(({ state }) => state === 'failure').map(({ check }) => check)).toEqual(['calibration'])
    expect(calibration.actions.find(({ name }) => name === 'yes')!.expected).toBeCloseTo(700, 6)
  })

  test('asks for a log or a store', async () => {
    const { code, stderr } = await primo('doctor')
    expect([code, stderr]).toEqual([2, 'primo: a log or --store must be given, and not both\n'])
  })
})
