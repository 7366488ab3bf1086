import { Random } from '@primo/numeric'
import { expect, it } from 'vitest'
import { rowHashes } from './regression-rows.js'
import { binColumns, MISSING_BIN } from './tree-bins.js'

it('puts every value of very many rows where thresholds from a sample say, in bins of about equal size', () => {
  const random = Random.fromSeed(12)
  const count = 300_000
  const inputs = new Float64Array(2 * count)
  for (let i = 0; i < count; i++) {
    inputs[2 * i] = random.normal()
    inputs[2 * i + 1] = i % 7 === 0 ? Number.NaN : random.integer(5)
  }
  const rows = { columns: 2, count, inputs, targets: new Float64Array(count), weights: null }
  const { bins, thresholds, hasMissing } = binColumns(rows, 64, rowHashes(rows, random))
  expect(Array.from(hasMissing)).toEqual([0, 1])
  expect(Array.from(thresholds[1]!)).toEqual([0.5, 1.5, 2.5, 3.5])
  const sizes = new Float64Array(256)
  let wrong = 0
  for (let i = 0; i < count; i++) {
    const first = bins[i]!
    const [below, above] = [thresholds[0]![first - 1] ?? -Infinity, thresholds[0]![first] ?? Infinity]
    if (!(inputs[2 * i]! > below && inputs[2 * i]! <= above)) wrong++
    sizes[first] = sizes[first]! + 1
    const second = inputs[2 * i + 1]!
    if (bins[count + i] !== (Number.isNaN(second) ? MISSING_BIN : second)) wrong++
  }
  expect(wrong).toBe(0)
  // Bins of 4,700 rows from a sample of 2,300 each: their sizes are off by 2%, five times that is the bound.
  for (const size of sizes.subarray(0, 64)) expect(Math.abs(size / (count / 64) - 1)).toBeLessThan(0.12)
})

it('has no more bins than asked for where the last rows weigh next to nothing', () => {
  const count = 600
  const inputs = Float64Array.from({ length: count }, (_, i) => i)
  const weights = Float64Array.from({ length: count }, (_, i) => (i < 300 ? 1 : 1e-30))
  const rows = { columns: 1, count, inputs, targets: new Float64Array(count), weights }
  const { bins, thresholds, hasMissing } = binColumns(rows, 255, new Float64Array(count))
  expect(thresholds[0]!.length).toBe(254)
  expect(bins).not.toContain(MISSING_BIN)
  expect(hasMissing[0]).toBe(0)
})

it('parts neighbouring numbers below the larger one', () => {
  const inputs = Float64Array.of(0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 1, 1 + Number.EPSILON)
  const rows = { columns: 1, count: 6, inputs, targets: new Float64Array(6), weights: null }
  const { bins, thresholds } = binColumns(rows, 255, new Float64Array(6))
  inputs.forEach((value, i) => {
    expect(value).toBeLessThanOrEqual(thresholds[0]![bins[i]!] ?? Number.POSITIVE_INFINITY)
    if (bins[i]! > 0) expect(value).toBeGreaterThan(thresholds[0]![bins[i]! - 1]!)
  })
})
