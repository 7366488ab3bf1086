// Rewards that never came in an evaluation: what weights repair, and limits that need no story.

import { describe, expect, test } from 'vitest'
import type { LogRow } from '../log/log-columns.js'
import { estimatorTerms } from './estimators.js'
import { evaluateLog } from './evaluate-log.js'
import { evaluationLog } from './evaluation-log.js'
import { evaluationText } from './evaluation-report.js'
import { header, logRows } from './evaluation-world.fixture.js'
import { importanceWeights } from './importance-weights.js'
import { rewardLimits } from './missing-reward-limits.js'
import { targetPolicy } from './policy-name.js'

/** Rewards of a and b come where x is large, those of c always; every third draw decides, so that rows stay what they are. */
function* withMissing(rows: number): Generator<LogRow> {
  let k = 0
  for (const row of logRows(rows, 3)) {
    const x = row['context.x'] as number
    const comes = (k++ * 0.618034) % 1 < 1 / (1 + Math.exp(-3 * x))
    yield row.action === 'c' || comes ? row : { ...row, reward: null, rewardStatus: 'dropped' }
  }
}

const read = (missingRewards: 'drop' | 'weight') => evaluationLog(header, withMissing(8000), { missingRewards })

describe('rewards that never came', () => {
  test('mislead where they are dropped and not where those that came are weighted', async () => {
    // Of a: E[.5 + .3 z] = .5. One log; chance alone is beyond 3.5 standard errors once in 2,000.
    const value = async (how: 'drop' | 'weight') => {
      const log = await read(how)
      const { policies } = evaluateLog(log, {
        policies: [targetPolicy(log, 'fixed:a')],
        replicates: 0,
        interval: 'fixed',
      })
      return policies[0]!.estimates.find(({ estimator }) => estimator === 'snips')!
    }
    const [dropped, weighted] = [await value('drop'), await value('weight')]
    expect(dropped.value - 0.5).toBeGreaterThan(3.5 * dropped.standardError)
    expect(Math.abs(weighted.value - 0.5)).toBeLessThan(3.5 * weighted.standardError)
    expect(Math.abs(weighted.value - 0.5)).toBeLessThan(0.5 * (dropped.value - 0.5))
  })

  test('stay in the log, which says which they are', async () => {
    const [log, without] = [await read('weight'), await read('drop')]
    expect(log.choices.rows).toBe(8000)
    expect(without.choices.rows + without.leftOut.dropped!).toBe(8000)
    const found = evaluateLog(log, { policies: [targetPolicy(log, 'uniform')], replicates: 0 })
    expect(found.anytime).toBeNull()
    expect(found.warnings.map(({ code }) => code)).toContain('rewards-missing-by-action')
    const c = found.missingRewards!.actions.find(({ action }) => action === 'c')!
    expect(c.seenShare).toBe(1)
    expect(c.limits.low).toBe(c.limits.high)
    const [{ low, high }] = found.limits as unknown as readonly [{ low: number; high: number }]
    const ips = found.policies[0]!.estimates.find(({ estimator }) => estimator === 'ips')!
    expect(low).toBeLessThan(ips.value)
    expect(high).toBeGreaterThan(ips.value)
    expect(evaluationText(found)).toContain('Rewards that came, by action')
    const adaptive = () => evaluateLog(log, { policies: [targetPolicy(log, 'uniform')], interval: 'anytime' })
    expect(adaptive).toThrow('interval must be "fixed" where missing rewards are made up for')
  })

  test('count as the formulas say, row by row', () => {
    const choices = {
      rows: 4,
      actions: 2,
      action: Uint16Array.of(0, 1, 0, 0),
      propensity: Float64Array.of(0.5, 0.5, 0.25, 0.5),
      reward: Float64Array.of(0.6, 1, 0, 0.2),
      rewardRange: { min: -1, max: 1 },
      propensities: null,
      eligible: null,
      seen: Float64Array.of(2, 1, 0, 1.25),
    }
    const target = Float64Array.of(1, 0, 0, 1, 1, 0, 0.5, 0.5)
    const weights = importanceWeights(choices, target)
    expect([...weights]).toEqual([4, 2, 0, 1.25])
    const input = { choices, target, weights, largestWeight: 8, rewards: null, threshold: 'auto' as const }
    const terms = estimatorTerms('ips', { ...input, random: undefined as never })!
    expect([...terms.top]).toEqual([4 * 0.6, 2, 0, 0.25])
    // Without 1 / P, and -1 or 1 for the reward that did not come: weights 2, 2, 4, 1.
    const { low, high } = rewardLimits('one', choices, target)
    expect(low).toBeCloseTo((1.2 + 2 - 4 + 0.2) / 9, 12)
    expect(high).toBeCloseTo((1.2 + 2 + 4 + 0.2) / 9, 12)
  })
})
