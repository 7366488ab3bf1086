import { expect, test } from 'vitest'
import { dice } from '../dice.fixture.js'
import { DelayCounts } from './delay-counts.js'

test('delays are known to within 5%', () => {
  const counts = new DelayCounts()
  const draw = dice(9).next
  const values = Array.from({ length: 1001 }, () => Math.exp(12 * draw()))
  for (const value of values) counts.add(value)
  values.sort((a, b) => a - b)
  for (const p of [0.5, 0.95]) expect(counts.quantile(p)! / values[Math.ceil(p * 1001) - 1]!).toBeCloseTo(1, 1)
  expect(new DelayCounts().quantile(0.5)).toBeNull()
})
