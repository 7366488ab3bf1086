// Commands: everything that can change a problem, as data. A store settles them in one transaction, in order.

import type { FeatureValueType, ProblemDefinition, RewardOutcome, ServiceErrorCode } from '@primo/contract'
import type { LearningStart } from './book.js'
import type { CandidateChanges } from './candidate.js'

export type Value = FeatureValueType

/** How a decision used a covariate, for the tallies. */
export interface CovariateFact {
  readonly observed: boolean
  /** Where the value came from. */
  readonly source: string
  readonly reason: string | null
  /** Why the model, or a member of it, gave no value; absent: it did, or was not asked. */
  readonly failure?: string
  readonly asked: boolean
}

export interface Decide {
  readonly kind: 'decide'
  readonly problem: string
  /** Number of the problem it was made for: its name may have been purged and defined again. */
  readonly of?: number
  readonly revision: number
  readonly id: string
  readonly eventId: string | null
  /** JSON of the record in UTF-8 and where its reply begins; `wholeRecord` of the codec completes it. */
  readonly record: Uint8Array
  readonly replyAt: number
  readonly windowed: boolean
  /** The action that was played. */
  readonly action: string
  readonly holdout: boolean
  readonly deferred: boolean
  readonly covariates: Readonly<Record<string, CovariateFact>>
  /** Features whose value was outside their range and was clipped. */
  readonly clipped: readonly string[]
  /** Made in a caller's process: its id is the caller's, and may have been uploaded before. */
  readonly uploaded?: true
}

export interface Reward {
  readonly kind: 'reward'
  readonly problem: string
  readonly ref: string
  readonly value: number
  readonly rewardId: string | null
  /** Values of guardrails. */
  readonly metrics?: Readonly<Record<string, number>>
}

export interface Reveal {
  readonly kind: 'reveal'
  readonly problem: string
  /** The version whose covariates the truths fit. */
  readonly version: number
  readonly ref: string
  readonly covariates: Readonly<Record<string, Value>>
}

export interface Activate {
  readonly kind: 'activate'
  readonly problem: string
  readonly ref: string
}

export interface Void {
  readonly kind: 'void'
  readonly problem: string
  readonly ref: string
  /** The decision may not have arrived yet: refuse it when it does. */
  readonly unseen: boolean
}

export interface Define {
  readonly kind: 'define'
  readonly problem: string
  readonly definition: ProblemDefinition
  readonly seed: number
  /** Restart learning if the change needs it. */
  readonly renew: boolean
  readonly start: LearningStart
  /** Name of the key that asks for it; absent or null: none was needed. */
  readonly by?: string | null
}

export interface Operate {
  readonly kind: 'operate'
  readonly problem: string
  readonly operation: 'freeze' | 'unfreeze' | 'retire' | 'confirm-clock' | { readonly rollback: number }
  readonly by?: string | null
}

/** Takes what these decisions, by the numbers of their records, said of their subject out of the log. */
export interface Forget {
  readonly kind: 'forget'
  readonly problem: string
  /** Number of the problem in which they were found. */
  readonly of?: number
  readonly seqs: readonly number[]
  readonly by?: string | null
}

/** Removes a retired problem. */
export interface Purge {
  readonly kind: 'purge'
  readonly problem: string
}

/** Closes reward windows that are due, expires decisions that were not activated, ends epochs by age, applies retention. */
interface Tick {
  readonly kind: 'tick'
  readonly problem: string
}

/** The live policy was learnt in another way than the problem learns now: the next one is learnt from the log alone. */
export interface Relearn {
  readonly kind: 'relearn'
  readonly problem: string
  readonly policy: number
}

/** A fit is done: its policy goes live. Stale unless the log waits for the end that was learnt. */
export interface Publish {
  readonly kind: 'publish'
  readonly problem: string
  readonly version: number
  readonly cut: number
  readonly state: string
  readonly report: string
  /** The version of Primo that fitted it. */
  readonly software: string
  /** The next epoch. */
  readonly next: LearningStart
}

