import { createLearner } from '@primo/core'
import { normalQuantile, Random } from '@primo/numeric'
import { beforeAll, describe, expect, test } from 'vitest'
import { problemOfLog } from '../node.js'
import { estimatorTerms } from './estimators.js'
import { evaluateLog } from './evaluate-log.js'
import { evaluatePolicy } from './evaluate-policy.js'
import { type EvaluationLog, evaluationLog } from './evaluation-log.js'
import { header, logRows, means, worldMean } from './evaluation-world.fixture.js'
import { bernsteinInterval, bootstrapIntervals, estimateOf } from './intervals.js'
import type { LoggedChoices } from './logged-choices.js'
import { checkPropensities } from './propensity-check.js'

let log: EvaluationLog
beforeAll(async () => {
  log = await evaluationLog(header, logRows(8000, 3))
})

/** Five rows, three actions, everything by hand. */
const tiny: LoggedChoices = {
  rows: 5,
  actions: 3,
  action: Uint16Array.of(0, 1, 2, 0, 1),
  propensity: Float64Array.of(0.5, 0.25, 0.25, 0.8, 0.1),
  reward: Float64Array.of(1, 0, 1, 0.5, 1),
  rewardRange: { min: 0, max: 1 },
  propensities: null,
  eligible: null,
}
const target = Float64Array.of(1, 0, 0, 0.5, 0.5, 0, 0.2, 0.2, 0.6, 0, 1, 0, 0, 1, 0)
const q = Float64Array.of(0.5, 0.4, 0.3, 0.2, 0.1, 0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)

describe('estimators', () => {
  test('are the formulas, row by row', () => {
    const w = [2, 2, 2.4, 0, 10]
    const r = [1, 0, 1, 0.5, 1]
    const d = [0.5, 0.15, 0.76, 0.5, 0.2]
    const played = [0.5, 0.1, 0.7, 0.6, 0.2]
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / 5
    const expected: Record<string, number> = {
      ips: mean(w.map((one, i) => one * r[i]!)),
      snips: mean(w.map((one, i) => one * r[i]!)) / mean(w),
      direct: mean(d),
      dr: mean(w.map((one, i) => d[i]! + one * (r[i]! - played[i]!))),
      'clipped-ips': mean(w.map((one, i) => Math.min(one, 3) * r[i]!)),
      'clipped-dr': mean(w.map((one, i) => d[i]! + Math.min(one, 3) * (r[i]! - played[i]!))),
      switch: mean(w.map((one, i) => d[i]! + (one <= 3 ? one : 0) * (r[i]! - played[i]!))),
    }
    const { evaluation } = evaluatePolicy('one', tiny, target, { rewards: q, threshold: 3, replicates: 50 })
    expect(evaluation.estimates.map(({ estimator }) => estimator)).toEqual(Object.keys(expected))
    for (const { estimator, value } of evaluation.estimates) expect(value).toBeCloseTo(expected[estimator]!, 12)
    expect(evaluation.weights.effectiveRows).toBeCloseTo(16.4 ** 2 / (4 + 4 + 5.76 + 100), 12)
  })

  test('replay takes a row when a draw from the policy is its action', () => {
    const weights = new Float64Array(5)
    const terms = estimatorTerms('replay', {
      choices: tiny,
      target,
      weights,
      largestWeight: 10,
      rewards: null,
      threshold: 'auto',
      random: Random.fromSeed(1),
    })!
    // Certain where the policy plays what was played for sure, impossible where it never does.
    expect([terms.bottom![0], terms.bottom![3], terms.bottom![4]]).toEqual([1, 0, 1])
  })

  test('refuse propensities of 0 and policies that are no distribution', () => {
    const bad = { ...tiny, propensity: Float64Array.of(0, 1, 1, 1, 1) }
    expect(() => evaluatePolicy('p', bad, target)).toThrow('propensity[0] must be in (0, 1], got 0')
    const half = target.map((value) => value / 2)
    expect(() => evaluatePolicy('p', tiny, half)).toThrow('must be probabilities that sum to 1, got 0.5')
  })
})

