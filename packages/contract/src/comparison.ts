// A live problem beside its shadow baselines: other policies on the same stream, where the truth is known (the demo).

import Type, { type Static } from 'typebox'
import { KeyRole } from './keys.js'

const Count = Type.Integer({ minimum: 0 })

const ComparedEstimate = Type.Object(
  { mean: Type.Number(), low: Type.Number(), high: Type.Number() },
  { description: 'Per 1,000 decisions; the limits hold at all times at once (95%).' },
)

/** A mean with its interval. */
export type ComparedEstimate = Static<typeof ComparedEstimate>

const Point = Type.Object({ rounds: Count, value: Type.Number() })

/** A live problem beside other policies on the same stream. */
export const Comparison = Type.Object({
  problem: Type.String(),
  covariate: Type.String(),
  /** Name of a unit of reward: "right doses", "dollars". */
  unit: Type.String(),
  verb: Type.String({ description: 'What Primo does with them: gives, earns.' }),
  covariateUnit: Type.String(),
  rounds: Count,
  seconds: Type.Number({ description: 'Since this demo began to decide.' }),
  curves: Type.Array(
    Type.Object({
      policy: Type.String(),
      live: Type.Boolean({ description: 'The service itself; the others are shadow baselines.' }),
      points: Type.Array(Point, { description: 'Cumulative regret.' }),
    }),
  ),
  floor: Type.Array(Point, { description: 'Unavoidable regret: the best possible without the missing values.' }),
  errors: Type.Array(
    Type.Object({
      epoch: Count,
      rounds: Count,
      pretrained: Type.Number(),
      calibrated: Type.Number(),
    }),
    {
      description:
        'Root mean square error of the model and of what the service made of it, on missing values, by its epochs.',
    },
  ),
  best: Type.Union([Type.Number(), Type.Null()], { description: 'The error of the best possible prediction.' }),
  missingShare: Type.Number({ description: 'Of the covariate, in these rounds.' }),
  rival: Type.String({ description: 'Which rival has lost least so far, in words.' }),
  perThousand: Type.Object({
    /** The uncorrected model minus the one that sees all values. */
    cost: ComparedEstimate,
    /** The rival minus the live service; all rivals together miss with probability 5% at most. */
    live: ComparedEstimate,
    unavoidable: Type.Number(),
  }),
  /** About how many rounds a verdict needs; null: it is there, or nobody can tell yet. */
  needed: Type.Union([Count, Type.Null()]),
  /** Since when the interval of the rival minus the live service has been on one side of zero; null: it holds zero. */
  settled: Type.Union([Type.Object({ rounds: Count, seconds: Type.Union([Type.Number(), Type.Null()]) }), Type.Null()]),
  sentence: Type.String(),
})
export type Comparison = Static<typeof Comparison>

/** The comparison of every problem. */
export const Comparisons = Type.Object({ problems: Type.Array(Comparison) })
export type Comparisons = Static<typeof Comparisons>

/** Settings that the page reads before its first call. */
export const PageSettings = Type.Object({
  keys: Type.Boolean({ description: 'Whether reading needs a key.' }),
  comparison: Type.Boolean({ description: 'Whether /demo/comparison answers.' }),
  holder: Type.Union(
    [
      Type.Object({
        name: Type.String(),
        roles: Type.Array(KeyRole),
        problems: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'null: all problems' }),
      }),
      Type.Null(),
    ],
    { description: 'The key that was sent along; null: none, or one that does not count.' },
  ),
})
export type PageSettings = Static<typeof PageSettings>
