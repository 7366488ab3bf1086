// A decision enters the log. An event id makes it idempotent: the same body gets the stored reply, another body 409. The
// epoch ends before the first decision after its quota (ARCHITECTURE, "What the log means").

import { countUpload, noUploadGaps } from '@primo/core/ledger'
import { wholeRecord } from '../codec/codec.js'
import { countName, newActionTally, type ProblemRow } from './book.js'
import { canonicalJson } from './canonical-json.js'
import { type Decide, type Outcome, refuse } from './commands.js'
import { bodyText, type RoundRow } from './facts.js'
import type { DecisionRecord } from './records.js'
import type { Settling } from './settle.js'
import { endEpochIfDue } from './settle-epoch.js'

const ONE_DAY = 86_400_000

/** One object for all: a message to another thread holds it once. */
const WITHOUT_DEADLINE: Outcome = Object.freeze({ duplicate: false, rewardDeadline: null })

export function settleDecide(settling: Settling, row: ProblemRow, command: Decide): Outcome {
  const { eventId } = command
  if (command.uploaded === true) {
    const before = settling.round(row, command.id)
    if (before !== undefined) return uploadedBefore(settling, row, before, command)
  }
  if (eventId !== null) {
    const before = settling.round(row, eventId)
    // Rewards name decisions by either: one name must not mean two.
    if (before?.eventId === eventId && command.uploaded !== true) return repeated(settling, row, before, command)
    // What a caller has played stays played: it cannot be given the answer of the other decision.
    if (before?.eventId === eventId)
      return refuse('event-conflict', `event id "${eventId}" was decided before, as "${before.id}"`)
    if (before !== undefined) return refuse('event-conflict', `event id "${eventId}" is the id of another decision`)
  }
  if (command.revision !== row.revision) return { stale: true }
  endEpochIfDue(settling, row)
  const { book, definition } = row
  const { tally } = book
  const { deferred } = command
  const wait = deferred
    ? (definition.activationWindow?.milliseconds ?? ONE_DAY)
    : (definition.reward.window?.milliseconds ?? null)
  const deadline = wait === null ? null : settling.waitsFrom(row) + wait
  const rewardDeadline = deferred ? null : deadline
  const round = book.rounds++
  const seq = settling.append(row, 'decision', round, wholeRecord(command, rewardDeadline))
  settling.add(row, {
    id: command.id,
    eventId,
    round,
    version: row.version,
    seq,
    action: command.action,
    holdout: command.holdout,
    state: deferred ? 'pending' : 'open',
    arrivals: 0,
    value: 0,
    deadline,
    checksum: 0,
  })
  if (deferred) tally.pending++
  else tally.open++
  countDecision(row, command)
  if (command.uploaded === true) {
    // Runs that began before uploads were counted may be under way.
    book.uploads ??= noUploadGaps(book.tally.decisions > 1 ? settling.now.toString(36) : '')
    countUpload(book.uploads, command.id)
  }
  return rewardDeadline === null ? WITHOUT_DEADLINE : { duplicate: false, rewardDeadline }
}

function uploadedBefore(settling: Settling, row: ProblemRow, before: RoundRow, command: Decide): Outcome {
  if (before.id === command.id && before.round >= 0) {
    const stored = JSON.parse(settling.body(row, before.seq)) as DecisionRecord
    const given = JSON.parse(bodyText(wholeRecord(command, null))) as DecisionRecord
    if (stored.forgotten === true) return { decided: '', duplicate: true }
    if (canonicalJson(stored.request) === canonicalJson(given.request)) return { decided: '', duplicate: true }
  }
  return refuse('event-conflict', `decision "${command.id}" was uploaded before with another body`)
}

function repeated(settling: Settling, row: ProblemRow, before: RoundRow, command: Decide): Outcome {
  if (before.round >= 0) {
    const stored = JSON.parse(settling.body(row, before.seq)) as DecisionRecord
    const given = JSON.parse(bodyText(wholeRecord(command, null))) as DecisionRecord
    if (stored.forgotten === true)
      return refuse('subject-forgotten', `the decision of event "${command.eventId}" was forgotten`)
    if (canonicalJson(stored.request) === canonicalJson(given.request))
      return { decided: JSON.stringify(stored.reply), duplicate: true }
  }
  // Decided again by the changed problem, it may be refused for another reason, which comes first.
  if (command.revision !== row.revision) return { stale: true }
  return before.round < 0
    ? refuse('event-voided', `the decision of event "${command.eventId}" was voided before it arrived`)
    : refuse('event-conflict', `event "${command.eventId}" was decided before with another body`)
}

/** Counts the action and the covariates of a decision. */
export function countDecision(row: ProblemRow, decided: Pick<Decide, 'action' | 'covariates' | 'clipped'>): void {
  const { tally } = row.book
  tally.decisions++
  const action = tally.actions[decided.action] ?? newActionTally()
  tally.actions[decided.action] = action
  action.decisions++
  for (const [name, fact] of Object.entries(decided.covariates)) {
    const counts = tally.covariates[name]
    if (counts === undefined) continue
    if (fact.observed) counts.observed++
    else counts.missing++
    countName(counts.rungs, fact.source)
    if (fact.reason !== null) countName(counts.reasons, fact.reason)
    if (fact.failure !== undefined) {
      counts.failures ??= {}
      countName(counts.failures, fact.failure)
    }
    if (fact.asked) counts.asked++
  }
  for (const name of decided.clipped) {
    tally.clipped ??= {}
    tally.clipped[name] = (tally.clipped[name] ?? 0) + 1
  }
}
