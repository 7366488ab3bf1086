// What has been learnt: everything a decision needs besides the context, frozen between two ends of epochs and JSON-safe.

import type { Calibration } from '../calibration/calibrate.js'
import type { CovariateModel } from '../calibration/correction.js'
import type { DefaultState } from '../epoch/default-epoch.js'
import type { SignalsReport } from '../epoch/early-rounds.js'
import type { MissingRewardsReport } from '../epoch/weighted-rounds.js'
import type { EnsembleReport } from '../imputation/ensemble.js'
import type { RewardModel } from '../oracle/oracle.js'
import type { Columns } from '../problem/columns.js'
import type { ImputerIdentity } from '../problem/imputer-identity.js'
import type { HeldOutLoss } from '../regression/selector.js'

/** The pre-trained model of a covariate as learning knows it. */
export interface ModelInUse extends ImputerIdentity {
  /** First round that it predicted (or whose prediction is its own by now), counted from 0. */
  readonly since: number
}

/** What the end of an epoch learnt about one covariate. */
export interface CovariateReport {
  readonly covariate: string
  /** Share of the window's rounds in which the value was missing at the decision. */
  readonly missingShare: number
  /** The pre-trained model that was calibrated, and the first round of it; absent in reports from before this was kept. */
  readonly model?: ModelInUse
  readonly calibration: Calibration['report'] | null
  /** How the members of an ensemble were weighted, where that was judged at this end. */
  readonly ensemble?: EnsembleReport
}

/** What was learnt at the end of one epoch. */
export interface EpochReport {
  /** The epoch that ended. */
  readonly epoch: number
  /** Rounds of the window, from (inclusive) to (exclusive), counted from 0. */
  readonly window: { readonly from: number; readonly to: number }
  /** Rounds learnt from: those of the window that were closed. */
  readonly learnt: number
  /** gamma of the next epoch. */
  readonly gamma: number
  readonly reward: {
    readonly sigma: number
    readonly degreesOfFreedom: number
    readonly clippedShare: number
    /** By action (or once for all): the held-out losses of the classes that a selector chose among. */
    readonly selection?: readonly (readonly HeldOutLoss[])[]
  } | null
  /** How rewards that never came were made up for; absent: they were not, or all came. */
  readonly missingRewards?: MissingRewardsReport
  /** What open rounds added by their signals; absent: nothing. */
  readonly signals?: SignalsReport
  readonly covariates: readonly CovariateReport[]
}

/** How an audit spends its budget until the next end of an epoch. */
export interface Asking {
  /** The value of observing that counts as 1, in units of the mean reward's range, and what a row without value gets; null: all get 1. */
  readonly worth: { readonly unit: number; readonly even: number } | null
  /** How fast it is spent; 1: as fast as it comes. */
  readonly pace: number
}

/** Everything that was learnt so far, as frozen JSON-safe data. */
export interface EpochState {
  /** The running epoch s, from 1. */
  readonly epoch: number
  /** First round of the running epoch, counted from 0. */
  readonly start: number
  /** Rises by one at each end of an epoch. */
  readonly version: number
  readonly gamma: number
  /** null until the first fit: play is uniform. */
  readonly rewardModel: RewardModel | null
  /** Per covariate; null: the pre-trained model as it is. */
  readonly corrections: readonly (CovariateModel | null)[]
  /** Per covariate: the weights of its ensemble's members, null where it has one model; absent: still equal. */
  readonly ensembles?: readonly (readonly number[] | null)[]
  /** Per covariate: the pre-trained model that was calibrated, and since when; absent: nothing was learnt yet. */
  readonly models?: readonly ModelInUse[]
  /** Rows of the newest fit and of the one before it, for the theory's schedules. */
  readonly rows: number
  readonly rowsBefore: number
  /** How often imputed values have changed. */
  readonly imputationVersion: number
  /** Per covariate how its audit spends a budget, null where it has none; absent: no audit has one. */
  readonly asking?: readonly (Asking | null)[]
  /** What the default remembers besides its models; absent: it learnt nothing yet, or another profile learns. */
  readonly streams?: DefaultState
  /** The columns that its models were learnt in, where the problem has grown since; absent: those of the problem. */
  readonly columns?: Columns
  readonly reports: readonly EpochReport[]
}

/** The state before anything was learnt. */
export function initialState(covariateCount: number): EpochState {
  return deepFreeze({
    epoch: 1,
    start: 0,
    version: 0,
    gamma: 0,
    rewardModel: null,
    corrections: Array.from({ length: covariateCount }, () => null),
    rows: 0,
    rowsBefore: 0,
    imputationVersion: 0,
    reports: [],
  })
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object') deepFreeze(inner)
  }
  return Object.freeze(value)
}
