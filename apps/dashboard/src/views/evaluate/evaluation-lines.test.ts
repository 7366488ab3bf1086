import type { Evaluation } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { ALWAYS, answersOf, linesOf } from './evaluation-lines.js'

const difference = (policy: string, estimator: string, value: number, half: number) => ({
  policy,
  against: 'logged',
  estimator,
  difference: value,
  standardError: half / 2,
  asymptotic: { low: value - half, high: value + half },
})
const policy = (name: string, codes: readonly string[] = []) => ({
  policy: name,
  warnings: codes.map((code) => ({ code, sentence: `of ${name}: ${code}` })),
})
const evaluation = {
  logged: { value: 0.6 },
  policies: [policy('uniform', ['heavy-row']), policy('fixed:low'), policy('fixed:high', ['few-effective-rows'])],
  differences: [
    difference('uniform', 'ips', -1.5, 3.9),
    difference('uniform', 'dr', -0.3, 0.4),
    difference('fixed:low', 'dr', -0.2, 0.05),
    difference('fixed:high', 'dr', -0.4, 0.05),
  ],
  anytime: null,
} as unknown as Evaluation
const estimate = (value: number) => ({ value, standardError: 0.01, degrees: 100, asymptotic: null })
const adaptive: Evaluation = {
  ...evaluation,
  anytime: {
    level: 0.95,
    rows: 900,
    policies: [],
    differences: [
      { policy: 'uniform', against: 'logged', anytime: { low: -1, high: 0.2 }, atEnd: estimate(-0.3) },
      { policy: 'fixed:low', against: 'logged', anytime: { low: -0.15, high: 0.1 }, atEnd: estimate(-0.2) },
      { policy: 'fixed:high', against: 'logged', anytime: { low: -0.6, high: -0.1 }, atEnd: estimate(-0.4) },
    ],
    mayBeBest: ['logged', 'uniform'],
    decidedAfter: null,
  },
}
const reward = { min: 0, max: 1 }

describe('the lines of an evaluation', () => {
  it('begin with doubly robust ones, within limits at all times where a learning policy made the log', () => {
    expect(answersOf(adaptive).map(([name]) => name)).toEqual([ALWAYS, 'dr', 'ips'])
    expect(answersOf(evaluation).map(([name]) => name)).toEqual(['dr', 'ips'])
    expect(linesOf(adaptive, ALWAYS, reward)[0]).toMatchObject({ difference: -0.3, silent: null })
  })

  it('stay within what rewards can be', () => {
    const [chance, low] = linesOf(evaluation, 'dr', reward)
    expect(chance!.interval).toEqual({ low: -0.6, high: expect.closeTo(0.1, 9) })
    expect(low).toMatchObject({ difference: -0.2, silent: null })
    const sure = { ...evaluation, differences: [difference('fixed:low', 'dr', 0.4 + 1e-12, 0.01)] }
    expect(linesOf(sure, 'dr', reward)[0]).toMatchObject({ difference: 0.4, silent: null })
  })

  it('have a sentence in place of a number where too few decisions are like the policy', () => {
    expect(linesOf(evaluation, 'dr', reward)[2]!.silent).toBe('of fixed:high: few-effective-rows')
    expect(linesOf(adaptive, ALWAYS, reward)[2]!.silent).toBe('of fixed:high: few-effective-rows')
  })

  it('have a sentence where the estimate leaves its limits, or those of rewards, or these are all that is known', () => {
    const unknown = 'nothing can be said: the log hardly has what it would play'
    expect(linesOf(adaptive, ALWAYS, reward)[1]!.silent).toBe(unknown)
    expect(linesOf(evaluation, 'ips', reward)[0]!.silent).toBe(unknown)
    expect(linesOf(evaluation, 'ips', { min: -5, max: 5 })[0]).toMatchObject({ difference: -1.5, silent: null })
  })

  it('know which are shown to be worse', () => {
    expect(linesOf(evaluation, 'dr', reward).map(({ worse }) => worse)).toEqual([false, true, false])
  })
})
