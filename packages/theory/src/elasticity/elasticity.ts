// Model elasticity of one reward function on a sample where the covariate is known (method#elasticity):
//   D_a = f(x, z*, a) - f(x, g(x), a)
//   printed      max_a E[D_a^2]                          (the paper's definition, at one f)
//   maxInside    E[max_a D_a^2]                          (what the proof needs; erratum E5)
//   missingOnly  E[(1-b) max_a D_a^2] <= maxInside       (E6)
//   bias         E[(1-b) max_a E[D_a | x, b=0]^2] <= missingOnly   (E46)
//   upsilon_a    E[D_a^2]
// At the true f* these are the quantities of the theorems for the class {f*}; at a fitted f they are plug-ins.

import { invalidOption, requireAllFinite, requireInteger, requireLength } from '@primo/numeric'

/** Differences of rewards at the true and the imputed covariate, by row and action. */
export interface ElasticitySample {
  /** K. */
  readonly actions: number
  /** D_a(x_i, z_i), rows x actions, row-major. */
  readonly differences: Float64Array
  /** 1 - b_i, or its probability given x_i, per row; default all rows count as missing. */
  readonly missing?: ArrayLike<number>
  /** E[D_a | x_i, b = 0], rows x actions; without it there is no bias. */
  readonly meanDifferences?: Float64Array
}

/** Elasticity of one reward function on a sample, in its several definitions. */
export interface Elasticity {
  readonly rows: number
  readonly printed: number
  readonly maxInside: number
  readonly missingOnly: number
  /** null without meanDifferences. */
  readonly bias: number | null
  /** upsilon_a = E[D_a^2]. */
  readonly upsilon: readonly number[]
  /** Standard error of maxInside over the rows. */
  readonly standardError: number
}

/** Elasticity of one reward function on a sample where the covariate is known. */
export function elasticityOfSample(sample: ElasticitySample): Elasticity {
  const { actions, differences, missing, meanDifferences } = sample
  requireInteger('actions', actions, 1)
  if (differences.length === 0) invalidOption('differences', 'a table with at least one row', differences)
  const rows = Math.floor(differences.length / actions)
  requireLength('differences', differences.length, rows * actions)
  requireAllFinite('differences', differences)
  if (missing !== undefined) {
    requireLength('missing', missing.length, rows)
    requireAllFinite('missing', missing)
  }
  if (meanDifferences !== undefined) {
    requireLength('meanDifferences', meanDifferences.length, rows * actions)
    requireAllFinite('meanDifferences', meanDifferences)
  }
  const upsilon = new Float64Array(actions)
  let maxInside = 0
  let square = 0
  let missingOnly = 0
  let bias = 0
  for (let row = 0; row < rows; row++) {
    const largest = largestSquare(differences, row, actions, upsilon)
    const weight = missing?.[row] ?? 1
    maxInside += largest
    square += largest * largest
    missingOnly += weight * largest
    if (meanDifferences !== undefined) bias += weight * largestSquare(meanDifferences, row, actions, null)
  }
  const mean = maxInside / rows
  const variance = Math.max(0, square / rows - mean * mean)
  const byAction = Array.from(upsilon, (sum) => sum / rows)
  return Object.freeze({
    rows,
    printed: Math.max(...byAction),
    maxInside: mean,
    missingOnly: missingOnly / rows,
    bias: meanDifferences === undefined ? null : bias / rows,
    upsilon: Object.freeze(byAction),
    standardError: Math.sqrt(variance / rows),
  })
}

function largestSquare(values: Float64Array, row: number, actions: number, sums: Float64Array | null): number {
  let largest = 0
  for (let a = 0; a < actions; a++) {
    const value = values[row * actions + a]!
    const square = value * value
    if (sums !== null) sums[a] = sums[a]! + square
    if (square > largest) largest = square
  }
  return largest
}
