// Asking the reward model of the complete rounds, f_cc, what it expects at missing rows for values tried in place of z.

import { compileActionScores } from '../oracle/action-scores.js'
import type { LinearModel } from '../oracle/linear-model.js'
import type { Encoding } from '../problem/encoding.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import type { BlockPart } from '../rounds/block-parts.js'
import type { InputBasis } from './input-basis.js'
import { MISSING_ROWS, type MissingRows } from './missing-rows.js'
import type { CompiledMap } from './monotone-map.js'

export interface RewardInput {
  /** Rounds whose missing rows are asked about. */
  readonly parts: readonly BlockPart[]
  readonly encoding: Encoding
  readonly which: number
  /** Fitted on complete rounds, with its covariance; in a wide class (wider-reward.ts). */
  readonly completeCase: LinearModel
  readonly basis: InputBasis
  readonly spread: readonly ResidualMoments[]
  /** Only missing rows of this fold; absent: all. */
  readonly fold?: 0 | 1
  /** What is added to g~ before any correction in the basis (the isotonic rung); absent: nothing. */
  readonly moved?: CompiledMap
}

export interface RewardProbe {
  /** Takes up rows, before anything is asked of them. */
  readonly begin: (rows: MissingRows) => void
  /** f_cc(x, z, a) for the actions that were played, z[row] tried in each; leaves z in the rows. */
  readonly valuesAt: (rows: MissingRows, z: Float64Array, out: Float64Array) => void
  /** d f_cc / dz at z, from two points close by; exact for rewards quadratic in z. */
  readonly slopesAt: (rows: MissingRows, z: Float64Array, out: Float64Array) => void
  /** phi of the rows at the values last tried, row-major. */
  readonly features: Float64Array
}

/** Half the distance between the two points a slope is read from, in units of what was seen. */
const SLOPE_STEP = 1e-3

export function rewardProbe({ completeCase, spread, encoding, which }: RewardInput): RewardProbe {
  const { at } = encoding.covariates[which]!
  const { begin, score, features } = compileActionScores(completeCase, spread, at, MISSING_ROWS)
  const { contextWidth, scale } = completeCase.design
  const half = SLOPE_STEP / (scale?.[contextWidth + at]?.unit ?? 1)
  const width = encoding.covariateWidth
  const below = new Float64Array(MISSING_ROWS)
  const tryAt = (rows: MissingRows, z: Float64Array, step: number, out: Float64Array) => {
    writeTried(rows, at, width, z, step)
    score(rows, out)
  }
  return {
    features,
    begin: (rows) => begin(rows, rows.count, rows.action),
    valuesAt: (rows, z, out) => tryAt(rows, z, 0, out),
    slopesAt: (rows, z, out) => {
      tryAt(rows, z, half, out)
      tryAt(rows, z, -half, below)
      writeSlopes(rows.count, out, below, 2 * half)
    },
  }
}

function writeTried(
  { covariates, count }: MissingRows,
  at: number,
  width: number,
  z: Float64Array,
  step: number,
): void {
  for (let row = 0; row < count; row++) covariates[row * width + at] = z[row]! + step
}

/** From the values above, which they take the place of, and those below. */
function writeSlopes(count: number, above: Float64Array, below: Float64Array, distance: number): void {
  for (let row = 0; row < count; row++) above[row] = (above[row]! - below[row]!) / distance
}
