// A logged decision enters with its outcome: one record for the decision, one for its reward or its end without one, one
// for truths that came later. The same id or event id enters once.

import type { ProblemRow } from './book.js'
import type { Import, Outcome } from './commands.js'
import type { RoundRow } from './facts.js'
import type { ClosingRecord, RewardRecord } from './records.js'
import type { Settling } from './settle.js'
import { countDecision } from './settle-decide.js'
import { close } from './settle-reward.js'

export function settleImport(settling: Settling, row: ProblemRow, command: Import): Outcome {
  const { id, eventId, reward } = command
  if (command.version !== row.version) return { stale: true }
  if (settling.round(row, id) !== undefined || (eventId !== null && settling.roundOfEvent(row, eventId) !== undefined))
    return { decided: command.reply, duplicate: true }
  const { book } = row
  const head = JSON.stringify({ id, eventId, holdout: command.holdout, deferred: false })
  const { request, learning, reply } = command
  const body = `${head.slice(0, -1)},"request":${request},"learning":${learning},"reply":${reply},"imported":${command.row}}`
  const number = book.rounds++
  const round: RoundRow = {
    id,
    eventId,
    round: number,
    version: row.version,
    seq: settling.append(row, 'decision', number, body),
    action: command.action,
    holdout: command.holdout,
    state: 'open',
    arrivals: 0,
    value: 0,
    deadline: null,
    checksum: 0,
  }
  settling.add(row, round)
  book.tally.open++
  countDecision(row, command)
  if (reward === null) {
    close(row, round, 'dropped', 0)
    settling.append(row, 'closing', number, JSON.stringify({ id, state: 'dropped' } satisfies ClosingRecord))
  } else {
    round.arrivals = 1
    close(row, round, 'closed', reward)
    const record: RewardRecord = { id, value: reward, answer: 'accepted', closes: reward }
    settling.append(row, 'reward', number, JSON.stringify(record))
  }
  const revealed = Object.entries(command.revealed)
  if (revealed.length > 0) {
    settling.append(row, 'reveal', number, JSON.stringify({ id, covariates: command.revealed }))
    for (const [covariate, value] of revealed) {
      settling.changes.reveals.push({ problem: row.id, decision: id, covariate, value, checksum: 0 })
      const counts = book.tally.covariates[covariate]
      if (counts !== undefined) counts.revealed++
    }
  }
  return { duplicate: false, rewardDeadline: null }
}
