// Off-policy evaluation on the log of a problem.

import Type, { type Static } from 'typebox'

/** Which policies are to be evaluated on the log of a problem. */
export const EvaluationRequest = Type.Object(
  {
    policies: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      minItems: 1,
      maxItems: 20,
      description: 'fixed:ACTION, uniform, or a policy learnt from the log (primo, primo-cal, robust, ...)',
    }),
    against: Type.Optional(Type.String({ maxLength: 300, description: 'Default: logged, what was played.' })),
    estimators: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: 20 })),
    seed: Type.Optional(Type.Integer({ minimum: 0 })),
    replicates: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2000, description: 'Of the bootstrap; default 200.' }),
    ),
    rows: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 500_000, description: 'The newest decisions to look at; default 100,000.' }),
    ),
  },
  { additionalProperties: false },
)
export type EvaluationRequest = Static<typeof EvaluationRequest>
