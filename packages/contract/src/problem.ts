// A problem as the service takes it: features, covariates with their pre-trained models, actions, reward, learning,
// guards. What each value means beyond its form is checked by the engine, with sentences that name field and value.

import Type, { type Static, type TSchema } from 'typebox'

const closed = { additionalProperties: false } as const

/** A name of a problem, feature or covariate. */
export const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
  description: 'a name of letters, digits, "_", "." and "-", at most 64',
})

/** A map of names; "." would let names with line breaks through unchecked. */
export function byName<T extends TSchema>(value: T, options: { readonly description?: string } = {}) {
  return Type.Record(Type.String({ pattern: '^[\\s\\S]{1,200}$' }), value, { ...closed, ...options })
}

const NumberFeature = Type.Object(
  {
    type: Type.Literal('number'),
    min: Type.Number(),
    max: Type.Number(),
    outside: Type.Optional(
      Type.Union([Type.Literal('refuse'), Type.Literal('clip')], {
        description: 'A value outside the range is refused (default), or taken as the nearer end and counted.',
      }),
    ),
  },
  closed,
)
const BooleanFeature = Type.Object({ type: Type.Literal('boolean') }, closed)
const CategoryFeature = Type.Object(
  {
    type: Type.Literal('category'),
    levels: Type.Array(Type.String(), { minItems: 1, maxItems: 1000 }),
    other: Type.Optional(Type.Boolean({ description: 'Take levels that are not declared as one level "other".' })),
  },
  closed,
)

const description = 'The value where a request gives none, as all do from before the feature was declared.'

export const ContextNumber = Type.Object(
  { ...NumberFeature.properties, default: Type.Optional(Type.Number({ description })) },
  closed,
)
export const ContextBoolean = Type.Object(
  { ...BooleanFeature.properties, default: Type.Optional(Type.Boolean({ description })) },
  closed,
)
export const ContextCategory = Type.Object(
  { ...CategoryFeature.properties, default: Type.Optional(Type.String({ description })) },
  closed,
)

/** A feature of the context: a number, a boolean or a category. */
export const FeatureDefinition = Type.Union([ContextNumber, ContextBoolean, ContextCategory])

/** A value of a feature. */
export type FeatureValueType = number | boolean | string
// One check of the type rather than one per member: requests have many of these.

/** The schema of a value of a feature. */
export const WireValue = Type.Unsafe<FeatureValueType>({ type: ['number', 'boolean', 'string'], maxLength: 1000 })
export const FeatureValueOrNull = Type.Unsafe<FeatureValueType | null>({
  type: ['number', 'boolean', 'string', 'null'],
  maxLength: 1000,
})
export const Uncertain = Type.Object(
  {
    value: Type.Optional(Type.Number()),
    sd: Type.Optional(Type.Number({ minimum: 0 })),
    quantiles: Type.Record(Type.String({ maxLength: 20 }), Type.Number(), {
      description: 'By level, such as {"0.1": 3, "0.9": 7}; in place of an sd.',
    }),
  },
  { ...closed, description: 'A number with how sure its model is ({value, sd} is the short form).' },
)

/**
 * A prediction sent with a decision: a value, alone or with its spread, probabilities by level, or one of each member.
 */
export const PredictionBody = Type.Union([
  Type.Number(),
  Type.Boolean(),
  Type.String({ maxLength: 1000 }),
  Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), Type.Number(), closed),
  Uncertain,
  Type.Object(
    {
      members: byName(
        Type.Union([
          Type.Number(),
          Type.Boolean(),
          Type.String({ maxLength: 1000 }),
          Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), Type.Number(), closed),
          Type.Null(),
        ]),
      ),
    },
    { ...closed, description: 'What members of an ensemble said; null: this one failed.' },
  ),
])

/** A pre-trained model as plain data: a function (`predict`) cannot be sent. */
export interface WireImputer {
  readonly kind: string
  readonly predict?: never
  readonly members?: Readonly<Record<string, WireImputer>>
  readonly [field: string]: unknown
}

export const Imputer = Type.Unsafe<WireImputer>(
  Type.Object(
    {
      kind: Type.String({
        maxLength: 40,
        description:
          'constant {value}, linear {intercept, coefficients}, column (the prediction comes with the request), ' +
          'table {by, rows}, trained {file} or {model} (primo train), module {file}, onnx {file, inputs}, http ' +
          '{url}, llm {url, model, prompt}, ensemble {members}',
      }),
    },
    {
      additionalProperties: true,
      description: 'The pre-trained model that predicts the covariate where it is missing.',
    },
  ),
)

