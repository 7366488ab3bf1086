// Corrections from function classes: they find a bent correction, start from g~, and stay in the ball.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import type { CovariateRows } from '../rounds/covariate-rows.js'
import { calibrateClass } from './class-calibrate.js'
import { compileCorrection } from './correction.js'
import { type CalibrationOptions, type CorrectionRegression, calibrationSettings } from './settings.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)
const bend = (a: number) => 0.35 * Math.cos(3 * a)

/** z - g~ = .35 cos(3 x1) + noise, observed more often where x1 is large. */
function world(count: number, seed: number, distort = false): CovariateRows {
  const random = Random.fromSeed(seed)
  const x = Array.from({ length: count }, () => [2 * random.uniform() - 1, 2 * random.uniform() - 1])
  const known = x.map(([a]) => (random.uniform() < 0.5 + 0.35 * a! ? 1 : 0))
  const pretrained = x.map(([a, b]) => (distort ? 0.5 * a! + 0.3 * b! : 0.1 * b!))
  const truth = x.map(([a], i) => {
    const mean = distort ? Math.tanh(2 * pretrained[i]!) : pretrained[i]! + bend(a!)
    return mean + 0.2 * (random.uniform() - 0.5)
  })
  const batch = {
    block: 0,
    count,
    context: Float64Array.from(x.flat()),
    pretrained: Float64Array.from(pretrained),
    truth: Float64Array.from(truth, (value, i) => (known[i] === 1 ? value : 0)),
    known: Uint8Array.from(known),
  }
  const knownCount = known.reduce<number>((sum, value) => sum + value, 0)
  return { contextWidth: 2, width: 1, count, knownCount, withoutPrediction: 0, batches: [batch] }
}

function run(options: CorrectionRegression, more: CalibrationOptions = {}, radius?: number, rows = world(3000, 5)) {
  const settings = calibrationSettings({ class: options, ...more }, ['z'])
  const { correction, report } = calibrateClass(rows, settings, options, radius, Random.fromSeed(2))
  const [batch] = [...rows.batches]
  const apply = compileCorrection(
    JSON.parse(JSON.stringify(correction)) as NonNullable<typeof correction>,
    encoding.context,
    encoding.covariates[0]!,
    'none',
  )
  const value = new Float64Array(1)
  const h = Array.from({ length: rows.count }, (_, i) => {
    value[0] = batch!.pretrained[i]!
    apply(batch!.context, 2 * i, value, 0)
    return value[0]! - batch!.pretrained[i]!
  })
  const error = Math.sqrt(h.reduce((sum, own, i) => sum + (own - bend(batch!.context[2 * i]!)) ** 2 / h.length, 0))
  const size = Math.sqrt(h.reduce((sum, own) => sum + own * own, 0) / h.length)
  return { correction: correction!, report, error, size }
}

const CLASSES: readonly CorrectionRegression[] = [
  { kind: 'spline', segments: 10 },
  { kind: 'kernel', landmarks: 30, exact: 0 },
  { kind: 'trees' },
  { kind: 'network', steps: 800, hidden: 8 },
  { kind: 'lipschitz', bound: 2 },
  { kind: 'convex', bound: 2, shape: 'concave', bins: 40 },
  { kind: 'select', ladder: [{ kind: 'linear' }, { kind: 'spline', segments: 10 }], folds: 3 },
]

describe('a correction from a function class', () => {
  // ||h|| of the truth is .25; the Lipschitz surrogate and the concave class are the coarse ones.
  it.each(CLASSES)('finds a bent correction: $kind', (options) => {
    const { error, report } = run(options)
    expect(error).toBeLessThan(options.kind === 'lipschitz' || options.kind === 'convex' ? 0.15 : 0.06)
    expect(report.folds[0]!.columns[0]!.lossAfter).toBeLessThan(report.folds[0]!.columns[0]!.lossBefore)
    if (options.kind === 'select')
      expect(report.folds[0]!.selection![0]!.map(({ kind }) => kind)).toEqual(['linear', 'spline'])
  })

  it.each(CLASSES)('stays in the ball exactly, and near its boundary when it binds: $kind', (options) => {
    const { size, report } = run(options, {}, 0.1, world(800, 6))
    expect(size).toBeLessThanOrEqual(0.1 * (1 + 1e-9))
    expect(size).toBeGreaterThan(0.09)
    expect(report.folds[0]!.columns[0]!.multiplier).toBeGreaterThan(0)
  })

  it('a ball that does not bind changes nothing, and one of radius 0 leaves g~', () => {
    const options = { kind: 'spline', segments: 10 } as const
    expect(run(options, {}, 5).correction).toEqual(run(options).correction)
    expect(run(options, {}, 0, world(300, 6)).size).toBe(0)
  })

  it('the ball by pseudo-rows is the constrained least squares fit of a convex class', () => {
    // Linear in one basis: the minimiser in the ball is known from its multiplier; compare with the loss of mere scaling.
    const rows = world(2000, 8)
    const options = { kind: 'spline', segments: 8, smoothing: 0.1 } as const
    const free = run(options, { weights: 'none', split: 'none' }, undefined, rows)
    const held = run(options, { weights: 'none', split: 'none' }, 0.12, rows)
    const target = free.report.folds[0]!.columns[0]!
    const scaled = 0.12 / free.size
    // Known rows lie where x1 is large, contexts everywhere: the constrained fit beats a scaled one on the fitted rows.
    const lossOfScaling = target.lossBefore - (target.lossBefore - target.lossAfter) * (2 * scaled - scaled * scaled)
    expect(held.report.folds[0]!.columns[0]!.lossAfter).toBeLessThan(lossOfScaling)
  })

  it('isotonic recalibrates the pre-trained model by itself', () => {
    const rows = world(3000, 9, true)
    const { correction, report } = run({ kind: 'isotonic' }, {}, undefined, rows)
    expect(correction.direct).toBe(true)
    const { lossBefore, lossAfter } = report.folds[0]!.columns[0]!
    expect(lossBefore).toBeGreaterThan(0.03)
    // The noise alone has a mean square of 1/300.
    expect(lossAfter).toBeLessThan(0.004)
  })

  it('measures what it leaves open on rows that it did not fit', () => {
    const { correction } = run({ kind: 'trees' })
    // Noise .2 uniform: variance 1/300, and a little of the fit's own error.
    expect(correction.moments![2]!).toBeGreaterThan(0.0033)
    expect(correction.moments![2]!).toBeLessThan(0.008)
    expect(correction.points!.length).toBe(16)
  })
})
