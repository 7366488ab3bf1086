import { describe, expect, it } from 'vitest'
import { auditClaim, responseLimit } from './audit.js'

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
