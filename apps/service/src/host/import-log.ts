// Rows of a decision log as commands: decisions and rewards from elsewhere, or from earlier, become part of a problem's log.
// A problem that starts this way learns from all of it at its first decision (warm start).

import type { DecisionReply, ProblemDefinition } from '@primo/contract'
import { clippedValues, loggedRounds } from '@primo/core/engine'
import { type LogHeader, type LogRow, loggedRound, problemOfLog } from '@primo/lab/log'
import type { CovariateFact, Import, Value } from '../ledger/commands.js'
import type { LearningFacts } from '../ledger/records.js'
import type { ProblemHost } from './problem-host.js'

/** The problem that a log is about, with predictions that come with each request. */
export function definitionOfLog(header: LogHeader): ProblemDefinition {
  return problemOfLog(header) as unknown as ProblemDefinition
}

/** Throws a PrimoError when a row does not fit the problem. */
export function importCommands({ row, engine }: ProblemHost, header: LogHeader, rows: readonly LogRow[]): Import[] {
  const rounds = loggedRounds(engine)
  const { covariateWidth } = engine.shape
  return rows.map((logged, index) => {
    const given = loggedRound(header, logged)
    rounds.add({ ...given, propensity: given.propensity ?? 1 })
    const block = rounds.table.block(index)
    const at = (index % block.propensity.length) * covariateWidth
    const { context, covariates = {}, predictions = {}, revealed = {} } = given
    const known = <T>(named: Readonly<Record<string, T | null | undefined>>) =>
      Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null && value !== undefined)) as Record<
        string,
        T
      >
    const learning: LearningFacts = {
      predictions: known(predictions),
      used: Array.from(block.covariates.subarray(at, at + covariateWidth)),
      action: given.action,
      propensity: given.propensity ?? 1,
      policy: 0,
    }
    const id = String(logged.decisionId)
    return {
      kind: 'import',
      problem: row.name,
      version: row.version,
      id,
      eventId: (logged.eventId as string | null | undefined) ?? null,
      request: JSON.stringify({ context, covariates }),
      learning: JSON.stringify(learning),
      reply: JSON.stringify(replyOf(header, logged)),
      row: JSON.stringify(logged),
      action: given.action,
      holdout: logged.holdout === true,
      covariates: factsOf(header, logged),
      clipped: clippedValues(engine.encoding, context, covariates),
      revealed: known(revealed) as Record<string, Value>,
      reward: given.reward,
    }
  })
}

function factsOf(header: LogHeader, logged: LogRow): Record<string, CovariateFact> {
  return Object.fromEntries(
    Object.keys(header.covariates).map((name) => {
      const observed = (logged[`covariate.${name}`] ?? null) !== null
      const source = (logged[`source.${name}`] as string | null | undefined) ?? 'imported'
      const reason = (logged[`reason.${name}`] as string | null | undefined) ?? null
      return [
        name,
        { observed, source: observed ? 'observed' : source, reason: observed ? null : reason, asked: false },
      ]
    }),
  )
}

function replyOf(header: LogHeader, logged: LogRow): DecisionReply {
  const propensities = (logged.propensities as readonly number[] | null | undefined) ?? null
  return {
    decisionId: String(logged.decisionId),
    action: String(logged.action),
    propensity: (logged.propensity as number | null | undefined) ?? 1,
    ranking: header.actions.map((action, k) => ({ action, score: null, propensity: propensities?.[k] ?? 0 })),
    covariates: {},
    policy: { version: 0, epoch: 0, gamma: 0, profile: 'imported', mode: 'active' },
    rewardDeadline: null,
  }
}
