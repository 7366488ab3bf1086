// A live problem beside its shadow baselines: other policies on the same stream, where the truth is known (the demo).

import Type, { type Static } from 'typebox'

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
  /** What one unit of reward is: "right doses", "dollars". */
  unit: Type.String(),
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
    { description: 'Root mean square error of g~ and g^ on missing values, by epoch of primo-cal.' },
  ),
  best: Type.Union([Type.Number(), Type.Null()], { description: 'The error of the best possible prediction.' }),
  perThousand: Type.Object({
    cost: ComparedEstimate,
    recovered: ComparedEstimate,
    live: ComparedEstimate,
    unavoidable: Type.Number(),
  }),
  /** Since when the interval of primo minus primo-cal has been on one side of zero; null: it holds zero. */
  settled: Type.Union([Type.Object({ rounds: Count, seconds: Type.Union([Type.Number(), Type.Null()]) }), Type.Null()]),
  sentence: Type.String(),
})
export type Comparison = Static<typeof Comparison>

/** The comparison of every problem. */
export const Comparisons = Type.Object({ problems: Type.Array(Comparison) })
export type Comparisons = Static<typeof Comparisons>

/** What the page must know before it asks for anything. */
export const PageSettings = Type.Object({
  keys: Type.Boolean({ description: 'Whether reading needs a key.' }),
  comparison: Type.Boolean({ description: 'Whether /demo/comparison answers.' }),
})
export type PageSettings = Static<typeof PageSettings>
