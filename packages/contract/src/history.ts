// How a problem went over time: buckets of decisions and of rewards, made from the log.

import Type, { type Static } from 'typebox'

const Count = Type.Integer({ minimum: 0 })
const Real = Type.Number()

export const HistorySums = Type.Object(
  { count: Count, sum: Real, deviation: Real },
  { description: 'For confidence sequences.' },
)

/**
 * `gained`: weight x reward. `lost`: weight x (1 - reward). `ahead`: half of the difference played minus this policy,
 * moved to begin at 0. `behind`: the same for the opposite difference.
 */
const Weighted = Type.Object({ gained: HistorySums, lost: HistorySums, ahead: HistorySums, behind: HistorySums })

export const HistoryValue = Type.Object(
  {
    /** Rewards of what was played, inside [0, 1]. */
    played: HistorySums,
    /** The fixed baseline action and uniform play, by inverse propensity. */
    baseline: Type.Union([Weighted, Type.Null()]),
    uniform: Weighted,
  },
  { description: 'All closed rounds up to the end of the bucket, in the order in which they closed.' },
)

/** Sums of what was earned so far, and of what the baseline and uniform play would have earned. */
export type HistoryValue = Static<typeof HistoryValue>

/** Counts and means of one stretch of time. */
export const HistoryBucket = Type.Object({
  time: Type.Integer({ description: 'Start, milliseconds since 1970.' }),
  decisions: Count,
  actions: Type.Record(Type.String(), Count),
  covariates: Type.Record(
    Type.String(),
    Type.Object({
      missing: Count,
      reasons: Type.Record(Type.String(), Count),
      /** Missing values whose worth of observing is known: how many, summed, and how many are above zero. */
      observing: Type.Object({ count: Count, sum: Real, positive: Count }),
    }),
  ),
  reward: Type.Object(
    { count: Count, sum: Real, squares: Real },
    { description: 'Of rounds that closed, user units.' },
  ),
  /** Of this bucket's decisions: closed so far, and given up. */
  joined: Count,
  dropped: Count,
  delay: Type.Object({
    count: Count,
    median: Type.Union([Real, Type.Null()], { description: 'Milliseconds from decision to final reward.' }),
    p95: Type.Union([Real, Type.Null()]),
  }),
  value: HistoryValue,
})
export type HistoryBucket = Static<typeof HistoryBucket>

/** How a problem went over time. */
export const History = Type.Object({
  problem: Type.String(),
  version: Type.Integer(),
  upTo: Type.Integer({ description: 'The newest record that is in it.' }),
  cursor: Type.String({ description: 'Give it as `since`, and only what changed from here on is answered.' }),
  partial: Type.Boolean({
    description: 'true: buckets that changed since the given cursor, by their time, and decisions that are new.',
  }),
  from: Type.Union([Count, Type.Null()], { description: 'Time of the first bucket: earlier ones are forgotten.' }),
  complete: Type.Boolean({ description: 'false: the log is still being read.' }),
  baseline: Type.Union([Type.String(), Type.Null()]),
  width: Type.Integer({ description: 'Of a bucket, milliseconds.' }),
  buckets: Type.Array(HistoryBucket),
  latest: Type.Array(
    Type.Object({
      decisionId: Type.String(),
      round: Count,
      time: Count,
      action: Type.String(),
      missing: Type.Array(Type.String()),
    }),
    { description: 'The newest decisions, newest first.' },
  ),
})
export type History = Static<typeof History>

/** Which part of the past is asked for. */
export const HistoryRange = Type.Union([Type.Literal('recent'), Type.Literal('day'), Type.Literal('all')])
export type HistoryRange = Static<typeof HistoryRange>