/** Sets a candidate, or withdraws the one there is (null). */
export interface SetCandidate {
  readonly kind: 'candidate'
  readonly problem: string
  readonly body: (CandidateChanges & { readonly level: number }) | null
  /** Revision of the problem that the candidate was checked against; stale if it has changed. Absent: withdrawn whatever it is. */
  readonly revision?: number
  readonly by?: string | null
}

/** A state that goes live in place of the one that was learnt last. */
export interface Learnt extends Pick<Publish, 'version' | 'cut' | 'state' | 'report' | 'software' | 'next'> {}

/** A candidate learnt and was judged up to the cut. Stale unless the log waits for that. */
export interface Look {
  readonly kind: 'look'
  readonly problem: string
  /** The record that set the candidate. */
  readonly since: number
  readonly cut: number
  readonly rounds: number
  /** In the user's units; null: it could not be looked at. */
  readonly gain: { readonly low: number; readonly high: number } | null
  /** It is better: its state; null: nobody can say. */
  readonly learnt: Learnt | null
  /** Why it is given up; null: it is not. */
  readonly givenUp: string | null
}

/** Takes a promotion back. */
export interface Demote {
  readonly kind: 'demote'
  readonly problem: string
  /** The record of the promotion. */
  readonly since: number
  /** Revision of the problem from which `learnt` was made. */
  readonly revision: number
  readonly learnt: Learnt
  readonly why: string
  readonly by?: string | null
}

/** A fit failed. `recut`: try again with the rounds that have closed since. */
export interface FitFailed {
  readonly kind: 'fit-failed'
  readonly problem: string
  readonly cut: number
  readonly message: string
  readonly recut: boolean
}

/** A decision made elsewhere or earlier, with its outcome; the problem learns from it as from its own. */
export interface Import {
  readonly kind: 'import'
  readonly problem: string
  readonly version: number
  readonly id: string
  readonly eventId: string | null
  readonly request: string
  readonly learning: string
  readonly reply: string
  /** JSON of the row it comes from. */
  readonly row: string
  readonly action: string
  readonly holdout: boolean
  readonly covariates: Readonly<Record<string, CovariateFact>>
  readonly clipped: readonly string[]
  readonly revealed: Readonly<Record<string, Value>>
  /** null: not learnt from. */
  readonly reward: number | null
}

export type Command =
  | Import
  | Decide
  | Reward
  | Reveal
  | Activate
  | Void
  | Define
  | Operate
  | Forget
  | Purge
  | Tick
  | Publish
  | Relearn
  | FitFailed
  | SetCandidate
  | Look
  | Demote

export interface Refused {
  readonly error: ServiceErrorCode
  readonly detail: string
}

export type Outcome =
  | Refused
  /** A new decision: the command's reply, completed by `replyOf` of the codec. */
  | { readonly duplicate: false; readonly rewardDeadline: number | null }
  /** Decided before: the reply of then. */
  | { readonly duplicate: true; readonly decided: string }
  /** The problem has changed since the decision was made: decide again. */
  | { readonly stale: true }
  | { readonly decisionId: string; readonly status: RewardOutcome }
  | { readonly defined: 'created' | 'updated' | 'unchanged' | 'grown' | 'recalibrated' | 'renewed' }
  | { readonly done: true }
  | { readonly forgotten: number }
  | { readonly closed: number; readonly more: boolean }

/** Commands for whose effects nothing in a process waits but the answer to the caller. */
const OF_CALLERS: readonly Command['kind'][] = ['decide', 'reward', 'reveal', 'activate', 'void', 'import']

export function areOfCallers(commands: readonly Command[]): boolean {
  return commands.every(({ kind }) => OF_CALLERS.includes(kind))
}

/** Whether replicas load what these commands write: a definition, a mode or a policy. */
export function areLoaded(commands: readonly Command[]): boolean {
  return commands.some(({ kind }) => kind !== 'tick' && !OF_CALLERS.includes(kind))
}

export function confirmsClock(command: Command): boolean {
  return command.kind === 'operate' && command.operation === 'confirm-clock'
}

export function refuse(error: ServiceErrorCode, detail: string): Refused {
  return { error, detail }
}
