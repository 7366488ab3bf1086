// The decisions of a problem as a list, newest first, filtered; and what operators did.

import Type, { type Static } from 'typebox'

const Count = Type.Integer({ minimum: 0 })
const Time = Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'Milliseconds since 1970.' })
/** Numbers of an address are text. */
const WholeNumber = (description: string) => Type.String({ pattern: '^[0-9]{1,15}$', description })

export const RewardStatus = Type.Union(
  [
    Type.Literal('open'),
    Type.Literal('closed'),
    Type.Literal('default'),
    Type.Literal('dropped'),
    Type.Literal('late'),
    Type.Literal('void'),
  ],
  { description: 'As in the decision log (docs/log-format.md).' },
)

/** Which decisions are asked for; every condition that is given must hold. */
export const DecisionFilter = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 200 })),
  missing: Type.Optional(
    Type.String({ maxLength: 200, description: 'This covariate was missing; `none`: nothing was, `any`: something.' }),
  ),
  source: Type.Optional(
    Type.String({ maxLength: 40, description: 'Where a value came from: calibrated, pretrained, caller, ...' }),
  ),
  holdout: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  status: Type.Optional(RewardStatus),
  from: Type.Optional(WholeNumber('From this time on, milliseconds since 1970.')),
  to: Type.Optional(WholeNumber('Before this time, milliseconds since 1970.')),
})
export type DecisionFilter = Static<typeof DecisionFilter>

/** A filter, and which part of the list. */
export const DecisionListQuery = Type.Object(
  {
    ...DecisionFilter.properties,
    before: Type.Optional(WholeNumber('Only rounds below this one: `next` of the part before.')),
    limit: Type.Optional(WholeNumber('How many at most, up to 500; default 100.')),
  },
  { additionalProperties: false },
)
export type DecisionListQuery = Static<typeof DecisionListQuery>

/** One decision of a list. */
export const DecisionRow = Type.Object({
  decisionId: Type.String(),
  eventId: Type.Union([Type.String(), Type.Null()]),
  round: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
  time: Time,
  action: Type.String(),
  propensity: Type.Union([Type.Number(), Type.Null()]),
  holdout: Type.Boolean(),
  policyVersion: Type.Integer(),
  sources: Type.Record(Type.String(), Type.String(), {
    description: 'By covariate, where its value came from; request: it was known.',
  }),
  missing: Type.Array(Type.String(), { description: 'Covariates whose value was not known.' }),
  status: RewardStatus,
  reward: Type.Union([Type.Number(), Type.Null()]),
})
export type DecisionRow = Static<typeof DecisionRow>

/** Decisions, newest first. */
export const DecisionList = Type.Object({
  decisions: Type.Array(DecisionRow),
  next: Type.Union([Count, Type.Null()], { description: 'Where the next part begins; null: there is none.' }),
  looked: Type.Integer({ minimum: 0, description: 'How many decisions were looked at for this part.' }),
  back: Type.Union([Time, Type.Null()], { description: 'Time of the oldest decision that was looked at.' }),
})
export type DecisionList = Static<typeof DecisionList>

/** Operations on a problem, newest first. */
export const OperationList = Type.Object({
  complete: Type.Boolean({ description: 'false: the log is still being read.' }),
  operations: Type.Array(
    Type.Object({
      time: Time,
      operation: Type.Union([
        Type.Literal('define'),
        Type.Literal('freeze'),
        Type.Literal('unfreeze'),
        Type.Literal('rollback'),
        Type.Literal('retire'),
        Type.Literal('confirm-clock'),
        Type.Literal('forget'),
        Type.Literal('candidate'),
        Type.Literal('look'),
        Type.Literal('withdraw'),
        Type.Literal('promote'),
        Type.Literal('demote'),
      ]),
      by: Type.Union([Type.String(), Type.Null()], {
        description: 'Name of the key; null: none was needed; gate: the service itself, for a candidate.',
      }),
      version: Type.Union([Type.Integer(), Type.Null()], {
        description: 'The policy of a rollback or a promotion, the version of a definition.',
      }),
      detail: Type.Optional(Type.String({ description: 'What was seen of a candidate, or why it ended.' })),
      kill: Type.Union([Type.Boolean(), Type.Null()], { description: 'Of a definition: whether the baseline plays.' }),
      begins: Type.Boolean({ description: 'Whether learning began anew.' }),
    }),
    { description: 'The newest 200.' },
  ),
})
export type OperationList = Static<typeof OperationList>
