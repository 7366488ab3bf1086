// Off-policy evaluation on the log of a problem.

import Type, { type Static } from 'typebox'

const Time = (what: string) =>
  Type.Integer({ minimum: 0, maximum: 8.64e15, description: `${what}, milliseconds since 1970.` })

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
    from: Type.Optional(Time('Only decisions from this time on')),
    to: Type.Optional(Time('Only decisions before this time')),
  },
  { additionalProperties: false },
)
export type EvaluationRequest = Static<typeof EvaluationRequest>

const Real = Type.Number()
export const EvaluationInterval = Type.Object({ low: Real, high: Real })
const Interval = Type.Union([EvaluationInterval, Type.Null()], {
  description: 'null: the terms do not show the error.',
})
export const ValueEstimate = Type.Object({
  value: Real,
  standardError: Real,
  asymptotic: Interval,
  degrees: Type.Number({ description: "Of Student's t." }),
})
export const EvaluationWarning = Type.Object({ code: Type.String(), sentence: Type.String() })

export const PolicyEvaluation = Type.Object({
  policy: Type.String(),
  rows: Type.Integer(),
  level: Real,
  estimates: Type.Array(
    Type.Object({
      ...ValueEstimate.properties,
      estimator: Type.String(),
      bootstrap: Interval,
      bernstein: Interval,
      threshold: Type.Optional(Real),
    }),
  ),
  weights: Type.Object({
    mean: Real,
    standardError: Real,
    largest: Real,
    largestShare: Real,
    effectiveRows: Real,
  }),
  support: Type.Object({
    unsupportedShare: Real,
    method: Type.Union([Type.Literal('propensities'), Type.Literal('counts')]),
  }),
  propensities: Type.Object({
    method: Type.Union([Type.Literal('counts'), Type.Literal('inverse')]),
    actions: Type.Array(
      Type.Object({
        action: Type.Integer({ description: 'Its place among `actions`.' }),
        played: Real,
        expected: Type.Union([Real, Type.Null()], { description: 'null: not every propensity is known.' }),
        z: Type.Union([Real, Type.Null()]),
      }),
    ),
    pValue: Type.Union([Real, Type.Null()]),
  }),
  warnings: Type.Array(EvaluationWarning),
})

export const ValueOfObserving = Type.Object({
  policy: Type.String(),
  observedShare: Real,
  now: ValueEstimate,
  always: Type.Object({ ips: ValueEstimate, dr: ValueEstimate }),
  gain: Type.Object({ value: Real, standardError: Real, asymptotic: Interval }),
  unsupported: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no interval.' }),
  gainAt: Type.Array(Type.Object({ share: Real, gain: Real })),
  overlap: Type.Object({ smallest: Real, effectiveRows: Real }),
})

const AnytimeLimits = {
  anytime: Type.Object(EvaluationInterval.properties, { description: 'Limits that hold however often one looks.' }),
  atEnd: Type.Object(ValueEstimate.properties, { description: 'Looked at once, whatever the logging policy learnt.' }),
}

/** Values and differences on a log of a learning policy. */
export const AnytimeEvaluation = Type.Object({
  level: Real,
  rows: Type.Integer(),
  policies: Type.Array(Type.Object({ policy: Type.String(), ...AnytimeLimits })),
  differences: Type.Array(Type.Object({ policy: Type.String(), against: Type.String(), ...AnytimeLimits })),
  mayBeBest: Type.Array(Type.String(), { description: 'Policies that may still be best.' }),
  decidedAfter: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Rows after which one policy was left; null: there are still several.',
  }),
})

/** Estimates from the log of what policies would have earned (docs/evaluation.md). */
export const Evaluation = Type.Object({
  kind: Type.Literal('evaluation'),
  rows: Type.Integer({ description: 'Decisions of the log that count.' }),
  leftOut: Type.Record(Type.String(), Type.Integer(), { description: 'Decisions that do not, by why.' }),
  actions: Type.Array(Type.String()),
  seed: Type.Integer(),
  folds: Type.Integer(),
  level: Real,
  logged: ValueEstimate,
  policies: Type.Array(PolicyEvaluation),
  against: Type.String(),
  differences: Type.Array(
    Type.Object({
      policy: Type.String(),
      against: Type.String(),
      estimator: Type.String(),
      difference: Real,
      standardError: Real,
      asymptotic: Interval,
    }),
  ),
  observing: Type.Array(ValueOfObserving),
  anytime: Type.Union([AnytimeEvaluation, Type.Null()], {
    description: 'Limits that hold at all times; null: one policy made the log.',
  }),
  warnings: Type.Array(EvaluationWarning),
})
export type Evaluation = Static<typeof Evaluation>
