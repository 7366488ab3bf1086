// Means of a variable by level and at one context, by weighted least squares with errors that hold whatever the noise:
//   v = l(z)'alpha + (x - centre)'beta,   A_j = l(z_j)'alpha,
//   V = G^-1 (sum_i w_i^2 u_i^2 d_i d_i') G^-1,   u_i = residual / (1 - leverage)   (HC3).

import { cholesky, invertCholesky, solveCholesky } from '@primo/numeric'
import type { Levels } from './levels.js'

export interface LevelMeans {
  readonly means: Float64Array
  /** Their covariance, row-major. */
  readonly covariance: Float64Array
  /** Degrees of freedom of the covariance: few where few rows make up that of a level. */
  readonly degrees: number
  /** Coefficients of all columns, the levels' first, and how many standard errors each is from 0. */
  readonly coefficients: Float64Array
  readonly ratios: Float64Array
}

export interface LevelMeansInput {
  readonly rows: readonly number[]
  readonly values: Float64Array
  readonly weights: Float64Array | null
  readonly context: Float64Array
  readonly contextWidth: number
  readonly centre: Float64Array
  readonly covariate: Float64Array
  readonly levels: Levels
}

/** Of the number of rows: what keeps columns apart that say the same. */
const RIDGE = 1e-6
/** A level of a category that fewer rows show than this is not known. */
const FEWEST = 3

/** Null: there are too few rows for so many columns. Where a level of a category is not known its mean is NaN. */
export function levelMeans(input: LevelMeansInput): LevelMeans | null {
  const { rows, values, weights, context, contextWidth: p, centre, covariate, levels } = input
  const { columns, values: places } = levels
  const width = columns + p
  if (rows.length < 2 * width + 10) return null
  const shown = new Float64Array(columns)
  const design = new Float64Array(width)
  const fill = (row: number) => {
    design.fill(0)
    levels.write(covariate[row]!, design)
    for (let k = 0; k < p; k++) design[columns + k] = context[row * p + k]! - centre[k]!
  }
  const gram = new Float64Array(width * width)
  const target = new Float64Array(width)
  for (const row of rows) {
    fill(row)
    const weight = weights === null ? 1 : weights[row]!
    for (let j = 0; j < columns; j++) if (design[j] !== 0) shown[j] = shown[j]! + 1
    for (let i = 0; i < width; i++) {
      const scaled = weight * design[i]!
      if (scaled === 0) continue
      target[i] = target[i]! + scaled * values[row]!
      for (let j = i; j < width; j++) gram[i * width + j] = gram[i * width + j]! + scaled * design[j]!
    }
  }
  const unknown = (column: number) => shown[column]! < FEWEST
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < i; j++) gram[i * width + j] = gram[j * width + i]!
    const apart = i < columns && unknown(i) ? 1 : RIDGE
    gram[i * width + i] = gram[i * width + i]! + apart * rows.length
  }
  const factor = cholesky(gram, width)
  const coefficients = solveCholesky(factor, width, target)
  const inverse = invertCholesky(factor, width)
  const ofColumns = new Float64Array(columns * columns)
  const influence = new Float64Array(width)
  const ofAll = new Float64Array(width)
  const squares = new Float64Array(columns)
  const fourths = new Float64Array(columns)
  for (const row of rows) {
    fill(row)
    const weight = weights === null ? 1 : weights[row]!
    let residual = values[row]!
    let leverage = 0
    for (let i = 0; i < width; i++) {
      residual -= coefficients[i]! * design[i]!
      let sum = 0
      for (let j = 0; j < width; j++) sum += inverse[i * width + j]! * design[j]!
      influence[i] = sum
      leverage += weight * sum * design[i]!
    }
    const error = (weight * residual) / Math.max(0.2, 1 - leverage)
    for (let i = 0; i < columns; i++)
      for (let j = 0; j < columns; j++)
        ofColumns[i * columns + j] = ofColumns[i * columns + j]! + influence[i]! * influence[j]! * error * error
    for (let i = 0; i < width; i++) ofAll[i] = ofAll[i]! + (influence[i]! * error) ** 2
    for (let i = 0; i < columns; i++) {
      const square = (influence[i]! * error) ** 2
      squares[i] = squares[i]! + square
      fourths[i] = fourths[i]! + square * square
    }
  }
  const at = Array.from(places, (place) => {
    const row = new Float64Array(columns)
    levels.write(place, row)
    return row
  })
  return {
    means: Float64Array.from(at, (row) => {
      let sum = 0
      for (let k = 0; k < columns; k++) if (row[k] !== 0) sum += unknown(k) ? Number.NaN : row[k]! * coefficients[k]!
      return sum
    }),
    covariance: Float64Array.from({ length: at.length ** 2 }, (_, pair) => {
      const [left, right] = [at[Math.floor(pair / at.length)]!, at[pair % at.length]!]
      let sum = 0
      for (let i = 0; i < columns; i++)
        for (let j = 0; j < columns; j++) sum += left[i]! * right[j]! * ofColumns[i * columns + j]!
      return sum
    }),
    degrees: squares.reduce(
      (least, square, k) => (unknown(k) || fourths[k] === 0 ? least : Math.min(least, square ** 2 / fourths[k]!)),
      rows.length,
    ),
    coefficients,
    ratios: ofAll.map((square, k) => (square > 0 ? coefficients[k]! / Math.sqrt(square) : 0)),
  }
}
