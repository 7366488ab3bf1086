// The fitted linear reward model and its scorer: f-hat(x, z, a) = clip(phi(x, z)'theta_a).

import type { ResidualMoments } from '../imputation/residual-moments.js'
import { compileDesign, type Design, designColumns } from './design.js'
import type { InputRow, RewardScorer } from './oracle.js'

export interface LinearModel {
  readonly kind: 'linear'
  readonly design: Design
  /** theta_a by action. */
  readonly coefficients: readonly (readonly number[])[]
  /** Rewards are predicted inside this range; null: not clipped. */
  readonly clip: { readonly min: number; readonly max: number } | null
  /** Residual standard deviation. */
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  /** Rows fitted, by action. */
  readonly rows: readonly number[]
  /** Their total weight: the number of rows when all count alike. */
  readonly weight: number
  /**
   * By action, the covariance of theta_a over sigma^2, row-major; without it (option width 'action') the width is
   * sigma * sqrt(degreesOfFreedom_a / rows_a).
   */
  readonly covariance: readonly (readonly number[])[] | null
  /** Share of predictions that the clip moved, on the newest fitted rows. */
  readonly clippedShare: number
}

const LARGEST_WIDTH = 1

export function compileLinear(model: LinearModel, spread?: readonly ResidualMoments[]): RewardScorer {
  const columns = designColumns(model.design)
  const write = compileDesign(model.design, spread)
  const actions = model.coefficients.length
  const theta = Float64Array.from(model.coefficients.flat())
  const phi = new Float64Array(columns)
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const covariance = model.covariance?.map((matrix) => Float64Array.from(matrix))
  return {
    scores: (input, row, out) => {
      write(input, row, phi, 0)
      linearScores(theta, actions, phi, columns, out)
      for (let a = 0; a < actions; a++) {
        const value = out[a]!
        out[a] = value < min ? min : value > max ? max : value
      }
    },
    widths: (out) => {
      for (let a = 0; a < actions; a++) {
        const width =
          covariance === undefined
            ? model.sigma * Math.sqrt(Math.max(1, model.degreesOfFreedom[a]!) / Math.max(1, model.rows[a]!))
            : model.sigma * Math.sqrt(quadraticForm(covariance[a]!, phi, columns))
        out[a] = Math.min(LARGEST_WIDTH, width)
      }
    },
  }
}

/** f-hat of one action, clipped: the bits are those of `scores`. */
export function compileActionScore(
  model: LinearModel,
  spread?: readonly ResidualMoments[],
): (input: InputRow, row: number, action: number) => number {
  const columns = designColumns(model.design)
  const write = compileDesign(model.design, spread)
  const theta = Float64Array.from(model.coefficients.flat())
  const phi = new Float64Array(columns)
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  return (input, row, action) => {
    write(input, row, phi, 0)
    let value = 0
    for (let k = 0, t = action * columns; k < columns; k++, t++) value += theta[t]! * phi[k]!
    return value < min ? min : value > max ? max : value
  }
}

/** out[a] = theta_a'phi, four actions at a time; each sum runs in column order, so the bits do not depend on the tiling. */
export function linearScores(
  theta: Float64Array,
  actions: number,
  phi: Float64Array,
  columns: number,
  out: Float64Array,
): void {
  let a = 0
  for (; a + 4 <= actions; a += 4) {
    const t0 = a * columns
    const t1 = t0 + columns
    const t2 = t1 + columns
    const t3 = t2 + columns
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let k = 0; k < columns; k++) {
      const value = phi[k]!
      s0 += theta[t0 + k]! * value
      s1 += theta[t1 + k]! * value
      s2 += theta[t2 + k]! * value
      s3 += theta[t3 + k]! * value
    }
    out[a] = s0
    out[a + 1] = s1
    out[a + 2] = s2
    out[a + 3] = s3
  }
  for (; a < actions; a++) {
    let sum = 0
    for (let k = 0, t = a * columns; k < columns; k++, t++) sum += theta[t]! * phi[k]!
    out[a] = sum
  }
}

/** v'Mv of a symmetric matrix from its upper triangle. */
function quadraticForm(matrix: Float64Array, vector: Float64Array, n: number): number {
  let sum = 0
  for (let i = 0; i < n; i++) {
    const value = vector[i]!
    let row = 0
    for (let j = i + 1, at = i * n + i + 1; j < n; j++) row += matrix[at++]! * vector[j]!
    sum += value * (matrix[i * n + i]! * value + 2 * row)
  }
  return Math.max(0, sum)
}