const covariateFields = {
  imputer: Imputer,
  reveals: Type.Optional(
    Type.String({ maxLength: 20, description: 'How later truths come about: ignore (default), context or random.' }),
  ),
  audit: Type.Optional(
    Type.Object(
      {
        share: Type.Optional(
          Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Of the missing values, drawn at random.' }),
        ),
        budget: Type.Optional(
          Type.Number({
            exclusiveMinimum: 0,
            maximum: 1,
            description: 'In place of a share: as many on average, asked for where knowing is worth most.',
          }),
        ),
        within: Type.Optional(Type.Integer({ minimum: 0, description: 'Rounds after which a request is unanswered.' })),
      },
      { ...closed, description: 'Ask for the truth of some of the missing values: of a share, or within a budget.' },
    ),
  ),
  price: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'What finding out a missing value costs, in units of the reward: replies say ask where knowing it now is ' +
        'worth more.',
    }),
  ),
  fallback: Type.Optional(
    Type.Union([Type.Literal('constant'), Type.Literal('baseline')], {
      description:
        'Where the value is missing, its model failed and nothing is remembered: decide on a constant (default), ' +
        'or play guards.baseline.',
    }),
  ),
  reasons: Type.Optional(
    byName(Type.Union([Type.Literal('random'), Type.Literal('context')]), {
      description:
        'Why values are missing, in the order in which the causes strike: what it depends on. The observation ' +
        'model takes declared causes apart.',
    }),
  ),
}

function covariate<T extends Record<string, TSchema>>(fields: T) {
  return Type.Object({ ...fields, ...covariateFields }, closed)
}

/** A covariate that may be missing, with the model that predicts it. */
export const Covariate = Type.Union([
  covariate(NumberFeature.properties),
  covariate(BooleanFeature.properties),
  covariate(CategoryFeature.properties),
])

const Milliseconds = Type.Integer({ minimum: 1, maximum: 31_622_400_000 })

export const RewardSettings = Type.Object(
  {
    min: Type.Number(),
    max: Type.Number(),
    mean: Type.Optional(
      Type.Object({ min: Type.Number(), max: Type.Number() }, { ...closed, description: 'Range of the mean reward.' }),
    ),
    window: Type.Optional(
      Type.Object(
        { milliseconds: Milliseconds },
        { ...closed, description: 'A decision closes this long after it was made (or activated).' },
      ),
    ),
    default: Type.Optional(Type.Number({ description: 'The reward of a decision whose window closed without one.' })),
    aggregate: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('sum'), Type.Literal('mean'), Type.Literal('last')]),
    ),
    learnFrom: Type.Optional(Type.Union([Type.Literal('closing'), Type.Literal('arrival')])),
  },
  closed,
)

/** Limits on deciding: smallest propensity, holdout, baseline. */
export const Guards = Type.Object(
  {
    floor: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Smallest propensity of any action.' })),
    holdout: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 0.99,
        description: 'Share of decisions that play the baseline for comparison.',
      }),
    ),
    baseline: Type.Optional(Type.String({ description: 'The action of holdout and kill switch.' })),
    kill: Type.Optional(Type.Boolean({ description: 'Always play the baseline action.' })),
  },
  closed,
)

/** Profile and options of learning. */
export const Learning = Type.Object(
  {
    profile: Type.Optional(Type.String({ maxLength: 40, description: 'robust (default), primo-cal or primo' })),
    seed: Type.Optional(Type.Integer({ minimum: 0 })),
    maxEpochAge: Type.Optional(
      Type.Object(
        { milliseconds: Milliseconds },
        { ...closed, description: 'End an epoch after this time even when its quota is not reached.' },
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'Profile and any of its options, as the library takes them.',
  },
)

/** A second number that is reported per decision, and the limit of its mean. */
export const Guardrail = Type.Object(
  {
    min: Type.Number({ description: 'Smallest value that can be reported.' }),
    max: Type.Number({ description: 'Largest value that can be reported.' }),
    limit: Type.Union([Type.Object({ max: Type.Number() }, closed), Type.Object({ min: Type.Number() }, closed)], {
      description: 'Of the mean: after a promotion, one that is certainly beyond it rolls back.',
    }),
  },
  closed,
)
export type Guardrail = Static<typeof Guardrail>

/** A problem as the service takes it. */
export const ProblemDefinition = Type.Object(
  {
    context: byName(FeatureDefinition),
    covariates: byName(Covariate),
    actions: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 1000 }),
    labels: Type.Optional(
      byName(Type.String({ minLength: 1, maxLength: 200 }), {
        description:
          'What people read in place of an action, by action. It may change at any time; log, rewards and replies ' +
          'name the action.',
      }),
    ),
    reward: RewardSettings,
    learning: Type.Optional(Learning),
    guards: Type.Optional(Guards),
    guardrails: Type.Optional(
      byName(Guardrail, {
        description: 'Numbers that are reported with rewards (`metrics`) and watched after a promotion.',
      }),
    ),
    mode: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('shadow')])),
    activation: Type.Optional(
      Type.Union([Type.Literal('implicit'), Type.Literal('explicit')], {
        description: 'explicit: every decision must be activated before it counts.',
      }),
    ),
    activationWindow: Type.Optional(
      Type.Object(
        { milliseconds: Milliseconds },
        { ...closed, description: 'A decision not activated by then expires unlearnt. Default: one day.' },
      ),
    ),
    uploads: Type.Optional(
      Type.Object(
        {
          maxAge: Type.Optional(
            Type.Object(
              { milliseconds: Milliseconds },
              { ...closed, description: 'How long after it was replaced a policy may have decided. Default: a week.' },
            ),
          ),
        },
        { ...closed, description: "Decisions that were made in callers' processes." },
      ),
    ),
    retention: Type.Optional(
      Type.Object(
        { days: Type.Number({ exclusiveMinimum: 0, maximum: 36_600 }) },
        { ...closed, description: 'Older decisions are removed from log and learning, looked at every hour.' },
      ),
    ),
  },
  { ...closed, description: 'One problem is one learning loop.' },
)
export type ProblemDefinition = Frozen<Static<typeof ProblemDefinition>>