describe('intervals', () => {
  const random = Random.fromSeed(4)
  const top = Float64Array.from({ length: 3000 }, () => random.uniform() ** 2)
  const bottom = Float64Array.from({ length: 3000 }, () => 0.5 + random.uniform())

  test('by bootstrap and by the influence of each row agree where n is large', () => {
    for (const terms of [
      { top, bottom: null, bounds: null },
      { top, bottom, bounds: null },
    ]) {
      const asymptotic = estimateOf(terms, 0.95).asymptotic!
      const [found] = bootstrapIntervals([terms], { replicates: 3000, level: 0.95, random: Random.fromSeed(9) })
      const width = asymptotic.high - asymptotic.low
      expect(found!.high - found!.low).toBeGreaterThan(0.93 * width)
      expect(found!.high - found!.low).toBeLessThan(1.07 * width)
      expect(Math.abs(found!.low + found!.high - asymptotic.low - asymptotic.high)).toBeLessThan(0.1 * width)
    }
  })

  test('by Bernstein are the formula, wider than the asymptotic ones, and absent without bounds', () => {
    const terms = { top, bottom: null, bounds: { min: 0, max: 1 } }
    const { value, standardError, asymptotic } = estimateOf(terms, 0.95)
    const found = bernsteinInterval(terms, 0.95)!
    const variance = standardError ** 2 * 3000
    const half = Math.sqrt((2 * variance * Math.log(80)) / 3000) + (7 * Math.log(80)) / (3 * 2999)
    expect(found.high - value).toBeCloseTo(half, 12)
    expect(found.high).toBeGreaterThan(asymptotic!.high)
    expect(bernsteinInterval({ top, bottom, bounds: { min: 0, max: 1 } }, 0.95)).toBeNull()
    expect(bernsteinInterval({ top, bottom: null, bounds: null }, 0.95)).toBeNull()
  })
})

describe('evaluateLog', () => {
  test('finds the values of fixed actions within three standard errors, doubly robust with a smaller error', () => {
    const truths = [0, 1, 2].map((a) => worldMean((x, z) => means(x, z)[a]!))
    const { policies } = evaluateLog(log, {
      policies: header.actions.map((action) => ({ kind: 'fixed' as const, name: action, action })),
      replicates: 0,
    })
    policies.forEach(({ estimates }, a) => {
      const by = new Map(estimates.map((one) => [one.estimator, one]))
      for (const name of ['ips', 'snips', 'dr', 'switch'] as const) {
        const { value, standardError } = by.get(name)!
        // 12 comparisons at three standard errors: a false alarm in 3% of seeds; the seed is fixed.
        expect(Math.abs(value - truths[a]!)).toBeLessThan(3 * standardError)
      }
      expect(by.get('dr')!.standardError).toBeLessThan(by.get('ips')!.standardError)
    })
  })

  test('compares policies with a paired error that is smaller than that of either', () => {
    const { differences, policies } = evaluateLog(log, {
      policies: [
        { kind: 'learnt', name: 'primo-cal', options: { profile: 'primo-cal', window: 'all' } },
        { kind: 'learnt', name: 'primo', options: { profile: 'primo', window: 'all' } },
      ],
      against: 'primo',
      replicates: 0,
    })
    const dr = differences.find(({ estimator }) => estimator === 'dr')!
    expect(dr.policy).toBe('primo-cal')
    expect(dr.standardError).toBeLessThan(0.5 * policies[0]!.estimates.find((e) => e.estimator === 'dr')!.standardError)
  })

  test('a learnt policy is about as good as it is, and seeing z always would be worth what it is', () => {
    const learnt = { kind: 'learnt', name: 'learnt', options: { profile: 'primo', window: 'all' } } as const
    const { policies, observing } = evaluateLog(log, { policies: [learnt], replicates: 0 })
    // The best policy of this class: the larger of a and b by the sign of z (or of its imputation).
    const best = worldMean((x, z, e) => {
      const seen = Math.max(...means(x, z))
      const blind = Math.max(...means(x, 0.5 * x))
      return e * seen + (1 - e) * blind
    })
    const dr = policies[0]!.estimates.find(({ estimator }) => estimator === 'dr')!
    expect(dr.value).toBeGreaterThan(best - 0.02 - 3 * dr.standardError)
    expect(dr.value).toBeLessThan(best + 3 * dr.standardError)
    const gain = worldMean((x, z, e) => (1 - e) * (Math.max(...means(x, z)) - Math.max(...means(x, 0.5 * x))))
    const found = observing[0]!.gain
    expect(Math.abs(found.value - gain)).toBeLessThan(3 * found.standardError)
    expect(found.value / found.standardError).toBeGreaterThan(normalQuantile(0.999))
    expect(observing[0]!.gainAt.find(({ share }) => share === 0.5)!.gain).toBeCloseTo(found.value / 2, 12)
  })

  test('a saved learner is evaluated as it would decide', () => {
    const problem = problemOfLog(header)
    const learner = createLearner(problem, { profile: 'primo', schedule: { kind: 'list', ends: [500] } })
    const random = Random.fromSeed(8)
    for (let k = 0; k < 600; k++) {
      const x = 2 * random.uniform() - 1
      const z = 0.5 * x
      const { id, action } = learner.decide({ context: { x }, covariates: { z }, predictions: { z } })
      learner.reward(id, random.uniform() < means(x, z)[header.actions.indexOf(action)]! ? 1 : 0)
    }
    const snapshot = learner.snapshot()
    const { policies } = evaluateLog(log, { policies: [{ kind: 'snapshot', name: 'saved', snapshot }], replicates: 0 })
    const uniform = worldMean((x, z) => means(x, z).reduce((sum, mean) => sum + mean / 3, 0))
    const dr = policies[0]!.estimates.find(({ estimator }) => estimator === 'dr')!
    expect(dr.value).toBeGreaterThan(uniform + 3 * dr.standardError)
  })

  test('is reproducible, seed by seed', () => {
    const policies = [{ kind: 'uniform', name: 'uniform' }] as const
    const once = evaluateLog(log, { policies, seed: 5, replicates: 100 })
    expect(evaluateLog(log, { policies, seed: 5, replicates: 100 })).toEqual(once)
    expect(evaluateLog(log, { policies, seed: 6, replicates: 100 })).not.toEqual(once)
  })
})

