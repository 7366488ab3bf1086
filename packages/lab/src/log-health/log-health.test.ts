import { describe, expect, test } from 'vitest'
import { examineLog, type LogCheck, type LogRow, logHeader, logHealthText } from '../index.js'
import { header, type Planted, plantedLog } from './planted-log.fixture.js'

const ROWS = 5000

async function named(rows: Iterable<LogRow>): Promise<LogCheck[]> {
  const { findings } = await examineLog(header, rows)
  return findings.filter(({ state }) => state !== 'ok').map(({ check }) => check)
}

async function finding(rows: Iterable<LogRow>, check: LogCheck) {
  const { findings } = await examineLog(header, rows)
  return findings.find((one) => one.check === check)!
}

describe('examineLog', () => {
  test.each([1, 2, 3, 4, 5])('names nothing in a clean log (seed %i)', async (seed) => {
    expect(await named(plantedLog({ rows: ROWS, seed }))).toEqual([])
    expect(await named(plantedLog({ rows: ROWS, seed, playedOnly: true }))).toEqual([])
  })

  test('names decisions of local callers that are missing between others', async () => {
    const log = plantedLog({ rows: ROWS, seed: 3 })
    const numbered = log.map((row, k) => ({ ...row, decisionId: `web~run${k % 3}~${Math.floor(k / 3).toString(36)}` }))
    expect(await named(numbered)).toEqual([])
    expect(await named(numbered.slice(1000))).toEqual([])
    const left = numbered.filter((_, k) => k % 50 !== 10)
    expect(await named(left)).toEqual(['missing uploads'])
    expect((await finding(left, 'missing uploads')).says).toContain(`${ROWS - left.length} (2%) are missing: web`)
  })

  test.each<[Planted, LogCheck]>([
    ['wrong propensities', 'calibration'],
    ['stale propensities', 'calibration'],
    ['duplicates', 'duplicates'],
    ['drift', 'drift'],
    ['leakage', 'leakage'],
    ['missing rewards', 'missing rewards'],
  ])('names %s', async (fault, check) => {
    for (const playedOnly of [false, true]) {
      const checks = new Set(await named(plantedLog({ rows: ROWS, seed: 7, fault, playedOnly })))
      expect(checks.has(check)).toBe(true)
      checks.delete(check)
      // Values that are not those of the decision also disagree with what was played.
      if (fault === 'drift' || fault === 'leakage') checks.delete('calibration')
      expect([...checks]).toEqual([])
    }
  })

  test('says how much, where, and what to do', async () => {
    const wrong = await finding(plantedLog({ rows: ROWS, seed: 8, fault: 'wrong propensities' }), 'calibration')
    expect(wrong.state).toBe('failure')
    expect(wrong.says).toMatch(/low played [\d,]+ times, expected [\d,]+ \(z = -/)
    expect(wrong.advice).toContain('whole procedure')
    const lost = await finding(plantedLog({ rows: ROWS, seed: 8, fault: 'missing rewards' }), 'missing rewards')
    expect(lost.says).toMatch(/depends on the action: .*high (1[789]|2[0-3])%/)
    const health = await examineLog(header, plantedLog({ rows: ROWS, seed: 8, fault: 'leakage' }))
    expect(logHealthText(health)).toMatch(/^5,000 rows: \d failures?, 0 warnings\.$/m)
    expect(logHealthText(health)).toMatch(/^failure +leakage +The reward is nearly determined by z/m)
  })

  test('counts what cannot be, row by row', async () => {
    const rows = plantedLog({ rows: 1000, seed: 9 })
    const spoilt = rows.map((row, k): LogRow => {
      if (k === 10) return { ...row, propensity: 0, propensities: null }
      if (k === 20) return { ...row, propensities: [0.5, 0.5, 0.5] }
      if (k === 30) return { ...row, propensity: (row.propensity as number) / 2 }
      if (k === 40) return { ...row, rewardTime: (row.time as number) - 1 }
      return row
    })
    const { findings } = await examineLog(header, spoilt)
    const failures = findings.filter(({ state }) => state === 'failure').map(({ says }) => says)
    expect(failures).toEqual([
      expect.stringMatching(/^1 row played an action with a propensity of zero/),
      expect.stringMatching(/^1 row with propensities of all actions that do not sum to one/),
      expect.stringMatching(/^1 row where `propensity` is not what/),
      expect.stringMatching(/^1 reward came before its decision/),
    ])
  })

  test('does not take equal rows of a small world for duplicates', async () => {
    const small = logHeader({ actions: ['a', 'b'], context: { wet: { type: 'boolean' } }, reward: { min: 0, max: 1 } })
    const rows = plantedLog({ rows: 1000, seed: 10 }).map(
      (row, k): LogRow => ({
        decisionId: `${k}`,
        action: (row['context.x'] as number) < 0.5 ? 'a' : 'b',
        propensity: 0.5,
        reward: row.reward ?? 0,
        rewardStatus: 'closed',
        'context.wet': row['context.group'] === 'a',
      }),
    )
    const { findings } = await examineLog(small, rows)
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  })
})
