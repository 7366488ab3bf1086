// A decision after it was made: pending (not activated) -> open -> closed | dropped | void | expired. Rewards are aggregated
// while it is open; it closes with its reward, or with its reward window. Later rewards are logged, not learnt from.

import { addMoment, type ProblemRow } from './book.js'
import { type Activate, type Outcome, type Refused, type Reward, refuse, type Void } from './commands.js'
import type { RoundRow } from './facts.js'
import type { ClosingRecord, RewardRecord } from './records.js'
import type { Settling } from './settle.js'
import { countMetrics } from './settle-candidate.js'

function unknown(ref: string): Outcome {
  return refuse('unknown-decision', `no decision has the id or event id "${ref}"`)
}

export function settleReward(settling: Settling, row: ProblemRow, command: Reward): Outcome {
  const { rewardId, value } = command
  const { aggregate = 'first', window, learnFrom, min, max } = row.definition.reward
  if (!(value >= min && value <= max))
    return refuse('out-of-range', `value must be between ${min} and ${max}, got ${value}`)
  const wrong = wrongMetric(row, command.metrics)
  if (wrong !== null) return wrong
  const round = settling.round(row, command.ref)
  if (round === undefined) return unknown(command.ref)
  // The caller played something else: there is nothing to learn from, and nothing is wrong.
  if (round.round < 0) return { decisionId: round.id, status: 'inactive' }
  if (rewardId !== null) {
    const before = settling.reward(row, round.id, rewardId)
    if (before === value) return { decisionId: round.id, status: 'duplicate' }
    if (before !== undefined)
      return refuse('reward-conflict', `reward "${rewardId}" was reported before as ${before}, got ${value}`)
  }
  if (round.version !== row.version) return logged(settling, row, round, command, 'superseded')
  closeIfDue(settling, row, round)
  if (round.state === 'pending' || round.state === 'void' || round.state === 'expired')
    return logged(settling, row, round, command, 'inactive')
  if (aggregate === 'first' && round.arrivals > 0) {
    if (round.value === value) return { decisionId: round.id, status: 'duplicate' }
    return refuse('reward-conflict', `the reward of "${command.ref}" stays ${round.value}, got ${value}`)
  }
  if (round.state !== 'open') {
    row.book.tally.late++
    return logged(settling, row, round, command, 'late')
  }
  const total = aggregate === 'last' || round.arrivals === 0 ? value : round.value + value
  if (aggregate === 'sum' && !(total >= min && total <= max))
    return refuse('out-of-range', `the sum of rewards must be between ${min} and ${max}, got ${total}`)
  if (round.arrivals === 0) countMetrics(row, round.seq, command.metrics ?? {})
  round.arrivals++
  round.value = total
  settling.change(row, round)
  const closes = window === undefined || learnFrom === 'arrival'
  if (closes) close(row, round, 'closed', total)
  return logged(settling, row, round, command, 'accepted', closes ? total : undefined)
}

function logged(
  settling: Settling,
  row: ProblemRow,
  round: RoundRow,
  { value, rewardId, metrics }: Reward,
  answer: 'accepted' | 'late' | 'inactive' | 'superseded',
  closes?: number,
): Outcome {
  const body: RewardRecord = {
    id: round.id,
    value,
    ...(rewardId === null ? {} : { rewardId }),
    ...(metrics === undefined ? {} : { metrics }),
    answer,
    ...(closes === undefined ? {} : { closes }),
  }
  settling.append(row, 'reward', round.round, JSON.stringify(body))
  if (rewardId !== null) settling.keepReward(row, round.id, rewardId, value)
  return { decisionId: round.id, status: answer }
}

function wrongMetric({ definition }: ProblemRow, metrics: Reward['metrics'] = {}): Refused | null {
  const rails = definition.guardrails ?? {}
  for (const [name, value] of Object.entries(metrics)) {
    if (!Object.hasOwn(rails, name))
      return refuse('unknown-feature', `metrics must only have guardrails of the problem, got "${name}"`)
    const { min, max } = rails[name]!
    if (!(value >= min && value <= max))
      return refuse('out-of-range', `metrics.${name} must be between ${min} and ${max}, got ${value}`)
  }
  return null
}

