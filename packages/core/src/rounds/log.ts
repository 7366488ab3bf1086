// The log: every change of a learner's state as a record. Problem, options, seed and log determine the state, so a log can
// be replayed into an equal learner. The pre-trained predictions are in the log: a replay calls no model.

import type { FeatureValue } from '../problem/feature.js'
import type { Context, MemberPredictions, Prediction } from '../problem/imputer.js'

/** A decision in the log: what was known, what the models said, what was chosen with which propensity. */
export interface DecisionRecord {
  readonly type: 'decision'
  readonly id: string
  readonly context: Context
  /** Observed covariates; null: missing at the decision. */
  readonly covariates: Readonly<Record<string, FeatureValue | null>>
  /** What the pre-trained models said; null where they failed or were not asked. */
  readonly predictions: Readonly<Record<string, Prediction | MemberPredictions | null>>
  /** Why covariates were missing, where that was said. */
  readonly missing?: Readonly<Record<string, string>>
  /** Eligible actions when not all were. */
  readonly actions?: readonly string[]
  /** Missing covariates whose truth the audit asked for, with the probability of asking. */
  readonly asked?: Readonly<Record<string, number>>
  readonly action: string
  readonly propensity: number
  readonly epoch: number
}

/** A reward that was accepted. */
export interface RewardRecord {
  readonly type: 'reward'
  readonly id: string
  readonly value: number
}

/** Truths that came after the decision. */
export interface RevealRecord {
  readonly type: 'reveal'
  readonly id: string
  readonly covariates: Readonly<Record<string, FeatureValue>>
}

/** Signals that came after the decision and before its reward was final. */
export interface SignalRecord {
  readonly type: 'signal'
  readonly id: string
  readonly signals: Readonly<Record<string, FeatureValue>>
}

/** A decision that was never played. */
export interface VoidRecord {
  readonly type: 'void'
  readonly id: string
}

/** The epoch that ended and the number of rounds decided before. Written before the decision that begins the next epoch. */
export interface EpochRecord {
  readonly type: 'epoch'
  readonly epoch: number
  readonly cut: number
}

/** A change of a learner's state. */
export type LogRecord = DecisionRecord | RewardRecord | RevealRecord | SignalRecord | VoidRecord | EpochRecord
