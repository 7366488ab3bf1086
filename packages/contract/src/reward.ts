// Reports after a decision: rewards, late truths, activations, voids.

import Type, { type Static } from 'typebox'
import { Failure } from './decision.js'
import { byName, WireValue } from './problem.js'

const closed = { additionalProperties: false } as const
const Id = Type.String({ minLength: 1, maxLength: 200 })

/** A reward. */
export const RewardReport = Type.Object(
  {
    value: Type.Number(),
    rewardId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Makes the call idempotent.' })),
    metrics: Type.Optional(
      byName(Type.Number(), {
        description: "Values of the problem's guardrails for this decision; those of its first reward count.",
      }),
    ),
  },
  closed,
)
export type RewardReport = Static<typeof RewardReport>

/** The result of reporting a reward. */
export const RewardOutcome = Type.Union(
  ['accepted', 'duplicate', 'late', 'inactive', 'superseded'].map((answer) => Type.Literal(answer)),
  {
    description:
      'accepted; duplicate: had been reported; late: the window had closed, logged and not learnt from; inactive: ' +
      'the decision was not activated or was voided; superseded: learning began anew since',
  },
)
export type RewardOutcome = 'accepted' | 'duplicate' | 'late' | 'inactive' | 'superseded'

/** A decision and the result of reporting its reward. */
export const RewardReply = Type.Object({ decisionId: Type.String(), status: RewardOutcome })
export type RewardReply = { readonly decisionId: string; readonly status: RewardOutcome }

/** Up to 1,000 rewards in one call. */
export const RewardBatch = Type.Object(
  {
    rewards: Type.Array(Type.Object({ id: Id, ...RewardReport.properties }, closed), { minItems: 1, maxItems: 1000 }),
  },
  closed,
)
export type RewardBatch = Static<typeof RewardBatch>

/** A reply or a failure per reward, in the order of the requests. */
export const RewardBatchReply = Type.Object({ results: Type.Array(Type.Union([RewardReply, Failure])) })
export type RewardBatchReply = { readonly results: readonly (RewardReply | Static<typeof Failure>)[] }

/** True values that became known after the decision. */
export const RevealReport = Type.Object({ covariates: byName(WireValue) }, closed)
export type RevealReport = Static<typeof RevealReport>

/** A decision that is to be left out. */
export const VoidReport = Type.Object(
  {
    unseen: Type.Optional(
      Type.Boolean({
        description: 'The id is an event id whose decision may not have arrived yet: refuse it when it does.',
      }),
    ),
  },
  closed,
)
export type VoidReport = Static<typeof VoidReport>
