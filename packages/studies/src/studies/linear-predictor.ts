// A linear regression as the pre-trained model of a study: constant and features, a little ridge, fitted on the rows
// that are given to it and nothing else.

import { BLOCK_ROUNDS, type BlockSums, mergeBlocks, solveRidge, sumRows } from '@primo/numeric'

export type LinearPredictor = (features: readonly number[]) => number

const RIDGE = 1

export function fitPredictor(features: readonly (readonly number[])[], targets: readonly number[]): LinearPredictor {
  const width = (features[0]?.length ?? 0) + 1
  const leaves: BlockSums[] = []
  for (let at = 0, block = 0; at < features.length; at += BLOCK_ROUNDS, block++) {
    const part = features.slice(at, at + BLOCK_ROUNDS)
    const buffer = new Float64Array(part.length * (width + 1))
    part.forEach((row, k) => {
      buffer[k * (width + 1)] = 1
      row.forEach((value, column) => {
        buffer[k * (width + 1) + 1 + column] = value
      })
      buffer[k * (width + 1) + width] = targets[at + k]!
    })
    leaves.push({ block, sums: sumRows(buffer, 0, part.length, width, null, 0, buffer) })
  }
  const { coefficients } = solveRidge(mergeBlocks(leaves, width), RIDGE)
  return (row) => {
    let sum = coefficients[0]!
    for (let column = 0; column < row.length; column++) sum += coefficients[column + 1]! * row[column]!
    return sum
  }
}
