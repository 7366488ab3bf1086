import { expect, test } from 'vitest'
import { normalQuantile } from './normal.js'
import { studentQuantile } from './student.js'

test('agrees with the tables of Student', () => {
  for (const [p, degrees, value] of [
    [0.975, 3, 3.1824],
    [0.975, 5, 2.5706],
    [0.975, 10, 2.2281],
    [0.95, 10, 1.8125],
    [0.995, 8, 3.3554],
    [0.025, 30, -2.0423],
  ] as const)
    expect(Math.abs(studentQuantile(p, degrees) / value - 1)).toBeLessThan(0.002)
})

test('is the normal quantile with degrees without end', () => {
  expect(studentQuantile(0.975, Number.POSITIVE_INFINITY)).toBe(normalQuantile(0.975))
  expect(() => studentQuantile(0.975, 0.5)).toThrow('degrees must be >= 1')
})
