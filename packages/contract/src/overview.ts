// All problems at a glance, in one answer.

import Type, { type Static } from 'typebox'
import { HistoryValue } from './history.js'
import { ProblemSummary } from './operations.js'

const Count = Type.Integer({ minimum: 0 })
const Real = Type.Union([Type.Number(), Type.Null()], { description: 'null: not known.' })

/** How a problem went, in a few points. */
export const Trend = Type.Object({
  complete: Type.Boolean({ description: 'false: the log is still being read.' }),
  points: Type.Array(
    Type.Object({
      time: Count,
      decisions: Count,
      reward: Real,
      missing: Type.Union([Type.Number(), Type.Null()], {
        description: 'Share of decisions without the covariate that lacks most often.',
      }),
    }),
    { description: 'At most 32, oldest first; stretches of time without decisions are left out.' },
  ),
  hour: Type.Object(
    { decisions: Count, reward: Real, baseline: Real, joined: Type.Union([Type.Number(), Type.Null()]) },
    {
      description:
        'The hour up to the newest record: mean reward, what the baseline would have earned (from the ' +
        'propensities), share of rewards that are back.',
    },
  ),
  value: Type.Union([HistoryValue, Type.Null()], { description: 'Of all closed rounds; null: there is none.' }),
})
export type Trend = Static<typeof Trend>

/** Every problem that the key is for: its summary and how it went. */
export const Overview = Type.Object({
  problems: Type.Array(
    Type.Object({
      problem: Type.String(),
      created: Count,
      retired: Type.Union([Count, Type.Null()]),
      summary: ProblemSummary,
      trend: Trend,
    }),
  ),
})
export type Overview = Static<typeof Overview>
