import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { encodeTable } from '../tables/encode-table.js'
import { memoryTable } from '../tables/memory-table.js'
import { analyseCalibration } from './analyse-calibration.js'
import { analysisResult, analysisText } from './analysis-report.js'
import { joinRepetitions } from './augmented-mean.js'
import { oddsBounds, robustnessValue, sortedByValue, tiltedMean } from './sensitivity.js'

/** z = 2 + x + noise; the model says 2.5 + 0.5 x, so it is off by 0.5 - 0.5 x; large x is seen more often. */
function world(rows: number, seed: number, dependence = 0) {
  const random = Random.fromSeed(seed)
  const x = Float64Array.from({ length: rows }, () => 2 * random.uniform() - 1)
  const z = x.map((one) => 2 + one + (random.uniform() - 0.5))
  const seen = Float64Array.from({ length: rows }, (_, k) => {
    const score = 0.3 + 1.2 * x[k]! + dependence * (z[k]! - 2 - x[k]!)
    return Number(random.uniform() < 1 / (1 + Math.exp(-score)))
  })
  const table = memoryTable('made up', { x, z, seen, model: x.map((one) => 2.5 + 0.5 * one) })
  const spec = { context: ['x'], covariate: 'z', observed: 'seen', prediction: 'model', ranges: { z: [0, 4] } } as const
  const errors = Array.from({ length: rows }, (_, k) => 2.5 + 0.5 * x[k]! - z[k]!)
  const missing = errors.filter((_, k) => seen[k] === 0)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return { encoded: encodeTable(table, spec), bias: mean(errors), missingBias: mean(missing) }
}

describe('analyseCalibration', () => {
  const { encoded, bias, missingBias } = world(3000, 1)
  const analysis = analyseCalibration(encoded, { repetitions: 3, seed: 2 })

  test('finds the bias of the model over all rows and over the missing ones, and that calibrating removes it', () => {
    const { all, missing } = analysis.bias
    // Known from the hidden values of these very rows; the seed is fixed.
    expect(Math.abs(all.pretrained.value - bias)).toBeLessThan(3 * all.pretrained.se)
    expect(Math.abs(missing.pretrained.value - missingBias)).toBeLessThan(3 * missing.pretrained.se)
    // The naive answer from the observed rows alone would be far off.
    expect(missing.pretrained.value - all.pretrained.value).toBeGreaterThan(5 * missing.pretrained.se)
    expect(Math.abs(missing.calibrated.value)).toBeLessThan(3 * missing.calibrated.se)
  })

  test('finds the error before and after, the gain and a shrinkage near 1', () => {
    const { all } = analysis.squaredError
    expect(Math.abs(all.calibrated.value - 1 / 12)).toBeLessThan(3 * all.calibrated.se + 0.002)
    expect(all.difference.high).toBeLessThan(0)
    expect(all.difference.value).toBeCloseTo(all.calibrated.value - all.pretrained.value, 2)
    expect(analysis.shrinkage!.low).toBeLessThan(1)
    expect(analysis.shrinkage!.high).toBeGreaterThan(1)
    expect(analysis.shrinkage!.se).toBeLessThan(0.05)
  })

  test('gives a calibration line that becomes straight, overlap that adds up and balance that weighting restores', () => {
    const { before, after } = analysis.line
    expect(before.slope!.value - 3 * before.slope!.se).toBeGreaterThan(1.5)
    expect(Math.abs(after.slope!.value - 1)).toBeLessThan(3 * after.slope!.se)
    expect(after.distance).toBeLessThan(before.distance / 5)
    for (const { low, truth, high } of after.curve) expect(low < truth && truth < high).toBe(true)
    const { bins } = analysis.overlap
    expect(bins.reduce((sum, bin) => sum + bin.observed, 0)).toBe(analysis.observed)
    expect(bins.reduce((sum, bin) => sum + bin.observed + bin.missing, 0)).toBe(3000)
    const [balance] = analysis.balance
    expect(Math.abs(balance!.before)).toBeGreaterThan(0.4)
    expect(Math.abs(balance!.after)).toBeLessThan(0.1)
  })

  test('is reproducible, and turns into text and a page with plots', () => {
    expect(analyseCalibration(encoded, { repetitions: 3, seed: 2 })).toEqual(analysis)
    expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis)
    expect(analysisText(analysis)).toContain('Calibrating helps')
    expect(analysisResult(analysis).plots).toHaveLength(4)
  })

  test('covers the bias that is not missing at random by its bounds, not by its interval under MAR', () => {
    const hidden = world(4000, 5, 2)
    const found = analyseCalibration(hidden.encoded, { repetitions: 1, class: null })
    const { pretrained } = found.bias.missing
    expect(Math.abs(pretrained.value - hidden.missingBias)).toBeGreaterThan(3 * pretrained.se)
    // The odds of being seen change by exp(2 x 0.5) at most between the middle and the ends of z given x.
    const three = found.sensitivity.odds.bias.pretrained.find(({ lambda }) => lambda === 3)!
    expect(three.low).toBeLessThan(hidden.missingBias)
    expect(three.high).toBeGreaterThan(hidden.missingBias)
    expect(found.shrinkage).toBeNull()
  })

  test('refuses a table in which nothing is missing or a category', () => {
    const full = memoryTable('full', {
      x: Float64Array.from({ length: 30 }, (_, k) => k),
      z: Float64Array.from({ length: 30 }, (_, k) => k % 3),
      g: new Float64Array(30).fill(1),
    })
    const spec = { context: ['x'], covariate: 'z', prediction: 'g' }
    expect(() => analyseCalibration(encodeTable(full, spec))).toThrow('got 30 of 30 observed')
    expect(() => analyseCalibration(encoded, { folds: 1 })).toThrow('folds must be a whole number from 2 to 255, got 1')
  })
})

