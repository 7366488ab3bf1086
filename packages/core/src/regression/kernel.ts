// Kernel ridge with a Gaussian kernel (method#function-classes): min sum w (y - offset - f)^2 + ridge |f|_H^2.
//   exact (few rows): coefficients a solve (K + ridge W^-1) a = y, dof = tr(K (K + ridge W^-1)^-1);
//   Nystrom (many): f lives on m landmarks, (sum w k k' + ridge K_mm) a = sum w y k, dof = tr of the same with the sum.
// Bandwidth: the median distance times 1/2, 1 or 2, and the ridge, by weighted cross-validation on the landmarks. `norm` is the
// complexity ball |f|_H <= norm: the ridge is raised until it holds, which is the constrained least squares fit.
// Rows are first put in an order of their own, so the result does not depend on the order given, not even in its last bits.

import type { Random } from '@primo/numeric'
import {
  addSums,
  emptySums,
  featureGram,
  featureTarget,
  invalidOption,
  requireInteger,
  requireOptions,
  residualSum,
  solveCholesky,
} from '@primo/numeric'
import { ellipsoidRadius, kernelEigenvalues } from '@primo/theory'
import { kernelMatrix, medianDistance } from './gaussian-kernel.js'
import { compileKernel, type KernelModel } from './kernel-model.js'
import { exactProblem, landmarkKernel, landmarkProblem, landmarkSums, penalisedFactor } from './kernel-problem.js'
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

/** Critical radius of the fitted kernel's ball of the model's own norm, by the eigenvalues on its centres (method#critical-radius). */
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
