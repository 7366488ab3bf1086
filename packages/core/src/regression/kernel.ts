// Kernel ridge with a Gaussian kernel (SPEC C1.3): min sum w (y - offset - f)^2 + ridge |f|_H^2.
//   exact (few rows): coefficients a solve (K + ridge W^-1) a = y, dof = tr(K (K + ridge W^-1)^-1);
//   Nystrom (many): f lives on m landmarks, (sum w k k' + ridge K_mm) a = sum w y k, dof = tr of the same with the sum.
// Bandwidth: the median distance times 1/2, 1 or 2, and the ridge, by weighted cross-validation on the landmarks. `norm` is the
// complexity ball |f|_H <= norm: the ridge is raised until it holds, which is the constrained least squares fit.
// Rows are first put in an order of their own, so the result does not depend on the order given, not even in its last bits.

import { invalidOption, requireInteger, requireOptions } from '../errors.js'
import { cholesky, invertCholesky, solveCholesky } from '../numeric/cholesky.js'
import { featureGram, featureTarget, residualSum } from '../numeric/least-squares.js'
import { addSums, BLOCK_ROUNDS, emptySums, type Sums, sumRows } from '../numeric/sums.js'
import type { Random } from '../random/random.js'
import { ellipsoidRadius, kernelEigenvalues } from '../theory/ellipsoid-radius.js'
import { compileKernel, type KernelModel } from './kernel-model.js'
import { requireBound } from './lipschitz.js'
import type { Regression, RegressionRows } from './regression.js'
import { canonicalRows, checkedRows, rowFolds, sampleInputs, targetMean } from './regression-rows.js'

export interface KernelOptions {
  readonly kind: 'kernel'
  /** > 0, in units of a column's standard deviation, or 'median' (default): cross-validated around the median distance. */
  readonly bandwidth?: number | 'median'
  /** > 0, or 'cv' (default). */
  readonly ridge?: number | 'cv'
  /** Exact up to so many distinct rows; default 300. */
  readonly exact?: number
  /** Landmarks beyond that; default 120. */
  readonly landmarks?: number
  /** Inputs are divided by their standard deviation ('deviation', default) or taken as they are. */
  readonly scale?: 'deviation' | 'none'
  /** Complexity ball: the largest |f|_H; default none. */
  readonly norm?: number
  /** Folds of the cross-validation; default 5. */
  readonly folds?: number
}

const BANDWIDTHS = [0.5, 1, 2]
const RIDGES = [1e-3, 1e-2, 1e-1, 1, 10, 100]
const JITTER = 1e-9

interface KernelSettings extends Required<Omit<KernelOptions, 'kind' | 'norm'>> {
  readonly norm: number | undefined
}

export function kernelRegression(options: KernelOptions): Regression<KernelModel> {
  requireOptions('kernel', options, ['kind', 'bandwidth', 'ridge', 'exact', 'landmarks', 'scale', 'norm', 'folds'])
  const {
    bandwidth = 'median',
    ridge = 'cv',
    exact = 300,
    landmarks = 120,
    scale = 'deviation',
    norm,
    folds = 5,
  } = options
  if (bandwidth !== 'median') requireBound('kernel.bandwidth', bandwidth)
  if (ridge !== 'cv') requireBound('kernel.ridge', ridge)
  requireInteger('kernel.exact', exact, 0)
  requireInteger('kernel.landmarks', landmarks, 1)
  requireInteger('kernel.folds', folds, 2)
  if (scale !== 'deviation' && scale !== 'none') invalidOption('kernel.scale', '"deviation" or "none"', scale)
  if (norm !== undefined) requireBound('kernel.norm', norm)
  const settings: KernelSettings = { bandwidth, ridge, exact, landmarks, scale, norm, folds }
  return {
    kind: 'kernel',
    takesMissing: false,
    fit: (rows, random) => fitKernel(rows, settings, random),
    compile: compileKernel,
    radius: () => null,
  }
}

/** Critical radius of the fitted kernel's ball of the model's own norm, by the eigenvalues on its centres (SPEC C4). */
export function kernelRadius(model: KernelModel, rows: number, constant16 = true): number {
  const { columns } = model
  const size = Math.min(300, model.centres.length / columns)
  const centres = Float64Array.from(model.centres.slice(0, size * columns))
  const matrix = kernelMatrix(centres, centres, columns, model.bandwidth)
  const eigenvalues = kernelEigenvalues(matrix, size)
  return ellipsoidRadius({ eigenvalues, rows, norm: Math.max(model.norm, 1e-6), constant16 }).radius
}

