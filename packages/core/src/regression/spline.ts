// Twice differentiable functions: P-splines (method#function-classes). Cubic B-splines on equal segments with a penalty on
// second differences,
//   min sum w (y - B c)^2 + s |D2 c|^2,  the smoothing s by generalised cross-validation over a grid:
//   GCV(s) = n RSS(s) / (n - dof(s))^2,  dof(s) = tr((B'WB + s P)^-1 B'WB),  n the total weight.
// All s share one decomposition: with M = B'WB + s0 P = L L' and L^-1 P L^-T = V diag(e) V', the solve at s divides by 1 + (s - s0) e.
// `norm` is the complexity ball |D2 c| <= norm: the smoothing is raised until it holds, which is the constrained least squares fit.
// Several columns: an additive model by backfitting, each column with a smoothing of its own, chosen in the first passes and kept.

import {
  cholesky,
  invalidOption,
  requireInteger,
  requireOptions,
  solveCholesky,
  solveLower,
  symmetricEigen,
  whiten,
} from '@primo/numeric'
import { differentiableRadius } from '@primo/theory'
import { type AdditiveModel, compileAdditive, fitAdditive } from './additive.js'
import { cubicWeights } from './curve.js'
import type { CurveClass, CurveFit, PointFitter } from './curve-fit.js'
import { requireBound } from './lipschitz.js'
import type { Regression } from './regression.js'

export interface SplineOptions {
  readonly kind: 'spline'
  /** Segments of each column's range; default 100 for one column, 20 for several. */
  readonly segments?: number
  /** s >= 0, or 'gcv' (default). */
  readonly smoothing?: number | 'gcv'
  /** Complexity ball: the largest |D2 c| of a column's coefficients; default none. */
  readonly norm?: number
}

/** Smoothings tried, relative to tr(B'WB)/tr(P). */
const GRID = Array.from({ length: 37 }, (_, i) => 10 ** (-6 + i / 3))
/** Fits of a column after which its smoothing stays what it is. */
const CHOICES = 4
const MAX_POINTS = 100_000

export function splineRegression(options: SplineOptions): Regression<AdditiveModel> {
  requireOptions('spline', options, ['kind', 'segments', 'smoothing', 'norm'])
  const { segments, smoothing = 'gcv', norm } = options
  if (segments !== undefined) requireInteger('spline.segments', segments, 1)
  if (smoothing !== 'gcv' && !(typeof smoothing === 'number' && smoothing >= 0 && Number.isFinite(smoothing)))
    invalidOption('spline.smoothing', '"gcv" or a number >= 0', smoothing)
  if (norm !== undefined) requireBound('spline.norm', norm)
  const curves = (columns: number): CurveClass => ({
    mostPoints: MAX_POINTS,
    prepare: (x, w) => prepareSpline(x, w, { segments: segments ?? (columns === 1 ? 100 : 20), smoothing, norm }),
  })
  return {
    kind: 'spline',
    takesMissing: false,
    fit: (rows) => fitAdditive('spline', rows, curves(rows.columns)),
    compile: compileAdditive,
    radius: (columns, rows, constant16) => differentiableRadius({ bound: 1, xDim: columns, rows, constant16 }).radius,
  }
}

interface SplineSettings {
  readonly segments: number
  readonly smoothing: number | 'gcv'
  readonly norm: number | undefined
}

function prepareSpline(x: Float64Array, w: Float64Array, settings: SplineSettings): PointFitter {
  const m = settings.segments + 3
  const low = x[0]!
  const high = x[x.length - 1]!
  const { places, weights } = basisAt(x, low, high, settings.segments)
  const gram = new Float64Array(m * m)
  let total = 0
  for (let i = 0; i < x.length; i++) {
    total += w[i]!
    for (let a = 0; a < 4; a++) {
      for (let b = 0; b < 4; b++) {
        const at = (places[i]! + a) * m + places[i]! + b
        gram[at] = gram[at]! + w[i]! * weights[4 * i + a]! * weights[4 * i + b]!
      }
    }
  }
  const penalty = secondDifferences(m)
  const unit = trace(gram, m) / trace(penalty, m)
  // Segments without data leave B'WB singular; this keeps its sum with a small penalty positive definite.
  for (let i = 0; i < m; i++) gram[i * m + i] = gram[i * m + i]! + 1e-12 * unit
  const base = 1e-3 * unit
  const factor = cholesky(combine(gram, penalty, base), m)
  const { values: spectrum, vectors } = symmetricEigen(whiten(penalty, factor, m), m)
  let chosen: number | null = settings.smoothing === 'gcv' ? null : settings.smoothing
  let choices = 0
  return (y, within) => {
    const target = new Float64Array(m)
    let square = within
    for (let i = 0; i < x.length; i++) {
      square += w[i]! * y[i]! * y[i]!
      for (let a = 0; a < 4; a++) {
        const at = places[i]! + a
        target[at] = target[at]! + w[i]! * weights[4 * i + a]! * y[i]!
      }
    }
    const path = { spectrum, base, rotated: rotate(target, factor, vectors, m), square, total }
    if (settings.smoothing === 'gcv' && choices < CHOICES) {
      choices++
      chosen = unit * bestOf(GRID, (relative) => crossValidation(path, unit * relative))
    }
    const found = solve(gram, penalty, target, chosen!, settings.norm, m)
    const values = new Float64Array(x.length)
    for (let i = 0; i < x.length; i++) {
      for (let a = 0; a < 4; a++) values[i] = values[i]! + weights[4 * i + a]! * found.coefficients[places[i]! + a]!
    }
    const fit: CurveFit = {
      curve: { kind: 'b-spline', low, high, coefficients: Array.from(found.coefficients) },
      values,
      degreesOfFreedom: pathDegrees(path, found.smoothing),
    }
    return fit
  }
}

