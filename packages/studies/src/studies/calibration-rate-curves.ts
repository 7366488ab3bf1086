// The measurements of the study calibration-rate: errors of calibrated models by rows, by ball and by observation model.

import { slope } from '@primo/lab'
import type { StudyOptions } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { ellipsoidRadius, sobolevEigenvalues } from '@primo/theory'
import { calibrationError, DELTA0, type GivenObservation, linearRows, weightedError } from './linear-calibration.js'
import { doublings } from './rate-figures.js'
import { complexityBallError, l2BallError } from './sobolev-calibration.js'

export interface CalibrationRateSize {
  /** Linear case: N = 2^8 ... 2^linearExponent. */
  readonly linearExponent: number
  readonly linearRepeats: number
  /** Sobolev case: N = 2^8 ... 2^sobolevExponent. */
  readonly sobolevExponent: number
  readonly sobolevRepeats: number
  /** Rows at which delta0 is varied. */
  readonly ballRows: number
}

/** Errors by repetition, each a curve over `x`. */
export interface Curves {
  readonly x: readonly number[]
  readonly errors: readonly (readonly number[])[]
}

export interface CalibrationRates {
  readonly right: Curves
  readonly half: Curves
  readonly weighted: Readonly<Record<GivenObservation, Curves>>
  readonly sobolev: Curves
  /** Over delta0. */
  readonly complexityBall: Curves
  readonly l2Ball: Curves
  readonly ballRows: number
  /** Exponents in delta0 of the critical radius. */
  readonly radiusExponents: { readonly complexity: number; readonly l2: number }
}

export const OBSERVATIONS = ['constant e', 'true e', 'wrong e'] as const satisfies readonly GivenObservation[]
export const COMPLEXITY_SIZES = [0.5, 1, 2, 4]
/** Around a g* of complexity norm 4, whose L2 norm is .64; all above the error itself. */
export const L2_SIZES = [0.08, 0.16, 0.32, 0.64]
const L2_CLASS = 4

export function calibrationRates(size: CalibrationRateSize, options: StudyOptions): CalibrationRates {
  const random = Random.fromSeed(options.seed).split('calibration-rate')
  const linearSizes = doublings(8, size.linearExponent)
  const sobolevSizes = doublings(8, size.sobolevExponent)
  const repeat = <T>(count: number, from: number, to: number, make: (k: number) => T): T[] =>
    Array.from({ length: count }, (_, k) => {
      options.onProgress?.(from + ((to - from) * k) / count)
      return make(k)
    })
  const linear = repeat(size.linearRepeats, 0, 0.5, (k) =>
    linearSizes.map((n) => {
      const stream = random.split('linear', n, k)
      const rows = linearRows(n, stream)
      return {
        right: calibrationError(rows, DELTA0, stream.split('halves')),
        half: calibrationError(rows, DELTA0 / 2, stream.split('halves')),
        'constant e': weightedError(rows, 'constant e'),
        'true e': weightedError(rows, 'true e'),
        'wrong e': weightedError(rows, 'wrong e'),
      }
    }),
  )
  const linearCurve = (which: keyof (typeof linear)[number][number]): Curves => ({
    x: linearSizes,
    errors: linear.map((points) => points.map((point) => point[which])),
  })
  const sobolev = repeat(size.sobolevRepeats, 0.5, 0.7, (k) =>
    sobolevSizes.map((n) => complexityBallError(n, 1, random.split('sobolev', n, k))),
  )
  // One stream for all sizes of the ball: nothing else changes.
  const balls = repeat(size.sobolevRepeats, 0.7, 1, (k) => ({
    complexity: COMPLEXITY_SIZES.map((delta0) => complexityBallError(size.ballRows, delta0, random.split('ball', k))),
    l2: L2_SIZES.map((delta0) => l2BallError(size.ballRows, L2_CLASS, delta0, random.split('ball', k))),
  }))
  return {
    right: linearCurve('right'),
    half: linearCurve('half'),
    weighted: {
      'constant e': linearCurve('constant e'),
      'true e': linearCurve('true e'),
      'wrong e': linearCurve('wrong e'),
    },
    sobolev: { x: sobolevSizes, errors: sobolev },
    complexityBall: { x: COMPLEXITY_SIZES, errors: balls.map(({ complexity }) => complexity) },
    l2Ball: { x: L2_SIZES, errors: balls.map(({ l2 }) => l2) },
    ballRows: size.ballRows,
    radiusExponents: radiusExponents(),
  }
}

/** Exponents of q in delta0 at N = 10^12, where the root of R(t) = t^2/16 lies deep in the ellipsoid (d = 1). */
function radiusExponents(): CalibrationRates['radiusExponents'] {
  const eigenvalues = sobolevEigenvalues(1, 20_000)
  const sizes = [0.1, 0.15, 0.2, 0.3, 0.4]
  const exponent = (radius: (delta0: number) => number) =>
    slope(
      sizes.map(Math.log),
      sizes.map((delta0) => Math.log(radius(delta0))),
    )
  return {
    complexity: exponent((norm) => ellipsoidRadius({ eigenvalues, rows: 1e12, norm }).radius),
    l2: exponent((l2Radius) => ellipsoidRadius({ eigenvalues, rows: 1e12, l2Radius }).radius),
  }
}
