// Decisions as bytes: how requests are read, how records are written, and how commands reach the thread that writes the
// store. Two codecs do it. The plain one says what is meant; the fast one does the same faster and is the one in use.

import type { CovariateReply, DecisionBody, DecisionReply } from '@primo/contract'
import type { Choice, Engine, EpochState } from '@primo/core/engine'
import type { Command, Decide } from '../ledger/commands.js'

export interface Codec {
  /** The requests in the body of a batch; undefined: leave the body to the parser and the schema. */
  readonly readBatch: (body: Buffer) => readonly GivenRequest[] | undefined
  /** A writer for the decisions of one policy. */
  readonly decisionWriter: (policy: WriterPolicy) => DecisionWriter
  /** {"results":[...]} of results that are JSON already. */
  readonly listResults: (results: readonly Uint8Array[]) => Buffer
  /** Nobody reads these records, replies or lists any more: their memory may be used again. */
  readonly release: (texts: readonly Uint8Array[]) => void
  /** Commands as a message to another thread. The next call may overwrite it. */
  readonly pack: (commands: readonly Command[]) => Packed
  readonly unpack: (packed: Packed) => readonly Command[]
}

/** A request and its JSON in UTF-8, which the log keeps as the caller sent it. */
export interface GivenRequest {
  readonly request: DecisionBody
  readonly json: Uint8Array
}

export interface WriterPolicy {
  readonly engine: Engine
  readonly state: EpochState
  readonly mode: DecisionReply['policy']['mode']
}

export type DecisionWriter = (decision: DecisionToWrite) => Pick<Decide, 'record' | 'replyAt' | 'covariates'>

export interface DecisionToWrite {
  readonly id: string
  readonly eventId: string | null
  readonly holdout: boolean
  readonly deferred: boolean
  /** Whether the ledger adds a deadline for the reward. */
  readonly windowed: boolean
  readonly given: GivenRequest
  /** Made in a caller's process. */
  readonly local?: LocalOrigin
  readonly choice: Choice
  /** Index of the chosen action. */
  readonly action: number
  /** The actions that could have been chosen; undefined: all. */
  readonly eligible: readonly string[] | undefined
  /** By action. */
  readonly propensities: Float64Array
  readonly covariates: Readonly<Record<string, CovariateReply>>
  /** In shadow mode: the action that was played instead. The learner learns from this one. */
  readonly served: { readonly action: number; readonly propensity: number } | undefined
}

/** The caller that decided, when by its clock, and by which policy. */
export interface LocalOrigin {
  readonly caller: string
  readonly decidedAt: number
  readonly decidedBy: string
}

/** What only the codec that packed it can read. */
export type Packed = { readonly commands: readonly unknown[]; readonly records?: Uint8Array }

/** A parsed request; its text is written again unless the caller's own text is given. */
export function givenRequest(request: DecisionBody, text: string = JSON.stringify(request)): GivenRequest {
  return { request, json: Buffer.from(text) }
}

type Written = Pick<Decide, 'record' | 'replyAt' | 'windowed'>

/** The complete record: with a reward window, the writer stops before the deadline, which only the ledger knows. */
export function wholeRecord({ record, windowed }: Written, rewardDeadline: number | null): Uint8Array {
  return windowed ? Buffer.concat([record, Buffer.from(`,"rewardDeadline":${rewardDeadline}}}`)]) : record
}

/** The reply inside the complete record. */
export function replyOf(written: Written, rewardDeadline: number | null): Uint8Array {
  return wholeRecord(written, rewardDeadline).subarray(written.replyAt, -1)
}
