import { Random, studentQuantile } from '@primo/numeric'
import { expect, test } from 'vitest'
import { influenceInterval } from './influence-interval.js'

test('is what the formulas say, written once more', () => {
  const random = Random.fromSeed(3)
  const values = Array.from({ length: 90 }, () => random.normal() ** 2)
  const n = values.length
  const mean = values.reduce((sum, v) => sum + v, 0) / n
  const moment = (power: number) => values.reduce((sum, v) => sum + (v - mean) ** power, 0) / n
  const se = Math.sqrt(moment(2) / (n - 1) + 0.01)
  const degrees = n / (moment(4) / moment(2) ** 2 - 1)
  const influence = Float64Array.from(values, (v) => v - mean)
  const linear = influenceInterval(mean, influence, { level: 0.9, scale: 'linear', extraVariance: 0.01 })
  expect(linear.degrees).toBeCloseTo(degrees, 9)
  expect(linear.upper).toBeCloseTo(mean + studentQuantile(0.95, degrees) * se, 9)
  expect(linear.upperLimit).toBeCloseTo(mean + studentQuantile(0.9, degrees) * se, 9)
  const log = influenceInterval(mean, influence, { level: 0.9, scale: 'log', extraVariance: 0.01 })
  expect(log.degrees).toBeCloseTo(degrees / 2, 9)
  const half = studentQuantile(0.95, degrees / 2) * se
  expect(log.lower).toBeCloseTo(mean * Math.exp(-half / mean), 9)
  expect(log.upper).toBeCloseTo(mean * Math.exp(half / mean), 9)
})

test('a mean square with a long tail is covered in 93% of 2,000 samples of 100', () => {
  // Nine in ten values have a third of the standard deviation of the others. The standard error of a coverage of 0.95 is 0.005, and all of
  // Satterthwaite's half gives 0.927: a false alarm where the truth is 0.95 has a chance under 1 in 10,000.
  const random = Random.fromSeed(4)
  let held = 0
  for (let k = 0; k < 2000; k++) {
    const squares = Array.from({ length: 100 }, () => ((random.uniform() < 0.1 ? 3 : 1) * random.normal()) ** 2 / 1.8)
    const mean = squares.reduce((sum, v) => sum + v, 0) / 100
    const { lower, upper } = influenceInterval(
      mean,
      Float64Array.from(squares, (v) => v - mean),
      { level: 0.95, scale: 'log' },
    )
    if (lower <= 1 && 1 <= upper) held++
  }
  expect(held / 2000).toBeGreaterThan(0.93)
})
