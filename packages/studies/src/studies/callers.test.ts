import { expect, test } from 'vitest'
import { callersOf } from './callers-world.js'

test('a caller decides with a policy that is as old as it may be, and no older', () => {
  const { keeps } = callersOf({ callers: 50, policyAge: 100, uploadEvery: 10 }, 7)
  // A new policy every 40 rounds.
  const ages = Array.from({ length: 2000 }, (_, round) => {
    const newest = Math.floor(round / 40)
    return newest - keeps(round, newest)
  })
  expect(Math.max(...ages)).toBe(3)
  expect(Math.min(...ages)).toBe(0)
  expect(keeps(2000, 50)).toBeLessThanOrEqual(50)
})
