// A decision log in memory, ready for evaluation: the rows that can be used as rounds of an engine and as columns for the
// estimators, and how many rows could not be used and why.

import type { MissingRewards, Problem } from '@primo/core'
import {
  blockParts,
  compileRewardSeen,
  createEngine,
  diagnoseMissingRewards,
  type Engine,
  fitRewardObservation,
  loggedRounds,
  observationSettings,
  RoundStatus,
  type RoundTable,
  rewardFates,
} from '@primo/core/engine'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { GrowingColumn } from '../log/growing-column.js'
import type { LogRow, RewardStatus } from '../log/log-columns.js'
import type { LogHeader } from '../log/log-header.js'
import { finalReward, loggedRound, problemOfLog } from '../log/logged-round.js'
import { tableError } from '../tables/table-error.js'
import type { LoggedChoices } from './logged-choices.js'

/** A decision log in memory: the rows that can be used, and how many cannot and why. */
export interface EvaluationLog {
  readonly header: LogHeader
  readonly problem: Problem
  /** Row i of the choices is round i. */
  readonly rounds: RoundTable
  readonly choices: LoggedChoices
  /** Whether more than one policy made it: one that learnt, say. */
  readonly adaptive: boolean
  /** Rows that are not used, by reason: a reward status, or 'no-propensity'. */
  readonly leftOut: Readonly<Partial<Record<RewardStatus | 'no-propensity', number>>>
  /** Rewards that never came, where their rows are kept and the others stand for them. */
  readonly missingRewards?: MissingRewards
}

/** How a log is read for evaluation. */
export interface EvaluationLogOptions {
  /**
   * Rows whose reward never came: left out ('drop', default), or kept, with rewards that came counting 1 / P(one comes | context, action).
   */
  readonly missingRewards?: 'drop' | 'weight'
}

/** Reads the rows of a decision log for evaluation. */
export async function evaluationLog(
  header: LogHeader,
  rows: AsyncIterable<LogRow> | Iterable<LogRow>,
  { missingRewards = 'drop' }: EvaluationLogOptions = {},
): Promise<EvaluationLog> {
  const problem = problemOfLog(header)
  const engine = createEngine(problem)
  const taken = loggedRounds(engine)
  const index = new Map(header.actions.map((action, a) => [action, a]))
  const actions = header.actions.length
  const rewards = new GrowingColumn()
  const action = new GrowingColumn()
  const propensity = new GrowingColumn()
  const propensities = new GrowingColumn()
  const eligible = new GrowingColumn()
  let anyPropensities = false
  let anyEligible = false
  const leftOut: Partial<Record<RewardStatus | 'no-propensity', number>> = {}
  const versions = new Set<unknown>()
  let number = 0
  for await (const row of rows) {
    number++
    const reward = finalReward(row)
    const status = row.rewardStatus as RewardStatus
    const missing = reward === null ? (status === 'closed' ? 'dropped' : status) : null
    const kept = missingRewards === 'weight' && (missing === 'dropped' || missing === 'late')
    const reason = missing === null || kept ? noPropensity(row) : missing
    if (reason !== null) {
      leftOut[reason] = (leftOut[reason] ?? 0) + 1
      continue
    }
    try {
      taken.add(loggedRound(header, row))
    } catch (error) {
      throw tableError('table-out-of-range', 'log', (error as Error).message, { row: number })
    }
    versions.add(row.policyVersion ?? row.epoch ?? null)
    rewards.push(reward ?? 0)
    action.push(index.get(row.action as string)!)
    propensity.push(row.propensity as number)
    const every = (row.propensities ?? null) as readonly number[] | null
    // What a shadow engine would have played is not what was played.
    const played = row.mode !== 'shadow' && every?.length === actions ? every : null
    anyPropensities ||= played !== null
    for (let a = 0; a < actions; a++) propensities.push(played === null ? Number.NaN : played[a]!)
    const some = (row.eligible ?? null) as readonly string[] | null
    anyEligible ||= some !== null
    for (const name of header.actions) eligible.push(some === null || some.includes(name) ? 1 : 0)
  }
  const weighed = missingRewards === 'weight' ? seenWeights(taken.table, engine) : null
  if (rewards.length === 0) {
    const why = Object.entries(leftOut).map(([reason, count]) => `${reason}: ${count}`)
    const hint = leftOut['no-propensity'] === undefined ? '' : '; without propensities, add --behaviour estimate'
    throw tableError('table-empty', 'log', `no row can be used of ${number} (${why.join(', ')})${hint}`)
  }
  return {
    header,
    problem,
    rounds: taken.table,
    leftOut,
    adaptive: versions.size > 1,
    choices: {
      rows: rewards.length,
      actions,
      action: Uint16Array.from(action.values()),
      propensity: propensity.values().slice(),
      reward: rewards.values().slice(),
      rewardRange: { min: header.reward.min, max: header.reward.max },
      propensities: anyPropensities ? propensities.values().slice() : null,
      eligible: anyEligible ? Uint8Array.from(eligible.values()) : null,
      ...(weighed === null ? {} : { seen: weighed.seen }),
    },
    ...(weighed === null ? {} : { missingRewards: weighed.report }),
  }
}

/** 1 / P(the reward is seen) by row, 0 where none came; null: all came. */
function seenWeights(
  table: RoundTable,
  engine: Engine,
): { readonly seen: Float64Array; readonly report: MissingRewards } | null {
  const parts = [...blockParts(table, { from: 0, to: table.count })]
  const fates = rewardFates(parts, table.shape)
  const report = diagnoseMissingRewards(parts, engine)
  if (fates === null || report === null) return null
  const settings = observationSettings({ loss: 'likelihood' })
  const seenBy = compileRewardSeen(fitRewardObservation(fates, engine.encoding.actions.length, settings), table.shape)
  const seen = new Float64Array(table.count)
  for (const { block, start, end } of parts)
    for (let row = start; row < end; row++)
      if (block.status[row] === RoundStatus.closed) seen[block.index * BLOCK_ROUNDS + row] = 1 / seenBy(block, row)
  return { seen, report }
}

function noPropensity(row: LogRow): 'no-propensity' | null {
  return typeof row.propensity === 'number' && row.propensity > 0 ? null : 'no-propensity'
}
