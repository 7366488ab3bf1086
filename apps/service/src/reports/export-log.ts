// The decisions of a problem as rows of the decision log (docs/log-format.md).

import type { CovariateReply } from '@primo/contract'
import type { Feature } from '@primo/core'
import type { LogCovariate, LogHeader, LogRow } from '@primo/lab/log'
import { logHeader, modelSdColumn, predictionColumns } from '@primo/lab/log'
import type { ProblemRow } from '../ledger/book.js'
import type { DecisionRecord, LearningFacts } from '../ledger/records.js'
import type { StoredDecision } from '../ledger/store.js'
import type { DecisionTest } from './decision-filter.js'
import { rewardOutcome } from './reward-outcome.js'

/** The header of a problem's decision log. */
export function exportHeader({ name, definition, version }: ProblemRow): LogHeader {
  const { min, max, mean } = definition.reward
  const covariates = Object.entries(definition.covariates).map(
    ([covariate, { imputer: _, audit: __, price: ___, ...feature }]) => [covariate, feature as LogCovariate],
  )
  return {
    ...logHeader({
      actions: definition.actions,
      context: definition.context,
      covariates: Object.fromEntries(covariates) as Record<string, LogCovariate>,
      reward: { min, max, ...(mean === undefined ? {} : { mean }) },
    }),
    problem: name,
    problemVersion: version,
  }
}

/** Stored decisions, those that pass the test, as rows of the decision log. */
export async function* exportRows(
  row: ProblemRow,
  decisions: AsyncIterable<StoredDecision>,
  test: DecisionTest = () => true,
): AsyncGenerator<LogRow> {
  for await (const stored of decisions) {
    const record = JSON.parse(stored.entry.body) as DecisionRecord
    if (record.forgotten !== true && test(stored, record)) yield exportRow(row, stored, record)
  }
}

function exportRow(
  { definition }: ProblemRow,
  { round, entry, later, revealed }: StoredDecision,
  { request, reply, learning, holdout, imported }: DecisionRecord,
): LogRow {
  if (imported !== undefined) return imported as LogRow
  const { served } = request
  const out: Record<string, LogRow[string]> = {
    decisionId: round.id,
    eventId: round.eventId,
    subject: request.subject ?? null,
    time: entry.time,
    round: round.round + 1,
    epoch: reply.policy.epoch,
    policyVersion: reply.policy.version,
    mode: reply.policy.mode,
    holdout,
    action: learning.action,
    propensity: served === undefined ? learning.propensity : (served.propensity ?? null),
    propensities: definition.actions.map(
      (action) => reply.ranking.find((ranked) => ranked.action === action)?.propensity ?? 0,
    ),
    eligible: learning.actions === undefined ? null : [...learning.actions],
    ...rewardOutcome({ round, later }, definition.reward.aggregate),
  }
  for (const [name, feature] of Object.entries(definition.context))
    out[`context.${name}`] = request.context[name] ?? feature.default!
  for (const [name, feature] of Object.entries(definition.covariates)) {
    const use = reply.covariates[name]
    const value = request.covariates?.[name] ?? null
    out[`covariate.${name}`] = value
    out[`revealed.${name}`] = revealed[name] ?? null
    out[`observedAt.${name}`] = value !== null ? 'decision' : name in revealed ? 'later' : null
    if (use === undefined) continue
    out[`status.${name}`] = use.status
    out[`source.${name}`] = use.source
    out[`version.${name}`] = use.version ?? null
    out[`reason.${name}`] = use.reason ?? null
    // With a budget the probability is known of those that were asked for.
    out[`auditProbability.${name}`] = feature.audit?.share ?? learning.asked?.[name] ?? null
    spread(out, 'pretrained', name, feature as unknown as Feature, use.pretrained)
    // The reply of an ensemble may give the sd of one member, which is not the sd of the combination.
    if (feature.type === 'number' && use.pretrained !== undefined && !isMembers(learning.predictions[name]))
      out[modelSdColumn(name)] = use.modelSd ?? null
    if (use.status !== 'observed') spread(out, 'imputed', name, feature as unknown as Feature, use.value)
  }
  return out
}

function isMembers(said: LearningFacts['predictions'][string] | undefined): boolean {
  return typeof said === 'object' && said !== null && 'members' in said
}

function spread(
  out: Record<string, LogRow[string]>,
  group: 'pretrained' | 'imputed',
  name: string,
  feature: Feature,
  value: CovariateReply['value'] | undefined,
): void {
  if (value === undefined) return
  const columns = predictionColumns(group, name, feature)
  if (typeof value === 'number') out[columns[0]!] = value
  else for (const column of columns) out[column] = value[column.slice(`${group}.${name}=`.length)] ?? 0
}