describe('warnings', () => {
  test('say when propensities are not those that were played by, with and without the others', async () => {
    const honest = checkPropensities(log.choices)
    expect(honest.method).toBe('counts')
    expect(honest.pValue).toBeGreaterThan(0.001)
    const swapped = [...logRows(8000, 3)].map((row) => ({
      ...row,
      propensities: [
        (row.propensities as number[])[1]!,
        (row.propensities as number[])[0]!,
        (row.propensities as number[])[2]!,
      ],
    }))
    expect(checkPropensities((await evaluationLog(header, swapped)).choices).pValue).toBeLessThan(1e-6)
    const alone = { ...log.choices, propensities: null }
    expect(checkPropensities(alone).pValue).toBeGreaterThan(0.001)
    const wrong = { ...alone, propensity: log.choices.propensity.map((p) => Math.min(1, 1.1 * p)) }
    expect(checkPropensities(wrong).pValue).toBeLessThan(1e-6)
  })

  test('say when the log never plays what the policy would', async () => {
    const rows = [...logRows(2000, 5)].filter(({ action }) => action !== 'c')
    const small = await evaluationLog(header, rows)
    const { policies } = evaluateLog(
      { ...small, choices: { ...small.choices, propensities: null } },
      { policies: [{ kind: 'fixed', name: 'c', action: 'c' }], replicates: 10 },
    )
    // Nothing that is no number: what cannot be had is left out.
    expect(policies[0]!.estimates.map(({ estimator }) => estimator)).not.toContain('snips')
    expect(policies[0]!.estimates.every(({ value, standardError }) => Number.isFinite(value + standardError))).toBe(
      true,
    )
    expect(policies[0]!.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining([
        'few-effective-rows',
        'unsupported-actions',
        'propensities-disagree',
        'nothing-in-common',
      ]),
    )
  })

  test('count the rows that cannot be used', async () => {
    const rows = [...logRows(300, 6)].map((row, k) =>
      k % 3 === 0
        ? { ...row, reward: null, rewardStatus: 'dropped' }
        : k % 3 === 1
          ? { ...row, propensity: null }
          : row,
    )
    const part = await evaluationLog(header, rows)
    expect(part.choices.rows).toBe(100)
    expect(part.leftOut).toEqual({ dropped: 100, 'no-propensity': 100 })
    const { warnings } = evaluateLog(part, { policies: [{ kind: 'uniform', name: 'u' }], replicates: 0 })
    expect(warnings.map(({ code }) => code)).toContain('rows-left-out')
  })
})