/** Ends an open or pending round and counts it. */
export function close(
  row: ProblemRow,
  round: RoundRow,
  state: 'closed' | 'dropped' | 'void' | 'expired',
  value: number,
): void {
  const { tally } = row.book
  if (round.state === 'pending') tally.pending--
  else tally.open--
  round.state = state
  round.deadline = null
  if (state === 'dropped') tally.dropped++
  else if (state === 'void') tally.voided++
  else if (state === 'expired') tally.expired++
  if (state !== 'closed') return
  round.value = value
  row.book.closed++
  tally.closed++
  addMoment(round.holdout ? tally.holdout : tally.policy, value)
  const action = tally.actions[round.action]
  if (action !== undefined) addMoment(action.reward, value)
}

/** Closes a round whose deadline has passed: with its reward, with the default, dropped, or expired. */
export function closeIfDue(settling: Settling, row: ProblemRow, round: RoundRow): boolean {
  if (settling.held || round.deadline === null || settling.now < round.deadline) return false
  if (round.version !== row.version) return false
  if (round.state !== 'open' && round.state !== 'pending') return false
  const { aggregate, default: fallback } = row.definition.reward
  let body: ClosingRecord
  if (round.state === 'pending') body = { id: round.id, state: 'expired' }
  else if (round.arrivals > 0)
    body = { id: round.id, state: 'closed', value: aggregate === 'mean' ? round.value / round.arrivals : round.value }
  else if (fallback !== undefined) body = { id: round.id, state: 'closed', value: fallback, default: true }
  else body = { id: round.id, state: 'dropped' }
  close(row, round, body.state, body.value ?? 0)
  settling.change(row, round)
  settling.append(row, 'closing', round.round, JSON.stringify(body))
  return true
}

export function settleActivate(settling: Settling, row: ProblemRow, command: Activate): Outcome {
  const round = settling.round(row, command.ref)
  if (round === undefined || round.round < 0) return unknown(command.ref)
  if (round.version !== row.version) return { decisionId: round.id, status: 'superseded' }
  closeIfDue(settling, row, round)
  if (round.state === 'expired' || round.state === 'void')
    return refuse('round-closed', `decision "${command.ref}" can no longer be activated: it is ${round.state}`)
  if (round.state !== 'pending') return { decisionId: round.id, status: 'duplicate' }
  settling.append(row, 'activation', round.round, JSON.stringify({ id: round.id }))
  const wait = row.definition.reward.window?.milliseconds
  round.state = 'open'
  round.deadline = wait === undefined ? null : settling.waitsFrom(row) + wait
  row.book.tally.pending--
  row.book.tally.open++
  settling.change(row, round)
  return { decisionId: round.id, status: 'accepted' }
}

export function settleVoid(settling: Settling, row: ProblemRow, command: Void): Outcome {
  const round = settling.round(row, command.ref)
  if (round === undefined) {
    if (!command.unseen) return unknown(command.ref)
    const id = `unseen:${command.ref}`
    const seq = settling.append(row, 'void', null, JSON.stringify({ id, eventId: command.ref }))
    settling.add(row, {
      id,
      eventId: command.ref,
      round: -1,
      version: row.version,
      seq,
      action: '',
      holdout: false,
      state: 'void',
      arrivals: 0,
      value: 0,
      deadline: null,
      checksum: 0,
    })
    return { decisionId: id, status: 'accepted' }
  }
  if (round.state === 'void') return { decisionId: round.id, status: 'duplicate' }
  if (round.version !== row.version) return { decisionId: round.id, status: 'superseded' }
  closeIfDue(settling, row, round)
  if (round.state === 'expired') return { decisionId: round.id, status: 'duplicate' }
  if (round.state !== 'open' && round.state !== 'pending')
    return refuse('round-closed', `decision "${command.ref}" can no longer be voided: it is ${round.state}`)
  close(row, round, 'void', 0)
  settling.change(row, round)
  settling.append(row, 'void', round.round, JSON.stringify({ id: round.id }))
  return { decisionId: round.id, status: 'accepted' }
}
