// One finished cell of a run: a scenario, a policy, a seed. Rows hold nothing that depends on the machine, the clock or the
// number of workers. Regret, floor and reward are in the reward's units.

/** Regret so far after some rounds. */
export interface Checkpoint {
  readonly rounds: number
  readonly regret: number
  /** Unavoidable part of the regret so far; null where unknown. */
  readonly floor: number | null
  /** Reward so far; only where the regret is unknown. */
  readonly reward?: number
}

/** One epoch of a run. */
export interface EpochRow {
  readonly epoch: number
  /** Rounds decided before this epoch ended. */
  readonly rounds: number
  readonly gamma: number
  /** Pseudo-regret of the epoch's rounds; null when the means are unknown. */
  readonly regret: number | null
  /** Root mean square of z-tilde - z* over the missing values of the epoch, each in its covariate's units; null: none were missing. */
  readonly imputationError: number | null
  /** The same for the pre-trained model as it is. */
  readonly pretrainedError: number | null
}

/** What one policy did in one scenario with one seed. */
export interface RunRow {
  readonly scenario: string
  readonly policy: string
  readonly seed: number
  readonly rounds: number
  /** Pseudo-regret; null when the means are unknown. */
  readonly regret: number | null
  /** realised unavoidable regret of these rounds; null where unknown. */
  readonly floor: number | null
  /** Sum of rewards in the user's units. */
  readonly reward: number
  readonly checkpoints: readonly Checkpoint[]
  readonly epochs: readonly EpochRow[]
}
