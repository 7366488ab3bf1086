// The two least squares problems of kernel ridge (see kernel.ts), solved for any ridge: exact, with every row a centre, and on landmarks.

import {
  addSums,
  BLOCK_ROUNDS,
  cholesky,
  emptySums,
  featureGram,
  featureTarget,
  invertCholesky,
  type Sums,
  solveCholesky,
  sumRows,
} from '@primo/numeric'
import { kernelMatrix, writeKernelRow } from './gaussian-kernel.js'
import type { RegressionRows } from './regression.js'

/** Added to the diagonal of K_mm, so that landmarks close to each other do no harm. */
const JITTER = 1e-9

export interface KernelProblem {
  readonly centres: Float64Array
  readonly solve: (ridge: number) => { readonly coefficients: Float64Array; readonly norm: number }
  readonly degreesOfFreedom: (ridge: number) => number
}

export function exactProblem(rows: RegressionRows, bandwidth: number): KernelProblem {
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

export function landmarkProblem(rows: RegressionRows, landmarks: Float64Array, bandwidth: number): KernelProblem {
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

/** Of the landmarks with each other. */
export function landmarkKernel(landmarks: Float64Array, columns: number, bandwidth: number): Float64Array {
  const kernel = kernelMatrix(landmarks, landmarks, columns, bandwidth)
  const m = landmarks.length / columns
  for (let i = 0; i < m; i++) kernel[i * m + i] = kernel[i * m + i]! + JITTER
  return kernel
}

/** Cholesky factor of gram + ridge K_mm. */
export function penalisedFactor(gram: Float64Array, kernel: Float64Array, ridge: number, m: number): Float64Array {
  const matrix = gram.map((value, i) => value + ridge * kernel[i]!)
  let trace = 0
  for (let i = 0; i < m; i++) trace += matrix[i * m + i]!
  for (let i = 0; i < m; i++) matrix[i * m + i] = matrix[i * m + i]! + (1e-12 * trace) / m
  return cholesky(matrix, m)
}

/** Sums of [k(x), y] over the rows, or over those of one fold. */
export function landmarkSums(
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
