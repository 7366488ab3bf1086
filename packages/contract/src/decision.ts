// A decision: what is asked, what is answered, what can be said of it later.

import Type, { type Static } from 'typebox'
import { byName, FeatureValueOrNull, Mode, PredictionBody, WireValue } from './problem.js'
import { ProblemDetails } from './problem-details.js'

const closed = { additionalProperties: false } as const
const Names = Type.String({ minLength: 1, maxLength: 200 })

/** The caller's id of an event, which makes the call idempotent. */
export const EventId = Type.String({ minLength: 1, maxLength: 200, description: 'Makes the call idempotent.' })

/** A request: the context, and the known covariates. */
export const DecisionBody = Type.Object(
  {
    eventId: Type.Optional(EventId),
    subject: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Whom the decision is about: not learnt from; DELETE .../subjects/{subject} forgets what was said of them.',
      }),
    ),
    context: byName(WireValue),
    covariates: Type.Optional(byName(FeatureValueOrNull, { description: 'null or absent: missing.' })),
    predictions: Type.Optional(
      byName(Type.Union([PredictionBody, Type.Null()]), {
        description: 'Predictions of covariates made by the caller; null: the model failed.',
      }),
    ),
    missing: Type.Optional(byName(Type.String({ maxLength: 100 }), { description: 'Why a covariate is missing.' })),
    actions: Type.Optional(Type.Array(Names, { minItems: 1, maxItems: 1000, description: 'The eligible actions.' })),
    excluded: Type.Optional(Type.Array(Names, { maxItems: 1000, description: 'Actions that are not eligible now.' })),
    deferActivation: Type.Optional(Type.Boolean({ description: 'The decision counts only once it is activated.' })),
    served: Type.Optional(
      Type.Object(
        { action: Names, propensity: Type.Optional(Type.Number({ minimum: 1e-9, maximum: 1 })) },
        { ...closed, description: 'Mode shadow: the action that the caller played.' },
      ),
    ),
  },
  closed,
)
export type DecisionBody = Static<typeof DecisionBody>

/** How much of the reply to a decision is asked for. */
export const DecisionQuery = Type.Object(
  {
    ranking: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,3})$',
        description:
          'How many actions `ranking` has in the reply, best first; 0: none; default: all. The log keeps all.',
      }),
    ),
  },
  closed,
)
export type DecisionQuery = Static<typeof DecisionQuery>

const CovariateValue = Type.Union([Type.Number(), Type.Record(Type.String(), Type.Number())])

/** Which value of a covariate was used, and where it came from. */
export const CovariateReply = Type.Object({
  status: Type.Union([Type.Literal('observed'), Type.Literal('imputed'), Type.Literal('fallback')]),
  reason: Type.Optional(Type.String()),
  value: CovariateValue,
  pretrained: Type.Optional(CovariateValue),
  sd: Type.Optional(Type.Number()),
  source: Type.String({
    description:
      'request, or where the imputed value came from: calibrated, pretrained, caller (the prediction came with ' +
      'the request), cache (an older answer stands in for a model that fails), constant or baseline (the baseline ' +
      'action was played)',
  }),
  version: Type.Optional(
    Type.String({ description: 'Of the pre-trained model; caller: the prediction came with the request.' }),
  ),
  fingerprint: Type.Optional(
    Type.String({ description: 'Of the pre-trained model: its data, or definition and file.' }),
  ),
  modelSd: Type.Optional(Type.Number({ description: 'The standard deviation that the pre-trained model gave.' })),
  pleaseReveal: Type.Optional(Type.Boolean({ description: 'An audit asks for the truth.' })),
  revealProbability: Type.Optional(Type.Number({ description: 'With which the audit asks.' })),
  valueOfObserving: Type.Optional(Type.Number({ description: 'Expected gain from knowing the value now.' })),
  ask: Type.Optional(Type.Boolean({ description: 'Knowing the value now is worth more than its price.' })),
})
export type CovariateReply = Static<typeof CovariateReply>

