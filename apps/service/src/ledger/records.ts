// The log: every change of a problem as a record, numbered without gaps. What was learnt is a function of these.

import type { DecisionBody, DecisionReply, ProblemDefinition } from '@primo/contract'
import type { LoggedDecision } from '@primo/core/engine'
import type { CandidateChanges } from './candidate.js'
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

/** What an operator, or the gate of candidates, did. */
export interface OperationRecord {
  readonly operation:
    | 'freeze'
    | 'unfreeze'
    | 'retire'
    | 'rollback'
    | 'confirm-clock'
    | 'candidate'
    | 'look'
    | 'withdraw'
    | 'promote'
    | 'demote'
  /** The policy of a rollback, a promotion or of what it is taken back to. */
  readonly version?: number
  /** A look: the end it was made at, the decisions that judged the candidate, limits of its gain in the user's units. */
  readonly cut?: number
  readonly rounds?: number
  readonly gain?: { readonly low: number; readonly high: number }
  /** Why a candidate ended. */
  readonly why?: string
  /** Milliseconds by which a confirmed clock moved. */
  readonly offset?: number
  /** Name of the key; absent: none was needed. */
  readonly by?: string
}

/** A candidate was set: it runs beside the live policy from here on, and learns from the rounds that were closed. */
export interface CandidateRecord extends OperationRecord, CandidateChanges {
  readonly operation: 'candidate'
  readonly level: number
  readonly closed: number
}

/** A candidate goes live. */
export interface PromotionRecord extends OperationRecord {
  readonly operation: 'promote'
  /** The policy before, and what takes the change of the definition back. */
  readonly policy: number
  readonly undo: CandidateChanges
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
  /** The caller that made it in its own process, when by its clock, and by which policy; absent: it was made here. */
  readonly caller?: string
  readonly decidedAt?: number
  readonly decidedBy?: string
  /** The row of the log that it was imported from. */
  readonly imported?: Readonly<Record<string, unknown>>
}

export interface RewardRecord {
  readonly id: string
  readonly value: number
  readonly rewardId?: string
  readonly metrics?: Readonly<Record<string, number>>
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
  readonly why: 'quota' | 'age' | 'retry' | 'actions' | 'model' | 'learner'
}

export interface PolicyRecord {
  readonly version: number
  readonly epoch: number
  /** The epoch record it was learnt up to. */
  readonly cut: number
  /** The version of Primo that fitted it; absent in older records. */
  readonly software?: string
  /** It was learnt by a candidate, or is this earlier policy again; absent: by the problem itself. */
  readonly from?: 'candidate' | number
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
