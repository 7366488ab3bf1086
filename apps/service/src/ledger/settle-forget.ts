// Forgetting: what decisions of a subject said of it goes, that they were made stays. Contexts, covariates, predictions,
// truths and the name of the subject are taken out of the records; ids, actions, propensities and rewards stay, as do tallies
// and policies. What was still open is voided. The rounds are not learnt from any more. The record of it names no subject.

import type { ProblemRow } from './book.js'
import { type Forget, type Outcome, type Purge, refuse } from './commands.js'
import type { LogEntry } from './facts.js'
import type { DecisionRecord, ForgettingRecord, RevealRecord } from './records.js'
import type { Settling } from './settle.js'
import { close } from './settle-reward.js'

export function settleForget(settling: Settling, row: ProblemRow, { seqs, by = null }: Forget): Outcome {
  const rounds: number[] = []
  const forgotten: number[] = []
  for (const { decision, reveals } of settling.facts.recordsOf(row.id, seqs)) {
    const record = JSON.parse(decision.body) as DecisionRecord
    if (record.forgotten === true) continue
    forgotten.push(decision.seq)
    replace(settling, decision, withoutContent(record))
    for (const reveal of reveals) {
      const { id } = JSON.parse(reveal.body) as RevealRecord
      replace(settling, reveal, { id, covariates: {} } satisfies RevealRecord)
    }
    if (reveals.length > 0) settling.changes.forgottenReveals.push({ problem: row.id, decision: record.id })
    const round = settling.round(row, record.id)
    if (round === undefined || round.version !== row.version) continue
    rounds.push(round.round)
    if (round.state !== 'open' && round.state !== 'pending') continue
    close(row, round, 'void', 0)
    round.deadline = null
    settling.change(row, round)
    settling.append(row, 'void', round.round, JSON.stringify({ id: round.id }))
  }
  if (forgotten.length === 0) return { forgotten: 0 }
  const body: ForgettingRecord = { decisions: forgotten, rounds, ...(by === null ? {} : { by }) }
  settling.append(row, 'forgetting', null, JSON.stringify(body))
  return { forgotten: forgotten.length }
}

/** Removes a retired problem with everything that was recorded of it. */
export function settlePurge(settling: Settling, row: ProblemRow, { problem }: Purge): Outcome {
  if (row.retired === null) return refuse('problem-active', `problem "${problem}" must be retired before it is purged`)
  settling.changes.purged.push(row)
  return { done: true }
}

function replace(settling: Settling, entry: LogEntry, body: object): void {
  settling.changes.replaced.push({ before: entry, entry: { ...entry, body: JSON.stringify(body), checksum: 0 } })
}

function withoutContent(record: DecisionRecord): DecisionRecord {
  const { id, eventId, holdout, deferred, request, learning, reply } = record
  const { action, propensity, policy } = learning
  return {
    id,
    eventId,
    holdout,
    deferred,
    forgotten: true,
    request: { context: {}, ...(request.served === undefined ? {} : { served: request.served }) },
    learning: { predictions: {}, used: [], action, propensity, policy },
    reply: {
      decisionId: id,
      action: reply.action,
      propensity: reply.propensity,
      ranking: [],
      covariates: {},
      policy: reply.policy,
      rewardDeadline: reply.rewardDeadline,
    },
  }
}
