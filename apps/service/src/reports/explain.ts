// One decision, explained: what was asked and answered, what came later, and how the choice would change along the range
// of each covariate, under the policy that decided.

import type { DecisionBody, DecisionExplained } from '@primo/contract'
import type { Code } from '@primo/core'
import {
  compileSettledRanking,
  createDecider,
  type Decider,
  type Engine,
  type EpochState,
  initialState,
  Observed,
} from '@primo/core/engine'
import { seedKey } from '@primo/numeric'
import type { EpochSummary } from '../learning/follower.js'
import { learntState } from '../learning/learnt-state.js'
import { engineOf } from '../learning/problem-engine.js'
import type { ProblemRow } from '../ledger/book.js'
import type { DecisionRecord, RewardRecord } from '../ledger/records.js'
import { ServiceError } from '../ledger/service-error.js'
import type { Store, StoredDecision } from '../ledger/store.js'
import { decidedAt, rewardedAt } from './imported.js'

const POINTS = 21

export async function explain(
  store: Store,
  row: ProblemRow,
  stored: StoredDecision,
  code: readonly Code[],
): Promise<DecisionExplained> {
  const { round, entry, later, revealed } = stored
  const record = JSON.parse(entry.body) as DecisionRecord
  const { imported } = record
  if (record.forgotten === true) throw new ServiceError('subject-forgotten', `decision "${round.id}" was forgotten`)
  return {
    decisionId: round.id,
    eventId: round.eventId,
    round: round.round + 1,
    time: decidedAt(record, entry.time),
    ...(imported === undefined ? {} : { imported: { propensity: (imported.propensity as number | null) ?? null } }),
    ...(record.caller === undefined ? {} : { caller: record.caller, decidedAt: record.decidedAt! }),
    problemVersion: round.version,
    status: round.state,
    request: record.request,
    reply: record.reply,
    rewards: later
      .filter(({ kind }) => kind === 'reward')
      .map(({ time, body }) => {
        const { value, rewardId, answer } = JSON.parse(body) as RewardRecord
        return { time: rewardedAt(record) ?? time, value, ...(rewardId === undefined ? {} : { rewardId }), answer }
      }),
    reward: round.state === 'closed' ? round.value : null,
    revealed: { ...revealed },
    ...(round.version === row.version && imported === undefined
      ? await underPolicy(store, row, record, code)
      : { sweep: {} }),
  }
}

async function underPolicy(
  store: Store,
  row: ProblemRow,
  record: DecisionRecord,
  code: readonly Code[],
): Promise<Pick<DecisionExplained, 'sweep' | 'bounds'>> {
  const { policy } = record.learning
  const snapshot = policy === 0 ? undefined : await store.snapshot(row.id, row.version, policy)
  if (policy !== 0 && snapshot === undefined) return { sweep: {} }
  const engine = engineOf(row.definition, code)
  const state =
    snapshot === undefined
      ? initialState(engine.encoding.covariates.length)
      : await learntState(store, row, snapshot, engine)
  if (state === null) return { sweep: {} }
  const decider = createDecider(engine, state, seedKey(row.seed))
  const summary = snapshot === undefined ? null : (JSON.parse(snapshot.report) as EpochSummary)
  const bounds = boundsOf(engine, state, summary?.diagnosis ?? null, decider, record)
  return { sweep: sweep(engine, decider, record), ...(Object.keys(bounds).length === 0 ? {} : { bounds }) }
}

/** For the covariates that were missing: what rewards allow, and whether the best action is the same for all of it. */
function boundsOf(
  engine: Engine,
  state: EpochState,
  diagnosis: EpochSummary['diagnosis'],
  decider: Decider,
  { request, learning, id }: DecisionRecord,
): NonNullable<DecisionExplained['bounds']> {
  const allowed = engine.encoding.covariates.map(
    ({ name }) => diagnosis?.covariates.find(({ covariate }) => covariate === name)?.missingSet,
  )
  const ranked = state.columns === undefined ? compileSettledRanking(engine, state, allowed) : null
  if (ranked === null) return {}
  const { actions, predictions } = learning
  const { context, covariates = {} }: DecisionBody = request
  const asked = { context, covariates, predictions, ...(actions === undefined ? {} : { actions }) }
  const { encoded, covariates: used } = decider.decide(asked, id)
  const input = { context: encoded.context, covariates: used, observed: encoded.observed, modelSd: encoded.modelSd }
  return Object.fromEntries(
    engine.encoding.covariates.flatMap(({ name }, which) => {
      if (encoded.observed[which] === Observed.atDecision) return []
      const settled = ranked(input, 0, which, encoded.eligible)
      const { limits = null, used } = allowed[which] ?? {}
      return settled === null || limits === null ? [] : [[name, { ...limits, used: used!, settled }]]
    }),
  )
}

function sweep(engine: Engine, decider: Decider, record: DecisionRecord): DecisionExplained['sweep'] {
  const { actions, predictions } = record.learning
  const { context, covariates = {} }: DecisionBody = record.request
  return Object.fromEntries(
    engine.encoding.covariates.map(({ name }) => [
      name,
      valuesOf(engine, name).map((value) => {
        const { scores, propensities } = decider.decide(
          {
            context,
            covariates: { ...covariates, [name]: value },
            predictions,
            ...(actions === undefined ? {} : { actions }),
          },
          record.id,
        )
        const names = (actions ?? engine.encoding.actions) as readonly string[]
        const by = (values: Float64Array) =>
          Object.fromEntries(names.map((action) => [action, values[engine.encoding.actionIndex.get(action)!]!]))
        const shares = by(propensities)
        return {
          value,
          action: names.reduce((best, action) => (shares[action]! > shares[best]! ? action : best)),
          scores: by(scores),
          propensities: shares,
        }
      }),
    ]),
  )
}

function valuesOf(engine: Engine, name: string): readonly (number | string | boolean)[] {
  const { feature } = engine.encoding.covariates.find((covariate) => covariate.name === name)!
  if (feature.type === 'boolean') return [false, true]
  if (feature.type === 'category') return feature.levels
  const { min, max } = feature
  return Array.from({ length: POINTS }, (_, k) => min + ((max - min) * k) / (POINTS - 1))
}
