// The log: every change of a problem as a record, numbered without gaps. What was learnt is a function of these.

import type { DecisionBody, DecisionReply, ProblemDefinition } from '@primo/contract'
import type { LoggedDecision } from '@primo/core/engine'
import type { Value } from './commands.js'

export type RecordKind =
  | 'problem'
  | 'decision'
  | 'activation'
  | 'reward'
  | 'reveal'
  | 'closing'
  | 'void'
  | 'epoch'
  | 'policy'
  | 'fit-failed'
  | 'operation'
  | 'retention'
  | 'forgetting'

export interface ProblemRecord {
  readonly version: number
  readonly seed: number
  readonly definition: ProblemDefinition
  /** Learning starts, or restarts, here. */
  readonly begins: boolean
  /** Covariates with another model from here on: their calibration restarts. */
  readonly models?: readonly string[]
  /** What has grown: earlier rounds have these columns from here on. */
  readonly grown?: readonly string[]
  readonly by?: string
}

/** What an operator did. */
export interface OperationRecord {
  readonly operation: 'freeze' | 'unfreeze' | 'retire' | 'rollback' | 'confirm-clock'
  /** The policy of a rollback. */
  readonly version?: number
  /** Milliseconds by which a confirmed clock moved. */
  readonly offset?: number
  /** Name of the key; absent: none was needed. */
  readonly by?: string
}

/** What the learner needs of a decision, beside context and covariates of the request. */
export type LearningFacts = Omit<LoggedDecision, 'context' | 'covariates'> & {
  /** Version of the policy that decided. */
  readonly policy: number
}

export interface DecisionRecord {
  readonly id: string
  readonly eventId: string | null
  readonly holdout: boolean
  readonly deferred: boolean
  readonly request: DecisionBody
  readonly learning: LearningFacts
  readonly reply: DecisionReply
  /** Its subject was forgotten: what it said of it is gone. */
  readonly forgotten?: true
  /** The row of the log that it was imported from. */
  readonly imported?: Readonly<Record<string, unknown>>
}

export interface RewardRecord {
  readonly id: string
  readonly value: number
  readonly rewardId?: string
  readonly answer: string
  /** The final reward, where this one closes the round. */
  readonly closes?: number
}

export interface RevealRecord {
  readonly id: string
  readonly covariates: Readonly<Record<string, Value>>
}

export interface ClosingRecord {
  readonly id: string
  readonly state: 'closed' | 'dropped' | 'expired'
  /** The final reward of a closed round. */
  readonly value?: number
  /** Whether it is the default. */
  readonly default?: true
}

export interface EpochRecord {
  readonly epoch: number
  /** Rounds decided and closed when the epoch ended. */
  readonly rounds: number
  readonly closed: number
  readonly why: 'quota' | 'age' | 'retry' | 'actions' | 'model'
}

export interface PolicyRecord {
  readonly version: number
  readonly epoch: number
  /** The epoch record it was learnt up to. */
  readonly cut: number
  /** The version of Primo that fitted it; absent in older records. */
  readonly software?: string
}

export interface RetentionRecord {
  /** Rounds of the running version below this one are removed. */
  readonly below: number
  /** Rounds of any version decided before this record are removed. */
  readonly before: number
}

export interface ForgettingRecord {
  /** Numbers of the decisions' records. */
  readonly decisions: readonly number[]
  /** Their rounds in the running version: not learnt from any more. */
  readonly rounds: readonly number[]
  readonly by?: string
}