describe('sensitivity', () => {
  const random = Random.fromSeed(3)
  const values = Float64Array.from({ length: 9 }, () => random.normal() + 0.4)
  const weights = Float64Array.from({ length: 9 }, () => 0.2 + random.uniform())

  test('odds bounds are the extremes over every choice of odds', () => {
    const sorted = sortedByValue({ values, weights })
    for (const lambda of [1, 1.3, 4]) {
      let low = Number.POSITIVE_INFINITY
      let high = Number.NEGATIVE_INFINITY
      // A ratio of linear functions is largest at a corner: all 2^9 of them.
      for (let corner = 0; corner < 2 ** 9; corner++) {
        let top = 0
        let bottom = 0
        for (let k = 0; k < 9; k++) {
          const weight = weights[k]! * ((corner >> k) & 1 ? lambda : 1 / lambda)
          top += weight * values[k]!
          bottom += weight
        }
        low = Math.min(low, top / bottom)
        high = Math.max(high, top / bottom)
      }
      const found = oddsBounds(sorted, lambda)
      expect(found.low).toBeCloseTo(low, 12)
      expect(found.high).toBeCloseTo(high, 12)
    }
  })

  test('the robustness value is where the bounds reach zero', () => {
    const lambda = robustnessValue({ values, weights })!
    const sorted = sortedByValue({ values, weights })
    expect(oddsBounds(sorted, lambda).low).toBeLessThanOrEqual(0)
    expect(oddsBounds(sorted, lambda / 1.002).low).toBeGreaterThan(0)
    expect(robustnessValue({ values: values.map(Math.abs), weights })).toBeNull()
    expect(robustnessValue({ values: Float64Array.of(-1, 1), weights: Float64Array.of(1, 1) })).toBe(1)
  })

  test('a tilt of 0 is the weighted mean and a positive tilt raises what grows with the residual', () => {
    let top = 0
    let bottom = 0
    values.forEach((value, k) => {
      top += weights[k]! * value
      bottom += weights[k]!
    })
    expect(tiltedMean({ values, weights }, values, 0)).toBeCloseTo(top / bottom, 12)
    expect(tiltedMean({ values, weights }, values, 0.5)).toBeGreaterThan(top / bottom)
    expect(tiltedMean({ values, weights }, values, -0.5)).toBeLessThan(top / bottom)
  })

  test('repetitions are joined by medians, their spread counted', () => {
    const found = [
      { value: 1, se: 0.1, degrees: 20 },
      { value: 2, se: 0.1, degrees: 10 },
      { value: 5, se: 0.3, degrees: 5 },
    ]
    const { value, se, low, high } = joinRepetitions(found, { scale: 'linear', supported: true })
    expect(value).toBe(2)
    expect(se).toBeCloseTo(Math.sqrt(1.01), 12)
    expect([low, high]).toEqual([expect.closeTo(2 - 2.2281 * se, 3), expect.closeTo(2 + 2.2281 * se, 3)])
    expect(joinRepetitions(found, { scale: 'log', supported: true }).low).toBeGreaterThan(0)
    expect(joinRepetitions(found, { scale: 'log', supported: false })).toMatchObject({ low: null, high: null })
  })
})
