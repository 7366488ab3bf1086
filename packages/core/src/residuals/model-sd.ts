// How far the standard deviation that a model gives can be trusted, learnt on rows whose truth is known (beyond the paper).
// With y the squared held-out residual and s the model's sd, the variance of the residual is
//   m_2 exp(offset + slope 2 log s):  slope 1 and any offset for a model that is right up to a factor, slope 0 where s says nothing.
// Fitted as in residual-variance.ts; then the slope is kept within 0 to 2 and shrunk by 1 - 1/t^2 (0 if negative), t its
// value over its standard error, so that noise is not believed. The offset makes the mean variance that of these rows.
// A row without an sd has the variance m_2.

import { fitLogVariance, LARGEST_FACTOR } from './residual-variance.js'

export interface ModelSdUse {
  readonly slope: number
  readonly offset: number
  /** Rows that it was learnt from. */
  readonly rows: number
}

/** Below this (inside units) a standard deviation says no more than that it is small. */
const SMALLEST_SD = 1e-4
const FEWEST_ROWS = 32
const LARGEST_SLOPE = 2

/** 2 log s. */
function logSquare(sd: number): number {
  return 2 * Math.log(Math.max(SMALLEST_SD, sd))
}

/** The share of the log variance that the model's sd adds; 0 where it gave none. */
export function modelSdTerm({ slope, offset }: Pick<ModelSdUse, 'slope' | 'offset'>, sd: number | undefined): number {
  return sd === undefined || Number.isNaN(sd) ? 0 : offset + slope * logSquare(sd)
}

/** From squared residuals and the sds given with them; `variance` is m_2. null: too few rows, or the sds say nothing. */
export function fitModelSd(squares: Float64Array, sds: Float64Array, variance: number): ModelSdUse | null {
  const rows = squares.length
  if (rows < FEWEST_ROWS || !(variance > 0)) return null
  const x = Float64Array.from(sds, logSquare)
  const centre = x.reduce((sum, value) => sum + value, 0) / rows
  const spread = x.reduce((sum, value) => sum + (value - centre) ** 2, 0) / rows
  if (!(spread > 1e-12)) return null
  // Beyond the largest factor a difference has no effect, so it must not steer the fit.
  const limit = Math.log(LARGEST_FACTOR)
  for (let i = 0; i < rows; i++) x[i] = Math.min(limit, Math.max(-limit, x[i]! - centre))
  const fitted = fitLogVariance(squares, x, 1)
  if (fitted === null) return null
  const mean = squares.reduce((sum, value) => sum + value, 0) / rows
  const slope = shrunk(squares, x, fitted, mean)
  if (slope === 0) return null
  let factor = 0
  for (let i = 0; i < rows; i++) factor += Math.exp(slope * x[i]!) / rows
  return { slope, offset: Math.log(mean / variance / factor) - slope * centre, rows }
}

function shrunk(squares: Float64Array, x: Float64Array, fitted: readonly number[], mean: number): number {
  const rows = squares.length
  const slope = Math.min(LARGEST_SLOPE, Math.max(0, fitted[1]!))
  if (slope === 0) return 0
  // Residuals in units of their own variance: their spread is what the slope's standard error comes from.
  let first = 0
  let second = 0
  let centre = 0
  let square = 0
  for (let i = 0; i < rows; i++) {
    const u = (squares[i]! / mean) * Math.exp(-fitted[0]! - fitted[1]! * x[i]!)
    first += u / rows
    second += (u * u) / rows
    centre += x[i]! / rows
    square += (x[i]! * x[i]!) / rows
  }
  const noise = (second / (first * first) - 1) / (rows * (square - centre * centre))
  return slope * Math.max(0, 1 - noise / (slope * slope))
}
