// The plain codec: objects, JSON.stringify and the parser. It says what the fast codec must give.

import type { DecisionReply } from '@primo/contract'
import type { CovariateFact } from '../ledger/commands.js'
import type { LearningFacts } from '../ledger/records.js'
import type { Codec, DecisionToWrite, WriterPolicy } from './codec.js'

export const plainCodec: Codec = {
  readBatch: () => undefined,
  decisionWriter: (policy) => (decision) => {
    const { id, eventId, holdout, deferred, windowed, given, local } = decision
    const head = JSON.stringify({ id, eventId, holdout, deferred, ...local }).slice(0, -1)
    const learning = JSON.stringify(learningOf(policy, decision))
    const beforeReply = `${head},"request":${Buffer.from(given.json).toString()},"learning":${learning},"reply":`
    const reply = JSON.stringify(replyTo(policy, decision))
    return {
      record: Buffer.from(beforeReply + (windowed ? reply.slice(0, -1) : `${reply}}`)),
      replyAt: Buffer.byteLength(beforeReply),
      covariates: covariateFacts(decision),
    }
  },
  listResults: (results) => Buffer.from(`{"results":[${results.map((one) => Buffer.from(one).toString()).join(',')}]}`),
  release: () => undefined,
  pack: (commands) => ({ commands }),
  unpack: ({ commands }) => commands as ReturnType<Codec['unpack']>,
}

function learningOf({ engine, state }: WriterPolicy, decision: DecisionToWrite): LearningFacts {
  const { choice, action, propensities, eligible, served } = decision
  return {
    predictions: choice.encoded.predictions,
    used: [...choice.covariates],
    ...(eligible === undefined ? {} : { actions: eligible }),
    action: engine.encoding.actions[served?.action ?? action]!,
    propensity: served === undefined ? rounded(propensities[action]!) : served.propensity,
    policy: state.version,
    ...(Object.keys(choice.asked).length === 0 ? {} : { asked: choice.asked }),
  }
}

function replyTo(policy: WriterPolicy, decision: DecisionToWrite): Partial<DecisionReply> {
  const { engine, state, mode } = policy
  const { id, action, propensities, covariates, holdout, windowed } = decision
  const { version, epoch, gamma } = state
  return {
    decisionId: id,
    action: engine.encoding.actions[action]!,
    propensity: rounded(propensities[action]!),
    ranking: rankingOf(policy, decision),
    covariates: Object.fromEntries(
      Object.entries(covariates).map(([name, use]) => [
        name,
        use.status === 'observed' ? use : (roundedWithin(use) as typeof use),
      ]),
    ),
    policy: { version, epoch, gamma, profile: engine.profile, mode },
    ...(holdout ? { holdout } : {}),
    ...(windowed ? {} : { rewardDeadline: null }),
  }
}

/** Eligible actions, best first; ties by propensity, then in the order given. */
function rankingOf({ engine, state }: WriterPolicy, decision: DecisionToWrite): DecisionReply['ranking'] {
  const { choice, propensities, eligible = engine.encoding.actions } = decision
  const learnt = state.rewardModel !== null
  return eligible
    .map((action) => {
      const at = engine.encoding.actionIndex.get(action)!
      return { action, score: learnt ? choice.scores[at]! : null, propensity: propensities[at]! }
    })
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || b.propensity - a.propensity)
    .map(({ action, score, propensity }) => ({
      action,
      score: score === null ? null : rounded(score),
      propensity: rounded(propensity),
    }))
}

/** How a decision used its covariates, for the tallies of the ledger. */
export function covariateFacts({ covariates, given }: DecisionToWrite): Record<string, CovariateFact> {
  const reasons = given.request.missing ?? {}
  return Object.fromEntries(
    Object.entries(covariates).map(([name, use]) => {
      const observed = use.status === 'observed'
      const failed = use.reason !== undefined && use.reason !== reasons[name]
      return [
        name,
        {
          observed,
          source: observed ? 'observed' : use.source,
          reason: observed ? null : (reasons[name] ?? null),
          ...(failed ? { failure: briefly(use.reason!) } : {}),
          asked: use.pleaseReveal === true,
        },
      ]
    }),
  )
}

const LONGEST_REASON = 120

/** The reason without the value that was predicted, so that equal failures count as one. */
function briefly(reason: string): string {
  return reason.replace(/predicted -?\d[\d.e+-]*/g, 'predicted a value').slice(0, LONGEST_REASON)
}

/** To 15 decimals where that changes no digit that matters: from 1e-4 to 1. */
export function rounded(value: number): number {
  const size = Math.abs(value)
  if (!(size >= 1e-4 && size < 1 - 1e-15)) return value
  // Seven digits and eight more: the product with 1e15 would itself be rounded.
  const high = Math.trunc(size * 1e7)
  const low = Math.trunc((size * 1e7 - high) * 1e8 + 0.5)
  return (Math.sign(value) * (high * 1e8 + low)) / 1e15
}

function roundedWithin(value: unknown): unknown {
  if (typeof value === 'number') return rounded(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, roundedWithin(inner)]))
}