function fitKernel(given: RegressionRows, settings: KernelSettings, random: Random): KernelModel {
  const rows = canonicalRows(checkedRows(given), random)
  const { columns, count } = rows
  const { weight, mean } = targetMean(rows)
  const offset = rows.start ?? mean
  const scales = settings.scale === 'none' ? Array.from({ length: columns }, () => 1) : deviations(rows)
  const inputs = rows.inputs.map((value, i) => value / scales[i % columns]!)
  const targets = rows.targets.map((value) => value - offset)
  const scaled: RegressionRows = { ...rows, inputs, targets }
  const landmarks = sampleInputs(scaled, Math.min(settings.landmarks, count), random.split('landmarks'))
  const { bandwidth, ridge, heldOut } = choose(scaled, landmarks, settings, random)
  const exact = count <= settings.exact
  const problem = exact ? exactProblem(scaled, bandwidth) : landmarkProblem(scaled, landmarks, bandwidth)
  let used = ridge
  let solved = problem.solve(ridge)
  const { norm } = settings
  if (norm !== undefined && solved.norm > norm) {
    let low = Math.log(ridge)
    let high = low
    do high += 3
    while (problem.solve(Math.exp(high)).norm > norm)
    for (let step = 0; step < 60 && high - low > 1e-12; step++) {
      const middle = (low + high) / 2
      if (problem.solve(Math.exp(middle)).norm > norm) low = middle
      else high = middle
    }
    used = Math.exp(high)
    solved = problem.solve(used)
  }
  return {
    kind: 'kernel',
    columns,
    offset,
    scales,
    bandwidth,
    ridge: used,
    centres: Array.from(problem.centres),
    coefficients: Array.from(solved.coefficients),
    norm: solved.norm,
    exact,
    effectiveDimension: problem.degreesOfFreedom(used),
    weight,
    heldOut,
  }
}

function deviations({ columns, count, inputs, weights }: RegressionRows): number[] {
  return Array.from({ length: columns }, (_, k) => {
    let total = 0
    let sum = 0
    for (let i = 0; i < count; i++) {
      const w = weights === null ? 1 : weights[i]!
      total += w
      sum += w * inputs[i * columns + k]!
    }
    let square = 0
    for (let i = 0; i < count; i++) {
      square += (weights === null ? 1 : weights[i]!) * (inputs[i * columns + k]! - sum / total) ** 2
    }
    return Math.sqrt(square / total)
  })
}

interface KernelProblem {
  readonly centres: Float64Array
  readonly solve: (ridge: number) => { readonly coefficients: Float64Array; readonly norm: number }
  readonly degreesOfFreedom: (ridge: number) => number
}

function exactProblem(rows: RegressionRows, bandwidth: number): KernelProblem {
  const { columns, count, inputs, targets, weights } = rows
  const centres = inputs.subarray(0, count * columns)
  const kernel = kernelMatrix(centres, centres, columns, bandwidth)
  const factorAt = (ridge: number) => {
    const matrix = Float64Array.from(kernel)
    for (let i = 0; i < count; i++) {
      matrix[i * count + i] = matrix[i * count + i]! + ridge / (weights === null ? 1 : weights[i]!)
    }
    return cholesky(matrix, count)
  }
  return {
    centres,
    solve: (ridge) => {
      const coefficients = solveCholesky(factorAt(ridge), count, targets.subarray(0, count))
      return { coefficients, norm: Math.sqrt(quadraticForm(kernel, coefficients)) }
    },
    // K (K + D)^-1 = I - D (K + D)^-1.
    degreesOfFreedom: (ridge) => {
      const inverse = invertCholesky(factorAt(ridge), count)
      let sum = count
      for (let i = 0; i < count; i++) sum -= (ridge / (weights === null ? 1 : weights[i]!)) * inverse[i * count + i]!
      return Math.max(0, sum)
    },
  }
}

function landmarkProblem(rows: RegressionRows, landmarks: Float64Array, bandwidth: number): KernelProblem {
  const m = landmarks.length / rows.columns
  const kernel = landmarkKernel(landmarks, rows.columns, bandwidth)
  const sums = landmarkSums(rows, landmarks, bandwidth)
  const gram = featureGram(sums)
  const target = featureTarget(sums)
  const factorAt = (ridge: number) => penalisedFactor(gram, kernel, ridge, m)
  return {
    centres: landmarks,
    solve: (ridge) => {
      const coefficients = solveCholesky(factorAt(ridge), m, target)
      return { coefficients, norm: Math.sqrt(quadraticForm(kernel, coefficients)) }
    },
    degreesOfFreedom: (ridge) => {
      const inverse = invertCholesky(factorAt(ridge), m)
      let sum = 0
      for (let i = 0; i < m * m; i++) sum += inverse[i]! * gram[i]!
      return Math.min(m, Math.max(0, sum))
    },
  }
}

function landmarkKernel(landmarks: Float64Array, columns: number, bandwidth: number): Float64Array {
  const kernel = kernelMatrix(landmarks, landmarks, columns, bandwidth)
  const m = landmarks.length / columns
  for (let i = 0; i < m; i++) kernel[i * m + i] = kernel[i * m + i]! + JITTER
  return kernel
}

function penalisedFactor(gram: Float64Array, kernel: Float64Array, ridge: number, m: number): Float64Array {
  const matrix = gram.map((value, i) => value + ridge * kernel[i]!)
  let trace = 0
  for (let i = 0; i < m; i++) trace += matrix[i * m + i]!
  for (let i = 0; i < m; i++) matrix[i * m + i] = matrix[i * m + i]! + (1e-12 * trace) / m
  return cholesky(matrix, m)
}

