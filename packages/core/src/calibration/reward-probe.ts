// Asking the reward model of the complete rounds, f_cc, what it expects at a missing row for a value tried in place of z.

import type { RoundRange } from '../data/block-parts.js'
import type { Encoding } from '../data/encoding.js'
import type { RoundTable } from '../data/round-table.js'
import type { ResidualMoments } from '../imputation/residual-moments.js'
import { compileActionScore, type LinearModel } from '../oracle/linear-model.js'
import type { CorrectionBasis } from './correction-basis.js'
import type { MissingRow } from './missing-rows.js'
import type { CompiledMap } from './monotone-map.js'

export interface RewardInput {
  readonly table: RoundTable
  readonly range: RoundRange
  readonly encoding: Encoding
  readonly which: number
  /** Fitted on complete rounds, with its covariance. */
  readonly completeCase: LinearModel
  readonly basis: CorrectionBasis
  readonly spread: readonly ResidualMoments[]
  /** What is added to g~ before any correction in the basis (the isotonic rung); absent: nothing. */
  readonly moved?: CompiledMap
}

export interface RewardProbe {
  /** f_cc(x, z, a) for the action that was played; leaves z in the row. */
  readonly valueAt: (row: MissingRow, z: number) => number
  /** d f_cc / dz at z, from two points close by; exact for rewards quadratic in z. */
  readonly slopeAt: (row: MissingRow, z: number) => number
}

/** Half the distance between the two points a slope is read from, inside units. */
const SLOPE_STEP = 1e-3

export function rewardProbe({ completeCase, spread, encoding, which }: RewardInput): RewardProbe {
  const score = compileActionScore(completeCase, spread)
  const at = encoding.covariates[which]!.at
  const valueAt = (row: MissingRow, z: number) => {
    row.covariates[at] = z
    return score(row, 0, row.action)
  }
  return {
    valueAt,
    slopeAt: (row, z) => (valueAt(row, z + SLOPE_STEP) - valueAt(row, z - SLOPE_STEP)) / (2 * SLOPE_STEP),
  }
}