function basisAt(x: Float64Array, low: number, high: number, segments: number) {
  const places = new Uint32Array(x.length)
  const weights = new Float64Array(4 * x.length)
  const four = new Float64Array(4)
  for (let i = 0; i < x.length; i++) {
    const place = ((x[i]! - low) * segments) / (high - low)
    const segment = Math.min(segments - 1, Math.floor(place))
    cubicWeights(place - segment, four)
    places[i] = segment
    weights.set(four, 4 * i)
  }
  return { places, weights }
}

/** D2'D2. */
function secondDifferences(m: number): Float64Array {
  const out = new Float64Array(m * m)
  const stencil = [1, -2, 1]
  for (let r = 0; r + 2 < m; r++) {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        const at = (r + a) * m + r + b
        out[at] = out[at]! + stencil[a]! * stencil[b]!
      }
    }
  }
  return out
}

function trace(matrix: Float64Array, m: number): number {
  let sum = 0
  for (let i = 0; i < m; i++) sum += matrix[i * m + i]!
  return sum
}

function combine(gram: Float64Array, penalty: Float64Array, smoothing: number): Float64Array {
  return gram.map((value, i) => value + smoothing * penalty[i]!)
}

/** The target in the coordinates in which every smoothing is a division. */
function rotate(target: Float64Array, factor: Float64Array, vectors: Float64Array, m: number): Float64Array {
  const whitened = Float64Array.from(target)
  solveLower(factor, m, whitened)
  const out = new Float64Array(m)
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < m; k++) out[k] = out[k]! + vectors[i * m + k]! * whitened[i]!
  }
  return out
}

interface SmoothingPath {
  readonly spectrum: Float64Array
  readonly base: number
  readonly rotated: Float64Array
  /** sum w y^2 and the total weight. */
  readonly square: number
  readonly total: number
}

function pathDegrees({ spectrum, base }: SmoothingPath, smoothing: number): number {
  let sum = 0
  for (const e of spectrum) sum += Math.max(0, 1 - base * e) / (1 + (smoothing - base) * e)
  return sum
}

function crossValidation(path: SmoothingPath, smoothing: number): number {
  const { spectrum, base, rotated, square, total } = path
  let residual = square
  for (let k = 0; k < spectrum.length; k++) {
    const shrunk = rotated[k]! / (1 + (smoothing - base) * spectrum[k]!)
    residual += shrunk * (shrunk * (1 - base * spectrum[k]!) - 2 * rotated[k]!)
  }
  const left = total - pathDegrees(path, smoothing)
  return left > 0 ? (total * Math.max(0, residual)) / (left * left) : Number.POSITIVE_INFINITY
}

/** The value with the smallest score; among equal ones the last, which is the smoothest. */
function bestOf(values: readonly number[], score: (value: number) => number): number {
  let best = values.at(-1)!
  let least = Number.POSITIVE_INFINITY
  for (const value of values) {
    const own = score(value)
    if (own <= least * (1 + 1e-12)) {
      least = Math.min(least, own)
      best = value
    }
  }
  return best
}

function solve(
  gram: Float64Array,
  penalty: Float64Array,
  target: Float64Array,
  smoothing: number,
  norm: number | undefined,
  m: number,
): { readonly coefficients: Float64Array; readonly smoothing: number } {
  const at = (s: number) => solveCholesky(cholesky(combine(gram, penalty, s), m), m, target)
  const free = at(smoothing)
  if (norm === undefined || roughness(free) <= norm) return { coefficients: free, smoothing }
  let low = Math.log(Math.max(smoothing, 1e-300))
  let high = Math.max(low, Math.log(trace(gram, m)))
  while (roughness(at(Math.exp(high))) > norm && high < 200) high += 3
  for (let step = 0; step < 60 && high - low > 1e-12; step++) {
    const middle = (low + high) / 2
    if (roughness(at(Math.exp(middle))) > norm) low = middle
    else high = middle
  }
  return { coefficients: at(Math.exp(high)), smoothing: Math.exp(high) }
}

/** |D2 c|. */
export function roughness(coefficients: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i + 2 < coefficients.length; i++) {
    sum += (coefficients[i]! - 2 * coefficients[i + 1]! + coefficients[i + 2]!) ** 2
  }
  return Math.sqrt(sum)
}
