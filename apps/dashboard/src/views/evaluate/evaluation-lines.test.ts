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
const estimate = (value: number, half: number) => ({
  value,
  standardError: half / 2,
  degrees: 100,
  asymptotic: { low: value - half, high: value + half },
})
const evaluation = {
  differences: [
    difference('uniform', 'ips', -1.5, 3.9),
    difference('uniform', 'dr', -1.51, 0.4),
    difference('fixed:low', 'dr', -0.2, 0.05),
  ],
  anytime: null,
} as unknown as Evaluation
const adaptive: Evaluation = {
  ...evaluation,
  anytime: {
    level: 0.95,
    rows: 900,
    policies: [],
    differences: [
      { policy: 'uniform', against: 'logged', anytime: { low: -1, high: 0.4 }, atEnd: estimate(-0.3, 0.2) },
      { policy: 'fixed:low', against: 'logged', anytime: { low: -0.6, high: -0.1 }, atEnd: estimate(-0.05, 0.1) },
    ],
    mayBeBest: ['logged', 'uniform'],
    decidedAfter: null,
  },
}
const reward = { min: 0, max: 1 }

describe('the lines of an evaluation', () => {
  it('begin with limits at all times where a learning policy made the log, with doubly robust ones elsewhere', () => {
    expect(answersOf(adaptive).map(([name]) => name)).toEqual([ALWAYS, 'one-look', 'dr', 'ips'])
    expect(answersOf(evaluation).map(([name]) => name)).toEqual(['dr', 'ips'])
  })

  it('stay within what rewards can be, and say so where that is all that is known', () => {
    expect(linesOf(evaluation, 'dr', reward)).toMatchObject([{ silent: true }, { difference: -0.2, silent: false }])
    expect(linesOf(evaluation, 'ips', reward)[0]).toMatchObject({ interval: { low: -1, high: 1 }, silent: true })
    expect(linesOf(evaluation, 'ips', { min: -5, max: 5 })[0]).toMatchObject({ difference: -1.5, silent: false })
  })

  it('keep a point within its limits', () => {
    expect(linesOf(adaptive, ALWAYS, reward)).toEqual([
      { policy: 'uniform', difference: -0.3, interval: { low: -1, high: 0.4 }, silent: false },
      { policy: 'fixed:low', difference: -0.1, interval: { low: -0.6, high: -0.1 }, silent: false },
    ])
  })
})
