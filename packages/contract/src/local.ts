// Deciding in the caller's process: the policy as a document, and the upload of what was decided.

import Type, { type Static } from 'typebox'
import { DecisionBody } from './decision.js'
import { byName, Mode, ProblemDefinition, WireValue } from './problem.js'
import { ProblemDetails } from './problem-details.js'
import { RewardReport } from './reward.js'

const closed = { additionalProperties: false } as const
const Id = Type.String({ minLength: 1, maxLength: 200 })

/** Name of a caller; where keys are needed it is the key's name, alone or with a suffix after a dot. */
export const CallerName = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,80}$',
  description: 'Where keys are needed: the name of the key, or that name, a dot and a suffix.',
})

/** Everything that deciding needs: a problem, its live policy and the caller's key. */
export const PolicyDocument = Type.Object({
  format: Type.Literal(2),
  problem: Type.String(),
  policy: Type.String({ description: 'Which definition and which policy: uploads name it.' }),
  version: Type.Integer({ description: 'Of the policy, as replies of the service name it.' }),
  mode: Mode,
  definition: ProblemDefinition,
  state: Type.Object({}, { additionalProperties: true, description: 'What was learnt, as the library keeps it.' }),
  caller: CallerName,
  key: Type.Array(Type.Integer(), {
    minItems: 2,
    maxItems: 2,
    description: 'Of this caller alone: all draws come from it.',
  }),
  hash: Type.String({
    description: 'Of caller, key and the hash of everything else; also the ETag.',
  }),
})
export interface PolicyDocument extends Omit<Static<typeof PolicyDocument>, 'definition' | 'key'> {
  readonly definition: ProblemDefinition
  readonly key: readonly [number, number]
}

/** A decision that was made in the caller's process. */
export const LocalDecision = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,80}~[0-9a-z]{1,20}~[0-9a-z]{1,11}$',
      description: 'Caller, run of its program and counter.',
    }),
    decidedAt: Type.Integer({ minimum: 0, description: "Milliseconds since 1970 by the caller's clock." }),
    request: DecisionBody,
    action: Type.String({ minLength: 1, maxLength: 200 }),
    propensity: Type.Number({ minimum: 0, maximum: 1 }),
    score: Type.Union([Type.Number(), Type.Null()], { description: 'Of the action; null before anything was learnt.' }),
    used: Type.Array(Type.Number(), { description: 'The covariates as they were used, inside units.' }),
    proof: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Hash of all of this and of what it came from.' }),
  },
  closed,
)
export type LocalDecision = Static<typeof LocalDecision>

/** One thing that a caller tells. */
export const UploadItem = Type.Union([
  Type.Object({ decision: LocalDecision }, closed),
  Type.Object({ reward: Type.Object({ id: Id, ...RewardReport.properties }, closed) }, closed),
  Type.Object({ reveal: Type.Object({ id: Id, covariates: byName(WireValue) }, closed) }, closed),
  Type.Object({ activate: Type.Object({ id: Id }, closed) }, closed),
  Type.Object({ void: Type.Object({ id: Id }, closed) }, closed),
])
export type UploadItem = Static<typeof UploadItem>

/** A caller's decisions, rewards and truths, in order. The service counts a repeated item once. */
export const Upload = Type.Object(
  {
    caller: CallerName,
    policy: Type.String({ maxLength: 100, description: 'The policy that made the decisions among the items.' }),
    items: Type.Array(UploadItem, { minItems: 1, maxItems: 1000 }),
  },
  closed,
)
export type Upload = Static<typeof Upload>

/** The result of an upload. */
export const UploadReply = Type.Object({
  accepted: Type.Integer({ description: 'Items that are in the log now.' }),
  repeated: Type.Integer({ description: 'Items that had been before.' }),
  refused: Type.Array(Type.Object({ item: Type.Integer({ description: 'Counted from 0.' }), error: ProblemDetails }), {
    description: 'Sending these again changes nothing.',
  }),
  policy: Type.String({ description: 'The live policy: a caller that decides by another one fetches it.' }),
})
export type UploadReply = Static<typeof UploadReply>
