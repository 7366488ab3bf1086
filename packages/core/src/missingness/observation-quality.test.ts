import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { observationQuality } from './observation-quality.js'

describe('the quality of observation probabilities', () => {
  it('equals naive sums, the area under the curve that over all pairs', () => {
    const random = Random.fromSeed(1)
    // Rounded, so that there are ties.
    const e = Array.from({ length: 200 }, () => 0.05 + Math.round(18 * random.uniform()) / 20)
    const b: number[] = e.map((p) => (random.uniform() < p ? 1 : 0))
    const { logLoss, constantLogLoss, brier, auc } = observationQuality(e, b)
    const mean = (f: (p: number, seen: number) => number) => e.reduce((sum, p, i) => sum + f(p, b[i]!), 0) / 200
    expect(logLoss).toBeCloseTo(
      mean((p, seen) => -Math.log(seen === 1 ? p : 1 - p)),
      12,
    )
    expect(brier).toBeCloseTo(
      mean((p, seen) => (p - seen) ** 2),
      12,
    )
    const share = b.reduce((sum, seen) => sum + seen, 0) / 200
    expect(constantLogLoss).toBeCloseTo(
      mean((_p, seen) => -Math.log(seen === 1 ? share : 1 - share)),
      12,
    )
    let wins = 0
    let pairs = 0
    e.forEach((p, i) => {
      e.forEach((q, j) => {
        if (b[i] !== 1 || b[j] !== 0) return
        pairs++
        wins += p > q ? 1 : p === q ? 0.5 : 0
      })
    })
    expect(auc).toBeCloseTo(wins / pairs, 12)
  })

  it('has no curve when all rows are alike', () => {
    expect(observationQuality([0.5, 0.7], [1, 1]).auc).toBeNull()
  })
})