/** A reply: the action, and the propensity of every action. */
export const DecisionReply = Type.Object({
  decisionId: Type.String(),
  action: Type.String({ description: 'The action to play (mode shadow: the one that would have been played).' }),
  propensity: Type.Number({ description: 'Of the whole procedure: floor, holdout and mixture included.' }),
  ranking: Type.Array(
    Type.Object({
      action: Type.String(),
      score: Type.Union([Type.Number(), Type.Null()], { description: 'null before anything was learnt' }),
      propensity: Type.Number(),
    }),
    { description: 'All eligible actions, best score first; fewer if the call says so.' },
  ),
  covariates: Type.Record(Type.String(), CovariateReply),
  policy: Type.Object({
    version: Type.Integer(),
    epoch: Type.Integer(),
    gamma: Type.Number(),
    profile: Type.String(),
    mode: Mode,
  }),
  holdout: Type.Optional(Type.Boolean()),
  rewardDeadline: Type.Union([Type.Integer(), Type.Null()], { description: 'Milliseconds since 1970.' }),
})
export type DecisionReply = Static<typeof DecisionReply>

/** An item of a batch that failed. */
export const Failure = Type.Object({ error: ProblemDetails })

/** Up to 1,000 decisions in one call. */
export const DecisionBatch = Type.Object(
  { decisions: Type.Array(DecisionBody, { minItems: 1, maxItems: 1000 }) },
  closed,
)

/** A reply or a failure per decision, in the order of the requests. */
export const DecisionBatchReply = Type.Object({
  results: Type.Array(Type.Union([DecisionReply, Failure]), { description: 'In the order of the requests.' }),
})
export type DecisionBatch = Static<typeof DecisionBatch>
export type DecisionBatchReply = Static<typeof DecisionBatchReply>

/** All that can be said of a decision later. */
export const DecisionExplained = Type.Object({
  decisionId: Type.String(),
  eventId: Type.Union([Type.String(), Type.Null()]),
  round: Type.Integer({ description: 'Counted from 1.' }),
  time: Type.Integer(),
  caller: Type.Optional(Type.String({ description: 'Made in the process of this caller, and uploaded.' })),
  decidedAt: Type.Optional(Type.Integer({ description: "When, by the caller's clock." })),
  imported: Type.Optional(
    Type.Object(
      { propensity: Type.Union([Type.Number(), Type.Null()]) },
      { description: 'Another system made it; the propensity is that of its log.' },
    ),
  ),
  problemVersion: Type.Integer(),
  status: Type.String(),
  request: DecisionBody,
  reply: DecisionReply,
  rewards: Type.Array(
    Type.Object({
      time: Type.Integer(),
      value: Type.Number(),
      rewardId: Type.Optional(Type.String()),
      answer: Type.String(),
    }),
  ),
  reward: Type.Union([Type.Number(), Type.Null()], { description: 'The final one.' }),
  revealed: Type.Record(Type.String(), WireValue),
  sweep: Type.Record(
    Type.String(),
    Type.Array(
      Type.Object({
        value: Type.Union([Type.Number(), Type.String(), Type.Boolean()]),
        action: Type.String(),
        scores: Type.Record(Type.String(), Type.Number()),
        propensities: Type.Record(Type.String(), Type.Number()),
      }),
    ),
    { description: 'How the choice would change along the range of each covariate.' },
  ),
  bounds: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        lower: Type.Number({ description: 'Of its mean where it is missing, whatever made it missing: 95% limits.' }),
        upper: Type.Number(),
        used: Type.Number({ description: 'The mean of what stood in for it.' }),
        settled: Type.Boolean({ description: 'The best-scored action is the same for all that the limits allow.' }),
      }),
      { description: 'What rewards say of the covariates that were missing.' },
    ),
  ),
})
export type DecisionExplained = Static<typeof DecisionExplained>
