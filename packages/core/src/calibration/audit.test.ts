import { Random, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { auditClaim, type Folds, fitAudit, responseLimit, shiftTarget } from './audit.js'

const PREFIXES = [1, 2, 3, 3]
/** No column has g~ in it. */
const CONTEXT = { own: 0, ofPrediction: new Uint8Array(3) }

/** Rows [1, x, x^2 - 1/3, y] of two folds. */
function rowsOf(random: Random, count: number, y: (x: number) => number): number[][] {
  return Array.from({ length: count }, () => {
    const x = 2 * random.uniform() - 1
    return [1, x, x * x - 1 / 3, y(x)]
  })
}

function foldsOf(rows: readonly number[][]): Folds {
  const half = Math.floor(rows.length / 2)
  const sums = (part: readonly number[][]) =>
    sumRows(Float64Array.from(part.flat()), 0, part.length, 3, null, 0, new Float64Array())
  return [sums(rows.slice(0, half)), sums(rows.slice(half))]
}

describe('sums with a shifted target', () => {
  it('equal the sums of the shifted rows', () => {
    const random = Random.fromSeed(1)
    const rows = rowsOf(random, 50, (x) => x + random.normal())
    const h = [0.3, -0.7]
    const direct = foldsOf(rows.map(([one, x, s, y]) => [one!, x!, s!, y! - 0.3 + 0.7 * x!]))[0]
    const shifted = shiftTarget(foldsOf(rows)[0], h)
    expect(shifted.count).toBe(direct.count)
    shifted.gram.forEach((value, i) => {
      expect(value).toBeCloseTo(direct.gram[i]!, 9)
    })
  })
})

describe('the claim of an audit', () => {
  it('is dropped when requests clearly go unanswered, and waits for rows', () => {
    expect(auditClaim({ asked: 0, answered: 0 })).toBe('too-few-rows')
    expect(auditClaim({ asked: 31, answered: 31 })).toBe('too-few-rows')
    expect(auditClaim({ asked: 40, answered: 40 })).toBe('held')
    expect(auditClaim({ asked: 1000, answered: 960 })).toBe('held')
    // A few late answers are no evidence; a tenth of a thousand is.
    expect(auditClaim({ asked: 40, answered: 37 })).toBe('held')
    expect(auditClaim({ asked: 1000, answered: 900 })).toBe('dropped')
    expect(auditClaim({ asked: 10, answered: 2 })).toBe('dropped')
  })

  it('uses the limit at which the observed rate is 2.3263 standard errors away', () => {
    for (const [answered, asked] of [
      [30, 40],
      [900, 1000],
      [1, 7],
    ] as const) {
      const limit = responseLimit(answered, asked)
      expect((limit - answered / asked) / Math.sqrt((limit * (1 - limit)) / asked)).toBeCloseTo(2.3263, 6)
    }
  })
})

describe('a correction by audited rows', () => {
  it('builds on the best model at hand and corrects what that leaves', () => {
    const random = Random.fromSeed(4)
    const audited = foldsOf(rowsOf(random, 400, (x) => 0.6 + 0.5 * x + 0.2 * random.normal()))
    const fit = fitAudit(
      [audited],
      [
        { name: 'pretrained', coefficients: [[]] },
        { name: 'calibrated', coefficients: [[0.1, 0.5]] },
      ],
      PREFIXES,
      1,
      CONTEXT,
    )
    expect(fit.base.name).toBe('calibrated')
    expect(fit.losses.calibrated).toBeLessThan(fit.losses.pretrained!)
    expect(fit.coefficients[0]![0]).toBeCloseTo(0.6, 1)
    expect(fit.coefficients[0]![1]).toBeCloseTo(0.5, 1)
    expect(Math.sqrt(fit.residualVariance!)).toBeCloseTo(0.2, 1)
  })

  it('adds little to a model that is right', () => {
    let added = 0
    for (let seed = 0; seed < 40; seed++) {
      const random = Random.fromSeed(50 + seed)
      const audited = foldsOf(rowsOf(random, 100, (x) => 0.4 * x + 0.3 * random.normal()))
      const fit = fitAudit([audited], [{ name: 'calibrated', coefficients: [[0, 0.4]] }], PREFIXES, 1, CONTEXT)
      added += Math.abs(fit.coefficients[0]![0]!) / 40
    }
    // The mean of 100 rows alone is off by 0.03 * 0.8 on average.
    expect(added).toBeLessThan(0.02)
  })
})
