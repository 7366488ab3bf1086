// The remote evaluation protocol of OpenFeature (OFREP): a problem as a flag, a decision as its evaluation.

import Type, { type Static } from 'typebox'

const Key = Type.String({ description: 'Of the flag: the name of the problem.' })

/** The evaluation context that an OpenFeature SDK sends. */
export const FlagRequest = Type.Object({
  context: Type.Optional(
    Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), Type.Unknown(), {
      description:
        'Attributes named as features and covariates of the problem are taken as these, `targetingKey` as the ' +
        'subject, `eventId` as the event id; others are ignored.',
    }),
  ),
})
export type FlagRequest = Static<typeof FlagRequest>

/** A decision as the evaluation of a flag. */
export const FlagEvaluation = Type.Object({
  key: Key,
  value: Type.Union([Type.Boolean(), Type.String(), Type.Number()], {
    description: 'The action; a boolean or a number if all actions of the problem are such.',
  }),
  variant: Type.String({ description: 'The action.' }),
  reason: Type.Union([Type.Literal('SPLIT'), Type.Literal('TARGETING_MATCH')], {
    description: 'SPLIT: drawn by its propensity; TARGETING_MATCH: no other action could have been drawn.',
  }),
  metadata: Type.Object(
    {
      decisionId: Type.String({ description: 'To report the reward under.' }),
      propensity: Type.Number(),
      policyVersion: Type.Integer(),
      mode: Type.String(),
      holdout: Type.Boolean(),
      imputed: Type.String({ description: 'Covariates that were missing, separated by commas.' }),
    },
    { description: "The SDK's flagMetadata." },
  ),
})
export type FlagEvaluation = Static<typeof FlagEvaluation>

/** Why a flag has no evaluation. */
export const FlagFailure = Type.Object({
  key: Key,
  errorCode: Type.Union(
    ['FLAG_NOT_FOUND', 'PARSE_ERROR', 'INVALID_CONTEXT', 'GENERAL'].map((code) => Type.Literal(code)),
  ),
  errorDetails: Type.String(),
})
export interface FlagFailure {
  readonly key: string
  readonly errorCode: 'FLAG_NOT_FOUND' | 'PARSE_ERROR' | 'INVALID_CONTEXT' | 'GENERAL'
  readonly errorDetails: string
}