function kernelMatrix(a: Float64Array, b: Float64Array, columns: number, bandwidth: number): Float64Array {
  const n = a.length / columns
  const m = b.length / columns
  const out = new Float64Array(n * m)
  for (let i = 0; i < n; i++) writeKernelRow(a, i * columns, b, columns, bandwidth, out, i * m)
  return out
}

/** Kernel of the row at a[at] with every centre. */
function writeKernelRow(
  a: Float64Array,
  at: number,
  centres: Float64Array,
  columns: number,
  bandwidth: number,
  out: Float64Array,
  to: number,
): void {
  const factor = -1 / (2 * bandwidth * bandwidth)
  for (let from = 0, next = to; from < centres.length; ) {
    let square = 0
    for (let k = 0; k < columns; k++) {
      const difference = a[at + k]! - centres[from++]!
      square += difference * difference
    }
    out[next++] = Math.exp(factor * square)
  }
}

/** Sums of [k(x), y] over the rows, or over those of one fold. */
function landmarkSums(
  rows: RegressionRows,
  landmarks: Float64Array,
  bandwidth: number,
  folds?: Uint8Array,
  wanted?: number,
): Sums {
  const { columns, count, inputs, targets, weights } = rows
  const m = landmarks.length / columns
  const width = m + 1
  const size = Math.min(count, BLOCK_ROUNDS / 8)
  const buffer = new Float64Array(size * width)
  const scratch = new Float64Array(size * width)
  const used = new Float64Array(size)
  const total = emptySums(m)
  let filled = 0
  const flush = () => {
    if (filled > 0) addSums(total, sumRows(buffer, 0, filled, m, weights === null ? null : used, 0, scratch))
    filled = 0
  }
  for (let i = 0; i < count; i++) {
    if (folds !== undefined && folds[i] !== wanted) continue
    writeKernelRow(inputs, i * columns, landmarks, columns, bandwidth, buffer, filled * width)
    buffer[filled * width + m] = targets[i]!
    used[filled] = weights === null ? 1 : weights[i]!
    filled++
    if (filled === size) flush()
  }
  flush()
  return total
}

interface Choice {
  readonly bandwidth: number
  readonly ridge: number
  readonly heldOut: KernelModel['heldOut']
}

/** Bandwidth and ridge with the smallest held-out loss; nothing is tried when both are given. */
function choose(rows: RegressionRows, landmarks: Float64Array, settings: KernelSettings, random: Random): Choice {
  const { columns, count } = rows
  const m = landmarks.length / columns
  const bandwidths =
    settings.bandwidth === 'median'
      ? BANDWIDTHS.map((factor) => factor * medianDistance(landmarks, columns))
      : [settings.bandwidth]
  const ridges = settings.ridge === 'cv' ? RIDGES : [settings.ridge]
  const folds = Math.min(settings.folds, count)
  const heldOut: { bandwidth: number; ridge: number; loss: number }[] = []
  if (bandwidths.length * ridges.length === 1) return { bandwidth: bandwidths[0]!, ridge: ridges[0]!, heldOut }
  const fold = rowFolds(rows, folds, random.split('folds'))
  for (const bandwidth of bandwidths) {
    const kernel = landmarkKernel(landmarks, columns, bandwidth)
    const parts = Array.from({ length: folds }, (_, f) => landmarkSums(rows, landmarks, bandwidth, fold, f))
    const losses = ridges.map(() => 0)
    let weight = 0
    for (const [f, part] of parts.entries()) {
      if (part.count === 0 || part.count === count) continue
      weight += part.weight
      const training = emptySums(m)
      for (const [other, sums] of parts.entries()) if (other !== f) addSums(training, sums)
      const gram = featureGram(training)
      const target = featureTarget(training)
      ridges.forEach((ridge, r) => {
        const coefficients = solveCholesky(penalisedFactor(gram, kernel, ridge, m), m, target)
        losses[r] = losses[r]! + residualSum(part, coefficients)
      })
    }
    ridges.forEach((ridge, r) => {
      heldOut.push({ bandwidth, ridge, loss: weight > 0 ? losses[r]! / weight : 0 })
    })
  }
  // Of equal ones the last: the widest and smoothest.
  const best = heldOut.reduce((found, one) => (one.loss <= found.loss ? one : found))
  return { bandwidth: best.bandwidth, ridge: best.ridge, heldOut }
}

function medianDistance(points: Float64Array, columns: number): number {
  const n = points.length / columns
  const distances: number[] = []
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      let square = 0
      for (let k = 0; k < columns; k++) square += (points[i * columns + k]! - points[j * columns + k]!) ** 2
      if (square > 0) distances.push(Math.sqrt(square))
    }
  }
  if (distances.length === 0) return 1
  distances.sort((a, b) => a - b)
  return distances[Math.floor(distances.length / 2)]!
}

function quadraticForm(matrix: Float64Array, vector: Float64Array): number {
  const n = vector.length
  let sum = 0
  for (let i = 0; i < n; i++) {
    let row = 0
    for (let j = 0; j < n; j++) row += matrix[i * n + j]! * vector[j]!
    sum += vector[i]! * row
  }
  return Math.max(0, sum)
}
