// A candidate from its beginning to its end: set by an operator, looked at after ends of epochs, promoted or given up by the gate, rolled
// back when a guardrail is left. Every step is a record; who acts is the replica that learns, and what it says counts only for the step that
// the log waits for.

import { addEvidence, type Evidence, noEvidence } from '@primo/lab/evidence'
import type { ProblemRow } from './book.js'
import { type CandidateChanges, changedDefinition, undoing } from './candidate.js'
import { canonicalJson } from './canonical-json.js'
import { stateChecksum } from './checksums.js'
import type { Demote, Learnt, Look, Outcome, SetCandidate } from './commands.js'
import { guardrailScale } from './guardrails.js'
import type { CandidateRecord, OperationRecord, PolicyRecord, ProblemRecord, PromotionRecord } from './records.js'
import type { Settling } from './settle.js'
import { endEpoch } from './settle-epoch.js'

/** Who acts where nobody does. */
export const GATE = 'gate'

export function settleCandidate(settling: Settling, row: ProblemRow, { body, by = null }: SetCandidate): Outcome {
  const { book } = row
  const { candidate } = book
  if (body === null) {
    if (candidate !== undefined) endCandidate(settling, row, null, by)
    return { done: true }
  }
  if (candidate !== undefined) {
    const { operation: _, closed: __, by: ___, ...before } = recordAt<CandidateRecord>(settling, row, candidate.since)
    if (canonicalJson(before) === canonicalJson(body)) return { done: true }
    endCandidate(settling, row, 'another one was set', by)
  }
  const record: CandidateRecord = {
    operation: 'candidate',
    ...body,
    closed: book.closed,
    ...(by === null ? {} : { by }),
  }
  const since = settling.append(row, 'operation', null, JSON.stringify(record))
  book.candidate = {
    since,
    time: book.time,
    due: book.closed === 0 ? null : since,
    looked: 0,
    looks: 0,
    rounds: 0,
    gain: null,
  }
  delete book.verdict
  return { done: true }
}

export function endCandidate(settling: Settling, row: ProblemRow, why: string | null, by: string | null): void {
  const { book } = row
  const record: OperationRecord = {
    operation: 'withdraw',
    ...(why === null ? {} : { why }),
    ...(by === null ? {} : { by }),
  }
  settling.append(row, 'operation', null, JSON.stringify(record))
  delete book.candidate
  book.verdict = { step: 'given-up', time: book.time, why }
}

/** A change of the problem that a candidate, or what a promotion replaced, cannot follow. */
export function forgetCandidates(settling: Settling, row: ProblemRow): void {
  if (row.book.candidate !== undefined) endCandidate(settling, row, 'the problem was changed', GATE)
  delete row.book.watch
}

export function settleLook(settling: Settling, row: ProblemRow, command: Look): Outcome {
  const { book } = row
  const { candidate } = book
  if (candidate?.since !== command.since || candidate.due !== command.cut) return { stale: true }
  const { learnt } = command
  if (learnt !== null && learnt.version !== book.learnt + 1) return { stale: true }
  if (command.gain !== null) {
    const { cut, rounds, gain } = command
    const record: OperationRecord = { operation: 'look', cut, rounds, gain, by: GATE }
    settling.append(row, 'operation', null, JSON.stringify(record))
    candidate.looks++
    candidate.looked = cut
    candidate.rounds = rounds
    candidate.gain = gain
  }
  candidate.due = null
  if (command.givenUp !== null) endCandidate(settling, row, command.givenUp, GATE)
  // Someone holds the policy: nothing replaces it now.
  else if (learnt !== null && !book.frozen) promote(settling, row, learnt)
  return { done: true }
}

function promote(settling: Settling, row: ProblemRow, learnt: Learnt): void {
  const { book } = row
  const { learning, imputers } = recordAt<CandidateRecord>(settling, row, book.candidate!.since)
  const changes: CandidateChanges = {
    ...(learning === undefined ? {} : { learning }),
    ...(imputers === undefined ? {} : { imputers }),
  }
  const record: PromotionRecord = {
    operation: 'promote',
    version: learnt.version,
    policy: book.learnt,
    undo: undoing(row.definition, changes),
    by: GATE,
  }
  const since = settling.append(row, 'operation', null, JSON.stringify(record))
  delete book.candidate
  replaceLearnt(settling, row, changes, learnt, 'candidate')
  book.watch = { since, time: book.time, policy: record.policy, guardrails: {} }
  book.verdict = { step: 'promoted', time: book.time, why: null }
}

/** What was learnt before the promotion decides and learns again. */
export function settleDemote(settling: Settling, row: ProblemRow, { since, learnt, why, by = null }: Demote): Outcome {
  const { book } = row
  const { watch } = book
  if (watch?.since !== since || learnt.version !== book.learnt + 1) return { stale: true }
  const { undo, policy } = recordAt<PromotionRecord>(settling, row, since)
  const record: OperationRecord = { operation: 'demote', version: policy, why, ...(by === null ? {} : { by }) }
  settling.append(row, 'operation', null, JSON.stringify(record))
  // Its evidence was collected beside a policy that is gone.
  if (book.candidate !== undefined) endCandidate(settling, row, 'what it was compared with was rolled back', GATE)
  delete book.watch
  replaceLearnt(settling, row, undo, learnt, policy)
  book.verdict = { step: 'rolled-back', time: book.time, why }
  return { done: true }
}

/** Another definition and another state go live together; rounds stay. */
function replaceLearnt(
  settling: Settling,
  row: ProblemRow,
  changes: CandidateChanges,
  learnt: Learnt,
  from: NonNullable<PolicyRecord['from']>,
): void {
  const { book } = row
  const { version, cut, software, next } = learnt
  row.definition = changedDefinition(row.definition, changes)
  row.revision++
  const models = Object.keys(changes.imputers ?? {})
  const problem: ProblemRecord = {
    version: row.version,
    seed: row.seed,
    definition: row.definition,
    begins: false,
    ...(models.length === 0 ? {} : { models }),
    by: GATE,
  }
  settling.append(row, 'problem', null, JSON.stringify(problem))
  const policy: PolicyRecord = { version, epoch: next.epoch, cut, software, from }
  settling.append(row, 'policy', null, JSON.stringify(policy))
  settling.changes.snapshots.push({
    problem: row.id,
    version,
    problemVersion: row.version,
    epoch: next.epoch,
    cut,
    time: book.time,
    state: learnt.state,
    report: learnt.report,
    software,
    stateChecksum: stateChecksum(learnt.state),
    checksum: 0,
  })
  book.learnt = version
  book.policy = version
  book.firstPolicy = version
  book.epoch = next.epoch
  book.quota = next.quota
  book.counted = next.counted
  book.epochSince = settling.waitsFrom(row)
  // A fit that runs now began with the other state.
  if (book.ending !== null) {
    book.ending = null
    endEpoch(settling, row, 'model')
  }
}

/** Counts what was reported of a decision that was made since a promotion. */
export function countMetrics(row: ProblemRow, seq: number, metrics: Readonly<Record<string, number>>): void {
  const { watch } = row.book
  if (watch === undefined || seq < watch.since) return
  for (const [name, value] of Object.entries(metrics)) {
    const rail = row.definition.guardrails?.[name]
    if (rail === undefined) continue
    const evidence: Evidence = watch.guardrails[name] ?? noEvidence()
    watch.guardrails[name] = evidence
    addEvidence(evidence, guardrailScale(rail).inside(value))
  }
}

function recordAt<T>(settling: Settling, row: ProblemRow, seq: number): T {
  return JSON.parse(settling.body(row, seq)) as T
}
