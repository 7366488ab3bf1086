// The offline regression oracle Alg of the paper: rows (x, z-tilde, a, r) -> reward model f-hat.
// One file per function class; every class passes the laws in oracle.laws.ts. A model is frozen JSON-safe data; a scorer
// is its compiled form for one thread and owns its scratch space.

import type { Random } from '@primo/numeric'
import type { HierarchicalModel } from '../model/hierarchical-model.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import type { ClassRewardModel } from './class-model.js'
import type { LinearModel } from './linear-model.js'

/** Columns that a reward model reads; row-major, one row per round. A block of the table and a batch of rows are such. */
export interface InputRow {
  readonly context: Float64Array
  /** z-tilde. */
  readonly covariates: Float64Array
  /** 1 where a covariate was observed at the decision. */
  readonly observed: Uint8Array
}

/** f-hat of a row as a function of one covariate column z, the others held: constants[a] + slopes[a] z, clipped to min ... max. */
export interface ScoreLines {
  readonly min: number
  readonly max: number
  /** Whatever the row has in that column is not read. */
  readonly write: (input: InputRow, row: number, constants: Float64Array, slopes: Float64Array) => void
}

export interface RewardScorer {
  /** f-hat for every action, clipped to the class's range; see InputRow. */
  readonly scores: (input: InputRow, row: number, out: Float64Array) => void
  /** One standard deviation of f-hat at the row last scored, per action. */
  readonly widths: (out: Float64Array) => void
  /**
   * The same for rows first ... first + count - 1, or for those of a list at these places, row-major by action, to the bit; `widths` null:
   * not wanted. Absent: the class has nothing faster than row by row.
   */
  readonly scoreRows?: (
    input: InputRow,
    first: number,
    count: number,
    scores: Float64Array,
    widths: Float64Array | null,
    rows?: Int32Array | null,
  ) => void
  /** The same scores as lines in a covariate column, up to rounding. Absent or null: they are no lines. */
  readonly lines?: (column: number) => ScoreLines | null
}

export type RewardModel = LinearModel | ClassRewardModel | HierarchicalModel

export interface Oracle {
  readonly kind: RewardModel['kind']
  /** Number of reward parameters over all actions, or the fewest of a class that has no number: `dim` of the practical gamma. */
  readonly dimension: number
  /** Critical radius of the class at this many rows, with the proof's factor 16 or without; null: no usable bound. */
  readonly radius: ((rows: number, constant16: boolean) => number) | null
  /** Pure: same rows, randomness and model before give an equal model; a class may go on from choices of the model before. */
  readonly fit: (rows: RewardRows, random: Random, before?: RewardModel | null) => RewardModel
  /**
   * With `spread`, imputed covariates are averaged over what their imputation leaves open: by moments where the class can, else
   * over `points`, equally likely residuals.
   */
  readonly compile: (
    model: RewardModel,
    spread?: readonly ResidualMoments[],
    points?: readonly (readonly number[] | null)[],
  ) => RewardScorer
}
