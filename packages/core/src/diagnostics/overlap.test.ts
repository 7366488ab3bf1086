import { expect, test } from 'vitest'
import { diagnoseOverlap, expectedWhereRarest } from './overlap.js'

test('overlap is reported against the floor the user chose and never moves it', () => {
  const overlap = diagnoseOverlap({ probabilities: [0.02, 0.1, 0.5, 0.9], floor: 0.1 })
  expect(overlap).toMatchObject({ floor: 0.1, smallest: 0.02, shareAtFloor: 0.5, rows: 4 })
  expect(overlap.warnings[0]!.code).toBe('overlap-below-floor')
  expect(diagnoseOverlap({ probabilities: [0.5, 0.6] }).warnings).toEqual([])
})

test('expects in the rarest tenth the sum of its probabilities, also on long tables', () => {
  const probabilities = Float64Array.from({ length: 100_000 }, (_, i) => (i % 10 === 3 ? 0.001 : 0.5))
  expect(expectedWhereRarest(probabilities.subarray(0, 1000))).toBeCloseTo(0.1, 9)
  const mixed = Float64Array.from({ length: 100_000 }, (_, i) => ((i * 7919) % 100_003) / 100_003)
  expect(expectedWhereRarest(mixed) / (100_000 * 0.1 * 0.05)).toBeCloseTo(1, 1)
})

test('bad input is refused by field', () => {
  for (const [call, field] of [
    [() => diagnoseOverlap({ probabilities: [] }), 'probabilities'],
    [() => diagnoseOverlap({ probabilities: [2] }), 'probabilities[0]'],
    [() => diagnoseOverlap({ probabilities: [0.5], floor: 0 }), 'floor'],
  ] as const)
    expect(call).toThrow(field)
})
