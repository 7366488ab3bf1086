// A decision's row as its records tell it: what the ledger did with them, told again.

import type { ProblemDefinition } from '@primo/contract'
import type { Value } from '../ledger/commands.js'
import type { LogEntry, RoundRow } from '../ledger/facts.js'
import type { ClosingRecord, DecisionRecord, RevealRecord, RewardRecord } from '../ledger/records.js'

export interface ToldRound {
  readonly round: RoundRow
  readonly revealed: Record<string, Value>
  /** Rewards that came under an id. */
  readonly rewards: { readonly rewardId: string; readonly value: number }[]
}

const ONE_DAY = 86_400_000

export function decidedRound(entry: LogEntry, version: number, definition: ProblemDefinition): ToldRound {
  const { id, eventId, holdout, deferred, learning, request, reply } = JSON.parse(entry.body) as DecisionRecord
  const { round, seq, time } = entry
  const wait = definition.activationWindow?.milliseconds ?? ONE_DAY
  return {
    round: {
      id,
      eventId,
      round: round!,
      version,
      seq,
      action: request.served?.action ?? learning.action,
      holdout,
      state: deferred ? 'pending' : 'open',
      arrivals: 0,
      value: 0,
      deadline: deferred ? time + wait : (reply.rewardDeadline ?? null),
      checksum: 0,
    },
    revealed: {},
    rewards: [],
  }
}

/** A later record of the decision. */
export function tellRound(
  { round, revealed, rewards }: ToldRound,
  entry: LogEntry,
  definition: ProblemDefinition,
): void {
  const { aggregate = 'first', window } = definition.reward
  const end = (state: RoundRow['state'], value: number | undefined) => {
    round.state = state
    round.deadline = null
    if (state === 'closed') round.value = value!
  }
  const record: unknown = JSON.parse(entry.body)
  if (entry.kind === 'activation') {
    round.state = 'open'
    round.deadline = window?.milliseconds === undefined ? null : entry.time + window.milliseconds
  } else if (entry.kind === 'reward') {
    const { rewardId, value, answer, closes } = record as RewardRecord
    if (rewardId !== undefined) rewards.push({ rewardId, value })
    if (answer !== 'accepted') return
    round.value = aggregate === 'last' || round.arrivals === 0 ? value : round.value + value
    round.arrivals++
    if (closes !== undefined) end('closed', closes)
  } else if (entry.kind === 'closing') {
    const { state, value } = record as ClosingRecord
    end(state, value)
  } else if (entry.kind === 'void') end('void', undefined)
  else if (entry.kind === 'reveal') Object.assign(revealed, (record as RevealRecord).covariates)
}
