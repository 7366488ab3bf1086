// The split of a node with the largest gain, from its histogram. With G = sum w r and W = sum w of a side,
//   gain = G_l^2/(W_l + ridge) + G_r^2/(W_r + ridge) - G^2/(W + ridge).
// Equal gains (to 1e-9) go to the first column and bin, so that rounding does not decide.

import { type BinnedColumns, MISSING_BIN } from './tree-bins.js'
import { SPAN } from './tree-histogram.js'

export interface LeafRules {
  /** Least weight of a leaf. */
  readonly minimumLeaf: number
  readonly ridge: number
}

export interface Split {
  readonly gain: number
  readonly column: number
  readonly bin: number
  readonly missingLeft: boolean
  readonly leftSum: number
  readonly leftWeight: number
}

/** Of a node with these sums of w r and w; null: no split brings more than `leastGain`. */
export function bestSplit(
  histogram: Float64Array,
  { thresholds, hasMissing }: BinnedColumns,
  { minimumLeaf, ridge }: LeafRules,
  sum: number,
  weight: number,
  leastGain: number,
): Split | null {
  if (weight < 2 * minimumLeaf) return null
  const whole = (sum * sum) / (weight + ridge)
  const least = minimumLeaf * (1 - 1e-9)
  let best: Split | null = null
  for (let column = 0; column < thresholds.length; column++) {
    const start = column * SPAN
    // Where values are missing, the last bin may split them from all others.
    const ends = thresholds[column]!.length + hasMissing[column]!
    const missingSum = histogram[start + 2 * MISSING_BIN]!
    const missingWeight = histogram[start + 2 * MISSING_BIN + 1]!
    for (let side = 0; side <= hasMissing[column]!; side++) {
      let leftSum = side === 1 ? missingSum : 0
      let leftWeight = side === 1 ? missingWeight : 0
      for (let bin = 0; bin < ends; bin++) {
        leftSum += histogram[start + 2 * bin]!
        leftWeight += histogram[start + 2 * bin + 1]!
        const rightWeight = weight - leftWeight
        if (leftWeight < least) continue
        if (rightWeight < least) break
        const rightSum = sum - leftSum
        const gain = (leftSum * leftSum) / (leftWeight + ridge) + (rightSum * rightSum) / (rightWeight + ridge) - whole
        if (gain > leastGain && (best === null || gain > best.gain * (1 + 1e-9)))
          best = { gain, column, bin, missingLeft: side === 1, leftSum, leftWeight }
      }
    }
  }
  return best
}
