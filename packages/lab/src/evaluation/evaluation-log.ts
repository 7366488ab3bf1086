// A decision log in memory, ready for evaluation: the rows that can be used as rounds of an engine and as columns for the
// estimators, and how many rows could not be used and why.

import { createEngine, loggedRounds, type Problem, type RoundTable } from '@primo/core'
import type { LogRow, RewardStatus } from '../log/log-columns.js'
import type { LogHeader } from '../log/log-header.js'
import { finalReward, loggedRound, problemOfLog } from '../log/logged-round.js'
import { tableError } from '../tables/table-error.js'
import type { LoggedChoices } from './logged-choices.js'

export interface EvaluationLog {
  readonly header: LogHeader
  readonly problem: Problem
  /** Row i of the choices is round i. */
  readonly rounds: RoundTable
  readonly choices: LoggedChoices
  /** Rows that are not used, by reason: a reward status, or 'no-propensity'. */
  readonly leftOut: Readonly<Partial<Record<RewardStatus | 'no-propensity', number>>>
}

export async function evaluationLog(
  header: LogHeader,
  rows: AsyncIterable<LogRow> | Iterable<LogRow>,
): Promise<EvaluationLog> {
  const problem = problemOfLog(header)
  const taken = loggedRounds(createEngine(problem))
  const index = new Map(header.actions.map((action, a) => [action, a]))
  const rewards: number[] = []
  const action: number[] = []
  const propensity: number[] = []
  const propensities: (readonly number[] | null)[] = []
  const eligible: (readonly string[] | null)[] = []
  const leftOut: Partial<Record<RewardStatus | 'no-propensity', number>> = {}
  let number = 0
  for await (const row of rows) {
    number++
    const reward = finalReward(row)
    const status = row.rewardStatus as RewardStatus
    const reason = reward === null ? (status === 'closed' ? 'dropped' : status) : noPropensity(row)
    if (reason !== null) {
      leftOut[reason] = (leftOut[reason] ?? 0) + 1
      continue
    }
    try {
      taken.add(loggedRound(header, row))
    } catch (error) {
      throw tableError('table-out-of-range', 'log', (error as Error).message, { row: number })
    }
    rewards.push(reward!)
    action.push(index.get(row.action as string)!)
    propensity.push(row.propensity as number)
    // What a shadow engine would have played is not what was played.
    propensities.push(row.mode === 'shadow' ? null : ((row.propensities ?? null) as readonly number[] | null))
    eligible.push((row.eligible ?? null) as readonly string[] | null)
  }
  if (rewards.length === 0) throw tableError('table-empty', 'log', `no row can be used of ${number}`)
  const actions = header.actions.length
  return {
    header,
    problem,
    rounds: taken.table,
    leftOut,
    choices: {
      rows: rewards.length,
      actions,
      action: Uint16Array.from(action),
      propensity: Float64Array.from(propensity),
      reward: Float64Array.from(rewards),
      rewardRange: { min: header.reward.min, max: header.reward.max },
      propensities: propensities.every((list) => list === null)
        ? null
        : Float64Array.from(
            propensities.flatMap((list) =>
              list?.length === actions ? list : Array.from({ length: actions }, () => Number.NaN),
            ),
          ),
      eligible: eligible.every((list) => list === null)
        ? null
        : Uint8Array.from(
            eligible.flatMap((list) => header.actions.map((name) => (list === null || list.includes(name) ? 1 : 0))),
          ),
    },
  }
}

function noPropensity(row: LogRow): 'no-propensity' | null {
  return typeof row.propensity === 'number' && row.propensity > 0 ? null : 'no-propensity'
}
