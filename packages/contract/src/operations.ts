// Bodies of operators' calls: summary, epochs, calibration, elasticity, rollback.

import Type, { type Static } from 'typebox'
import { Mode } from './problem.js'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Real = Type.Union([Type.Number(), Type.Null()])

export const Mean = Type.Object({
  closed: Count,
  mean: Real,
  standardError: Real,
})

/** The state of a problem at a glance. */
export const ProblemSummary = Type.Object({
  problem: Type.String(),
  version: Type.Integer(),
  mode: Mode,
  time: Type.Integer(),
  decisions: Count,
  open: Count,
  closed: Count,
  dropped: Count,
  voided: Count,
  expired: Count,
  lateRewards: Count,
  reward: Mean,
  groups: Type.Object({ policy: Mean, holdout: Mean }),
  actions: Type.Record(Type.String(), Type.Object({ decisions: Count, reward: Mean })),
  covariates: Type.Record(
    Type.String(),
    Type.Object({
      observed: Count,
      missing: Count,
      revealed: Count,
      missingShare: Real,
      reasons: Type.Record(Type.String(), Count),
      rungs: Type.Record(Type.String(), Count),
      failures: Type.Record(Type.String(), Count, {
        description:
          'Why the model, or a member of it, gave no value where it was missing; more than 20 reasons count as other.',
      }),
      failureShare: Real,
      model: Type.Object(
        {
          version: Type.Optional(Type.String()),
          fingerprint: Type.String(),
          since: Type.Integer({ description: 'First round of this model; its calibration began there.' }),
        },
        { description: 'The pre-trained model that predicts it now.' },
      ),
      audit: Type.Object({ asked: Count, answered: Count }),
    }),
  ),
  clipped: Type.Record(Type.String(), Count, {
    description: 'By feature: values outside its range that were taken as the nearer end.',
  }),
  uploads: Type.Object(
    {
      decisions: Count,
      missing: Count,
      callers: Type.Record(Type.String(), Type.Object({ decisions: Count, missing: Count })),
      limits: Type.Record(Type.String(), Type.Object({ low: Type.Number(), high: Type.Number() }), {
        description: 'By action, where decisions are missing: its mean reward if all of them were this action.',
      }),
    },
    {
      description:
        'Decisions of callers that decide themselves. Missing: numbers below the highest of a run that never arrived.',
    },
  ),
  learning: Type.Object({
    profile: Type.String(),
    epoch: Type.Integer(),
    policyVersion: Type.Integer(),
    learntVersion: Type.Integer(),
    gamma: Type.Number(),
    memory: Type.Union(
      [
        Type.Object({
          since: Type.Integer({
            description: 'First round that is learnt from, counted from 0; 0: the world seems the same.',
          }),
          rounds: Type.Integer({ description: 'Rounds from there to the end of the last epoch.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'Which rounds the live policy was learnt from; null: nothing was learnt, or the profile does not choose.',
      },
    ),
    quota: Type.Integer({ description: 'Rounds at which the epoch ends.' }),
    counted: Type.String({ description: 'Whether the quota counts decided or closed rounds.' }),
    fitting: Type.Boolean(),
    failures: Count,
    lastFailure: Type.Union([Type.String(), Type.Null()]),
  }),
  warnings: Type.Array(Type.String(), { description: 'What an operator should look at.' }),
})
export type ProblemSummary = Static<typeof ProblemSummary>

/** The policies of a problem so far, with their reports. */
export const Epochs = Type.Object({
  policy: Type.Integer({ description: 'The version that decides now.' }),
  epochs: Type.Array(
    Type.Object(
      {
        version: Type.Integer(),
        epoch: Type.Integer(),
        time: Type.Integer(),
        problemVersion: Type.Integer(),
        live: Type.Boolean(),
        report: Type.Unknown(),
      },
      { description: 'Newest last; report is what the end of the epoch says of itself.' },
    ),
  ),
})
export type Epochs = Static<typeof Epochs>

/** How each covariate's model is corrected now. */
export const CalibrationInfo = Type.Object({
  policy: Type.Integer(),
  covariates: Type.Record(Type.String(), Type.Unknown()),
})
export type CalibrationInfo = Static<typeof CalibrationInfo>

/** How much rewards move with the error of the covariates. */
export const ElasticityInfo = Type.Object({
  policy: Type.Integer(),
  profile: Type.String(),
  costOfMissingness: Type.Union([Type.Number(), Type.Null()], {
    description: 'Expected loss of reward per 1,000 decisions from not knowing the missing values; null: not known.',
  }),
  covariates: Type.Record(Type.String(), Type.Unknown()),
  warnings: Type.Array(Type.Unknown()),
})
export type ElasticityInfo = Static<typeof ElasticityInfo>

/** Whether the service's clock is in doubt, and why. */
export const ClockInfo = Type.Object({
  held: Type.Union(
    [
      Type.Object({
        why: Type.Union([Type.Literal('jump'), Type.Literal('start'), Type.Literal('database')]),
        offset: Type.Number({ description: 'Milliseconds that the wall clock is ahead.' }),
        lasted: Type.Number({ description: 'Milliseconds since the difference last changed.' }),
      }),
      Type.Null(),
    ],
    { description: 'Why no window closes and nothing is removed; null: the clock is not in doubt.' },
  ),
})
export type ClockInfo = Static<typeof ClockInfo>

/** The result of forgetting a subject. */
export const SubjectForgotten = Type.Object({
  problem: Type.String(),
  decisions: Type.Integer({ minimum: 0, description: 'Decisions whose content was removed.' }),
  erased: Type.Boolean({
    description: 'Whether the files hold nothing of it; false: a long read needs it, repeat the call.',
  }),
  kept: Type.String({ description: 'What stays.' }),
})
export type SubjectForgotten = Static<typeof SubjectForgotten>

/** Which policy is to decide again. */
export const Rollback = Type.Object({ version: Type.Integer({ minimum: 0 }) }, closed)
export type Rollback = Static<typeof Rollback>

/** A body without fields. */
export const Empty = Type.Object({}, closed)

/** The process runs. */
export const Liveness = Type.Object({ status: Type.Literal('ok') })
export type Liveness = Static<typeof Liveness>

/** The service can decide and write. */
export const Readiness = Type.Object({
  status: Type.Literal('ok'),
  problems: Count,
  learns: Type.Boolean({ description: 'Whether this replica is the one that learns.' }),
  damaged: Type.Optional(Type.Integer({ minimum: 1, description: 'Problems of which something stored is damaged.' })),
})
export type Readiness = Static<typeof Readiness>
