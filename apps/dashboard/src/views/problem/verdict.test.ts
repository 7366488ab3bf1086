import type { Comparison, HistoryValue, ProblemSummary } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { comparisonVerdict, inWords, valueVerdict } from './verdict.js'

const missing = (share: number | null) => ({ missingShare: share }) as ProblemSummary['covariates'][string]
const summary = { decisions: 4000, mode: 'active' as const, covariates: { riskAlleles: missing(0.55) } }

function compared(low: number, high: number) {
  const live = { mean: (low + high) / 2, low, high }
  return {
    unit: 'right doses',
    verb: 'gives',
    rounds: 4000,
    needed: 9000,
    rival: 'taking missing values as zero',
    perThousand: { live } as Comparison['perThousand'],
  }
}

describe('the sentence of a comparison', () => {
  it('says a gain or a loss only where the interval excludes zero', () => {
    expect(comparisonVerdict(compared(20, 58), summary)).toMatchObject({
      tone: 'good',
      sentence:
        'With risk alleles unknown in 55% of cases, Primo gives 39 more right doses per 1,000 decisions than taking missing values as zero.',
    })
    expect(comparisonVerdict(compared(-58, -20), summary).sentence).toContain('39 fewer right doses')
    expect(comparisonVerdict(compared(-3, 58), summary)).toMatchObject({
      tone: 'open',
      sentence: 'Learning: no verdict yet.',
      detail:
        'After 4,000 decisions Primo could be 58 right doses per 1,000 decisions ahead of taking missing values as zero, or 3 behind. A verdict needs about 9,000.',
    })
  })

  it('names every covariate that is missing', () => {
    const both = {
      mode: 'active' as const,
      covariates: { riskAlleles: missing(0.55), income: missing(0.2), age: missing(0) },
    }
    expect(comparisonVerdict(compared(20, 58), both).sentence).toContain(
      'With risk alleles unknown in 55% and income in 20% of cases, Primo',
    )
    expect(inWords('monthly_income')).toBe('monthly income')
  })
})

describe('the sentence of a problem', () => {
  const sums = (count: number, mean: number, variance = mean * (1 - mean)) => ({
    count,
    sum: count * mean,
    deviation: count * variance,
  })
  /** `variance`: of a difference by half a weighted reward. */
  const value = (count: number, played: number, other: number, variance = 0.04): HistoryValue => {
    const weighted = (mean: number) => ({
      gained: sums(count, mean),
      lost: sums(count, 1 - mean),
      ahead: sums(count, (1 + played - mean) / 2, variance),
      behind: sums(count, (1 + mean - played) / 2, variance),
    })
    return { played: sums(count, played), baseline: weighted(other), uniform: weighted(0.3) }
  }
  const verdict = (last: HistoryValue | null, baseline: string | null = 'low') =>
    valueVerdict({ reward: { min: 0, max: 10 }, guards: baseline === null ? {} : { baseline } }, summary, last)

  it('uses the interval of the difference, which is narrower than those of its parts', () => {
    // .124 apart, each known to about .04, the difference to .026: 4.7 standard errors.
    const close = value(4000, 0.521, 0.397, 0.7)
    expect(verdict(close)).toMatchObject({
      tone: 'good',
      detail: expect.stringMatching(/^95% interval of the difference: 0\.\d+ to 2\.\d+/),
    })
    expect(verdict(value(4000, 0.521, 0.397, 5)).tone).toBe('open')
  })

  it('compares with the baseline where the difference is not chance', () => {
    expect(verdict(value(20_000, 0.7, 0.5))).toMatchObject({
      tone: 'good',
      sentence:
        'With risk alleles unknown in 55% of cases, Primo earns 7.00 per decision, more than always choosing “low” would (5.00).',
    })
    expect(verdict(value(20_000, 0.4, 0.6)).tone).toBe('bad')
    expect(verdict(value(60, 0.55, 0.5)).tone).toBe('open')
  })

  it('compares with chance where no baseline is named, and says nothing without rewards', () => {
    expect(verdict({ ...value(20_000, 0.7, 0.5), baseline: null }, null).sentence).toContain('than choosing at random')
    expect(verdict(null)).toMatchObject({ tone: 'open', sentence: 'Learning: no verdict yet.' })
  })
})