/** Read only at every depth: what a program declares as a constant is a definition too. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends WireImputer
    ? T
    : T extends object
      ? { readonly [Field in keyof T]: Frozen<T[Field]> }
      : T

/** Whether a problem decides and learns, only watches, or decides without learning. */
export const Mode = Type.Union([Type.Literal('active'), Type.Literal('shadow'), Type.Literal('frozen')])
export type Mode = Static<typeof Mode>

/** The change that a definition makes, or would make, to a problem. */
export const DefinitionPlan = Type.Object({
  problem: Type.String(),
  dryRun: Type.Literal(true),
  change: Type.Union(
    [
      Type.Literal('created'),
      Type.Literal('updated'),
      Type.Literal('unchanged'),
      Type.Literal('grown'),
      Type.Literal('recalibrated'),
      Type.Literal('renewed'),
      Type.Literal('refused'),
    ],
    { description: 'grown: with more values or features than before; renewed: learning begins anew.' },
  ),
  kept: Type.Array(Type.String(), { description: 'What stays of what was learnt, and how it grows.' }),
  anew: Type.Array(Type.String(), { description: 'What begins anew, or what the change is refused for.' }),
  warnings: Type.Array(Type.String(), { description: 'Imputers that failed when they were tried.' }),
})
export type DefinitionPlan = Static<typeof DefinitionPlan>

/** A problem as the service has it. */
export const ProblemInfo = Type.Object({
  problem: Type.String(),
  version: Type.Integer({ description: 'Rises when learning begins anew.' }),
  definition: ProblemDefinition,
  mode: Mode,
  created: Type.Integer({ description: 'Milliseconds since 1970.' }),
  retired: Type.Union([Type.Integer(), Type.Null()]),
  policy: Type.Object({ version: Type.Integer(), epoch: Type.Integer() }),
})
export interface ProblemInfo extends Omit<Static<typeof ProblemInfo>, 'definition'> {
  readonly definition: ProblemDefinition
}

/** A problem as it is after its definition, and what the definition did. */
export const ProblemDefined = Type.Object({
  ...ProblemInfo.properties,
  change: Type.Union(
    ['created', 'updated', 'unchanged', 'grown', 'recalibrated', 'renewed'].map((change) => Type.Literal(change)),
    {
      description:
        'created; updated: what was learnt is kept; unchanged; grown: it is kept, with more values or features ' +
        'than before; recalibrated: what was learnt is kept, and another model begins its calibration; renewed: ' +
        'learning begins anew',
    },
  ),
  warnings: Type.Array(Type.String(), { description: 'Imputers that failed when they were tried.' }),
})
export interface ProblemDefined extends ProblemInfo {
  readonly change: 'created' | 'updated' | 'unchanged' | 'grown' | 'recalibrated' | 'renewed'
  readonly warnings: readonly string[]
}

/** The reply to a PUT of a definition: the problem or, to a dry run, the change that it would make. */
export const DefinitionReply = Type.Union([ProblemDefined, DefinitionPlan])
export type DefinitionReply = ProblemDefined | DefinitionPlan

/** All problems that a key is for. */
export const ProblemList = Type.Object({ problems: Type.Array(ProblemInfo) })
export interface ProblemList {
  readonly problems: readonly ProblemInfo[]
}

/** A problem was retired or, if it had been, removed. */
export const ProblemRemoved = Type.Union([
  Type.Object({ problem: Type.String(), retired: Type.Literal(true) }),
  Type.Object({
    problem: Type.String(),
    purged: Type.Literal(true),
    erased: Type.Boolean({ description: 'Whether the files hold nothing of it; false: a long read needs it.' }),
  }),
])
export type ProblemRemoved = Static<typeof ProblemRemoved>
