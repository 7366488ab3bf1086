// The life of a round's reward (ARCHITECTURE, "What the log means"): open until its reward is final, then closed (learnt
// from), dropped (its window closed without a reward) or voided (never played). While a round is open its reward column
// holds what has arrived, in the user's units; when it closes, the value in units of the mean reward's range.

import { PrimoError, show } from '@primo/numeric'
import { outOfRange, wrongType } from '../problem/feature.js'
import type { RewardSpec } from '../problem/problem.js'
import { offsetOf, RoundStatus, type RoundTable } from '../rounds/round-table.js'

/** 'duplicate': the same had been reported before, and nothing changed. */
export type RewardAnswer = 'accepted' | 'duplicate'

/** A reward in units of the mean reward's range, 0 to 1 for the mean itself. */
export function scaleReward(spec: RewardSpec, value: number): number {
  const { min, max } = spec.mean ?? spec
  // + 0: JSON has no -0, and a replayed log must give the same bits.
  return (value - min) / (max - min) + 0
}

export function checkReward(spec: RewardSpec, value: unknown, field = 'reward'): asserts value is number {
  if (typeof value !== 'number') throw wrongType(field, 'a number', value)
  if (!(value >= spec.min && value <= spec.max)) throw outOfRange(field, spec.min, spec.max, value)
}

function close(spec: RewardSpec, table: RoundTable, round: number, value: number): void {
  table.block(round).reward[offsetOf(round)] = scaleReward(spec, value)
  table.close(round)
}

/** Takes a reward for a round; throws `reward-conflict` or `round-closed` and then changes nothing. */
export function takeReward(
  spec: RewardSpec,
  table: RoundTable,
  round: number,
  id: string,
  value: number,
): RewardAnswer {
  const block = table.block(round)
  const row = offsetOf(round)
  const status = block.status[row]
  const arrivals = block.arrivals[row]!
  const { aggregate = 'first', window, learnFrom } = spec
  if (
    status === RoundStatus.voided ||
    status === RoundStatus.dropped ||
    (status === RoundStatus.closed && arrivals === 0)
  ) {
    throw closedError(id, status)
  }
  if (aggregate === 'first' && arrivals > 0) {
    const stored = block.reward[row]!
    if (stored === (status === RoundStatus.closed ? scaleReward(spec, value) : value)) return 'duplicate'
    throw new PrimoError(
      'reward-conflict',
      `the reward of round ${show(id)} must stay what was first reported, got ${value}`,
      { id, value },
    )
  }
  if (status === RoundStatus.closed) throw closedError(id, status)
  const total = aggregate === 'last' || arrivals === 0 ? value + 0 : block.reward[row]! + value
  if (aggregate === 'sum') checkReward(spec, total, 'sum of rewards')
  block.arrivals[row] = arrivals + 1
  if (window === undefined || learnFrom === 'arrival') close(spec, table, round, total)
  else block.reward[row] = total
  return 'accepted'
}

function closedError(id: string, status: number | undefined): PrimoError {
  const why = status === RoundStatus.voided ? 'was voided' : 'is closed'
  return new PrimoError('round-closed', `the round of a reward must be open, got ${show(id)} which ${why}`, { id })
}

/** Closes the window of a round that is still open: with its reward, with the default, or dropped. Returns whether it is learnt from. */
export function closeWindow(spec: RewardSpec, table: RoundTable, round: number): boolean {
  const block = table.block(round)
  const row = offsetOf(round)
  if (block.status[row] !== RoundStatus.open) return false
  const arrivals = block.arrivals[row]!
  if (arrivals > 0)
    close(spec, table, round, spec.aggregate === 'mean' ? block.reward[row]! / arrivals : block.reward[row]!)
  else if (spec.default !== undefined) close(spec, table, round, spec.default)
  else block.status[row] = RoundStatus.dropped
  return block.status[row] === RoundStatus.closed
}
