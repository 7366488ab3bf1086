// A candidate: other learning options or models that run beside a problem's live policy. The service promotes it when
// it has been better, and rolls it back when a guardrail is left.

import Type, { type Static } from 'typebox'
import { byName, Imputer, Learning } from './problem.js'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Time = Type.Integer({ description: 'Milliseconds since 1970.' })
const Sentence = Type.Union([Type.String(), Type.Null()])

const changes = {
  learning: Type.Optional(Learning),
  imputers: Type.Optional(
    byName(Imputer, {
      description:
        'By covariate: another model. It must be plain data, so that it can be asked about rounds of the log.',
    }),
  ),
}

/** Learning options, models, or both, to try beside the live policy. */
export const CandidateBody = Type.Object(
  {
    ...changes,
    level: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.9999,
        description:
          'Of the sequence of its gain; default 0.95: one without gain is promoted with probability 0.05 at most.',
      }),
    ),
  },
  { ...closed, description: 'Fields that are absent stay as the problem has them.' },
)
export type CandidateBody = Static<typeof CandidateBody>

/** How a problem's candidate does, and what became of the last one. */
export const CandidateInfo = Type.Object({
  problem: Type.String(),
  candidate: Type.Union([
    Type.Object({
      ...changes,
      level: Type.Number(),
      since: Time,
      by: Type.Union([Type.String(), Type.Null()]),
      looks: Type.Integer({ minimum: 0, description: 'Ends of epochs at which it learnt and was judged.' }),
      rounds: Type.Integer({ minimum: 0, description: 'Decisions made since it was set that it was judged by.' }),
      gain: Type.Union([Type.Object({ low: Type.Number(), high: Type.Number() }), Type.Null()], {
        description: 'Limits, at all times, of its mean reward minus that of what was played; null: not judged yet.',
      }),
    }),
    Type.Null(),
  ]),
  promoted: Type.Union(
    [
      Type.Object({
        since: Time,
        policy: Type.Integer({ description: 'The policy before, to which a rollback returns.' }),
        guardrails: Type.Record(
          Type.String(),
          Type.Object({
            reports: Count,
            mean: Type.Union([Type.Number(), Type.Null()]),
            limit: Type.Number({ description: 'At which the service rolls back.' }),
            bound: Type.Union([Type.Number(), Type.Null()], {
              description: 'What the mean is at least (of a maximum) or at most (of a minimum), at all times.',
            }),
          }),
        ),
      }),
      Type.Null(),
    ],
    { description: 'The last promotion, while what was before it can come back.' },
  ),
  last: Type.Union(
    [
      Type.Object({
        step: Type.Union([Type.Literal('promoted'), Type.Literal('rolled-back'), Type.Literal('given-up')]),
        time: Time,
        why: Sentence,
      }),
      Type.Null(),
    ],
    { description: 'What became of the candidate before.' },
  ),
})
export type CandidateInfo = Static<typeof CandidateInfo>
