import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { calibrationCurve } from './calibration-curve.js'
import type { CalibrationRows } from './calibration-rows.js'
import { contextBalance } from './context-balance.js'
import { lossReport, pairedDifference } from './held-out-loss.js'
import { observationReport } from './observation-report.js'
import { WeightedMean } from './weighted-mean.js'

const random = Random.fromSeed(9)
const count = 200
const draw = (length: number) => Float64Array.from({ length }, () => 2 * random.uniform() - 1)
const rows: CalibrationRows = {
  count,
  knownCount: count / 2,
  withoutPrediction: 0,
  contextWidth: 2,
  width: 1,
  context: draw(2 * count),
  pretrained: draw(count),
  truth: draw(count),
  known: Uint8Array.from({ length: count }, (_, k) => k % 2),
  quarter: new Uint8Array(count),
}
// Rounded, so that there are ties.
const probabilities = draw(count).map((value) => 0.2 + Math.round(5 * (value + 1)) / 20)
const known = Array.from({ length: count }, (_, k) => k).filter((k) => rows.known[k] === 1)
const missing = Array.from({ length: count }, (_, k) => k).filter((k) => rows.known[k] !== 1)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function naiveMean(weights: readonly number[], values: readonly number[]) {
  const total = sum(weights)
  const value = sum(values.map((v, k) => weights[k]! * v)) / total
  return { value, se: Math.sqrt(sum(values.map((v, k) => (weights[k]! * (v - value)) ** 2))) / total }
}

describe('figures of the calibration report agree with a naive second writing', () => {
  test('weighted mean, its standard error and the effective size', () => {
    const mean = new WeightedMean()
    const weights = known.map((k) => 1 / probabilities[k]!)
    const values = known.map((k) => rows.truth[k]!)
    known.forEach((_, i) => {
      mean.add(weights[i]!, values[i]!)
    })
    const naive = naiveMean(weights, values)
    expect(mean.estimate!.value).toBeCloseTo(naive.value, 12)
    expect(mean.estimate!.se).toBeCloseTo(naive.se, 12)
    expect(mean.effectiveSize).toBeCloseTo(sum(weights) ** 2 / sum(weights.map((w) => w * w)), 9)
  })

  test('AUC with ties, Brier score, floor and weights', () => {
    const model = { kind: 'logit', weights: [0.1, 0.2, 0.3], floor: 0.25 } as const
    const report = observationReport(model, ['x1', 'x2'], rows, probabilities)
    let wins = 0
    for (const i of known) {
      for (const j of missing)
        wins += probabilities[i]! > probabilities[j]! ? 1 : probabilities[i] === probabilities[j] ? 0.5 : 0
    }
    expect(report.auc).toBeCloseTo(wins / (known.length * missing.length), 12)
    expect(report.brier).toBeCloseTo(sum(Array.from(probabilities, (p, k) => (rows.known[k]! - p) ** 2)) / count, 12)
    expect(report.clippedShare).toBe(Array.from(probabilities).filter((p) => p <= 0.25).length / count)
    expect(report.min).toBe(Math.min(...probabilities))
    expect(report.weights).toEqual({ '(intercept)': 0.1, x1: 0.2, x2: 0.3 })
    const weights = known.map((k) => 1 / probabilities[k]!)
    expect(report.maxWeightShare).toBeCloseTo(Math.max(...weights) / sum(weights), 12)
  })

  test('losses and paired difference in the units of the covariate', () => {
    const calibrated = rows.pretrained.map((value) => value / 2)
    const unit = 7
    const weights = known.map((k) => 1 / probabilities[k]!)
    const squared = (of: Float64Array) => known.map((k) => (unit * (of[k]! - rows.truth[k]!)) ** 2)
    const loss = lossReport(rows, calibrated, probabilities, { type: 'number', min: 0, max: 14 }, unit)
    const mse = naiveMean(weights, squared(calibrated))
    expect(loss.mse!.value).toBeCloseTo(mse.value, 10)
    expect(loss.mse!.se).toBeCloseTo(mse.se, 10)
    const bias = naiveMean(
      weights,
      known.map((k) => unit * (calibrated[k]! - rows.truth[k]!)),
    )
    expect(loss.bias).toMatchObject({ value: expect.closeTo(bias.value, 10), se: expect.closeTo(bias.se, 10) })
    const change = squared(calibrated).map((value, k) => value - squared(rows.pretrained)[k]!)
    expect(pairedDifference(rows, calibrated, probabilities, unit)!.value).toBeCloseTo(
      naiveMean(weights, change).value,
      10,
    )
  })

  test('standardised mean differences before and after weighting', () => {
    const moments = (at: readonly number[]) => {
      const mean = sum(at.map((k) => rows.context[2 * k + 1]!)) / at.length
      return { mean, variance: sum(at.map((k) => (rows.context[2 * k + 1]! - mean) ** 2)) / at.length }
    }
    const [a, b] = [moments(known), moments(missing)]
    const scale = Math.sqrt((a.variance + b.variance) / 2)
    const weighted = naiveMean(
      known.map((k) => (1 - probabilities[k]!) / probabilities[k]!),
      known.map((k) => rows.context[2 * k + 1]!),
    )
    const balance = contextBalance(rows, ['x1', 'x2'], probabilities)[1]!
    expect(balance.before).toBeCloseTo((a.mean - b.mean) / scale, 10)
    expect(balance.after).toBeCloseTo((weighted.value - b.mean) / scale, 10)
  })

  test('a calibration curve holds every observed row once, in order of the prediction', () => {
    const curve = calibrationCurve(rows, rows.pretrained, probabilities, 4, (inside) => 10 * inside)
    const sorted = [...known].sort((i, j) => rows.pretrained[i]! - rows.pretrained[j]!)
    expect(curve.map((bin) => bin.count)).toEqual([25, 25, 25, 25])
    curve.forEach((bin, k) => {
      const of = sorted.slice(25 * k, 25 * (k + 1))
      const weights = of.map((row) => 1 / probabilities[row]!)
      expect(bin.prediction).toBeCloseTo(
        naiveMean(
          weights,
          of.map((row) => 10 * rows.pretrained[row]!),
        ).value,
        10,
      )
      const truth = naiveMean(
        weights,
        of.map((row) => 10 * rows.truth[row]!),
      )
      expect(bin.truth).toBeCloseTo(truth.value, 10)
      expect(bin.se).toBeCloseTo(truth.se, 10)
    })
  })
})
