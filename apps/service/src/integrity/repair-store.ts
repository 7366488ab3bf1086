// What is whole of a store, taken into a new one: records as they are, the rows of decisions told again from them, policies that
// have their checksum. A decision without its record goes with all that belongs to it. A record says that there was a repair.

import type { ProblemRow } from '../ledger/book.js'
import { type Changes, type LogEntry, noChanges, type SnapshotRow } from '../ledger/facts.js'
import type { RawStore } from '../ledger/raw-store.js'
import type { OperationRecord, ProblemRecord } from '../ledger/records.js'
import { type Damage, wholeProblem } from '../ledger/store-damaged.js'
import { noSums } from '../ledger/sums.js'
import type { Restore } from '../store/open-restore.js'
import { decidedRound, type ToldRound, tellRound } from './round-of-records.js'

/** What a repair took, and what it left. */
export interface Repaired {
  readonly problems: number
  readonly records: number
  readonly decisions: number
  readonly policies: number
  /** What was not taken. */
  readonly left: readonly Damage[]
}

/** A problem on its way into the new store. */
interface Taking {
  readonly row: ProblemRow
  /** The newest record that the old store had. */
  readonly end: number
  version: number
  definition: ProblemRow['definition']
  seq: number
  records: LogEntry[]
  readonly rounds: Map<string, ToldRound>
  readonly policies: SnapshotRow[]
  lost: number
}

const PAGE = 1000

/** Takes what is whole of a store into a new one. */
export async function repairStore(source: RawStore, target: Restore): Promise<Repaired> {
  const left: Damage[] = []
  const problems = await takeProblems(source, left)
  let records = 0
  for await (const stored of source.rows('log')) {
    if ('unreadable' in stored) {
      left.push({ problem: null, detail: stored.unreadable })
      continue
    }
    const taking = problems.get(stored.problem)
    if (taking === undefined) continue
    if (!takeRecord(taking, stored.row, stored.whole)) {
      taking.lost++
      left.push({ problem: taking.row.name, detail: `${stored.name}${stored.whole ? ': its decision is gone' : ''}` })
      continue
    }
    records++
    if (taking.records.length >= PAGE) await flush(target, taking)
  }
  for await (const stored of source.rows('snapshots')) {
    if ('unreadable' in stored) left.push({ problem: null, detail: stored.unreadable })
    else if (stored.whole) problems.get(stored.problem)?.policies.push(stored.row)
    else left.push({ problem: problems.get(stored.problem)?.row.name ?? null, detail: stored.name })
  }
  let decisions = 0
  let policies = 0
  for (const taking of problems.values()) {
    decisions += taking.rounds.size
    policies += taking.policies.length
    await finish(target, taking, left)
  }
  return { problems: problems.size, records, decisions, policies, left }
}

async function takeProblems(source: RawStore, left: Damage[]): Promise<Map<number, Taking>> {
  const problems = new Map<number, Taking>()
  for await (const stored of source.problems()) {
    if ('unreadable' in stored) left.push({ problem: null, detail: stored.unreadable })
    else if (!stored.whole)
      left.push({ problem: stored.row.name, detail: `${stored.name}: nothing of this problem is taken` })
    else {
      const { sums, ...whole } = wholeProblem(stored.row)
      const row: ProblemRow = { ...whole, id: 0, sums: noSums(), checksum: 0 }
      const last = source.acknowledged().get(stored.problem)
      const cut = last !== undefined && last.writes > sums.writes
      if (cut)
        left.push({
          problem: row.name,
          detail: `records after ${row.book.seq}, which were acknowledged up to ${last.seq}`,
        })
      const begun = { version: 0, definition: row.definition, seq: 0, records: [], lost: cut ? 1 : 0 }
      problems.set(stored.problem, { row, end: row.book.seq, ...begun, rounds: new Map(), policies: [] })
    }
  }
  return problems
}

/** false: it is damaged, or belongs to a decision that is. */
function takeRecord(taking: Taking, entry: LogEntry, whole: boolean): boolean {
  if (!whole) return false
  if (entry.kind === 'problem') {
    const { version, definition } = JSON.parse(entry.body) as ProblemRecord
    taking.version = version
    taking.definition = definition
  } else if (entry.kind === 'decision') {
    const told = decidedRound(entry, taking.version, taking.definition)
    taking.rounds.set(told.round.id, told)
  } else if (entry.round !== null) {
    const told = taking.rounds.get((JSON.parse(entry.body) as { id: string }).id)
    if (told === undefined) return false
    tellRound(told, entry, taking.definition)
  } else if (entry.kind === 'operation') {
    // A confirmed clock took the deadlines along.
    const { offset = 0 } = JSON.parse(entry.body) as OperationRecord
    for (const { round } of taking.rounds.values()) if (round.deadline !== null) round.deadline += offset
  } else if (entry.kind === 'void') {
    const { id, eventId } = JSON.parse(entry.body) as { id: string; eventId: string }
    const told = { id, eventId, round: -1, version: taking.version, seq: entry.seq, action: '', holdout: false }
    const round = { ...told, state: 'void' as const, arrivals: 0, value: 0, deadline: null, checksum: 0 }
    taking.rounds.set(id, { round, revealed: {}, rewards: [] })
  }
  if (taking.row.book.kept === 0) taking.lost += entry.seq - taking.seq - 1
  taking.seq = entry.seq
  taking.records.push(entry)
  return true
}

/** Changes to a problem that is new the first time. */
function changesTo({ row }: Taking): Changes {
  const changes = noChanges()
  if (row.id === 0) changes.created.push(row)
  changes.problems.set(row.name, row)
  return changes
}

async function flush(target: Restore, taking: Taking): Promise<void> {
  const changes = changesTo(taking)
  changes.log.push(...taking.records.map((entry) => ({ ...entry, problem: taking.row.id, checksum: 0 })))
  taking.records = []
  await target.write(changes)
}

async function finish(target: Restore, taking: Taking, left: Damage[]): Promise<void> {
  const { row, rounds, policies, end } = taking
  const { book } = row
  const newest = policies.filter((one) => one.problemVersion === row.version).map(({ version }) => version)
  const has = (version: number) => version === 0 || newest.includes(version)
  if (taking.seq < end) taking.lost += end - taking.seq
  if (!has(book.learnt) || !has(book.policy)) {
    taking.lost++
    book.learnt = has(book.learnt) ? book.learnt : Math.max(0, ...newest)
    book.policy = has(book.policy) ? book.policy : book.learnt
    left.push({ problem: row.name, detail: `decides with policy ${book.policy} from here on` })
  }
  if (taking.lost > 0) {
    book.seq = end + 1
    book.repaired = book.seq
    row.revision++
    const body = JSON.stringify({ operation: 'repair' })
    taking.records.push({ problem: 0, seq: book.seq, time: book.time, kind: 'operation', round: null, body })
  }
  await flush(target, taking)
  const all = [...rounds.values()]
  for (let at = 0; at === 0 || at < all.length; at += PAGE) {
    const changes = changesTo(taking)
    for (const { round, rewards, revealed } of all.slice(at, at + PAGE)) {
      if (round.version !== row.version) round.deadline = null
      changes.newRounds.push(round)
      changes.roundProblem.set(round, row.id)
      const named = { problem: row.id, decision: round.id, checksum: 0 }
      for (const { rewardId, value } of rewards) changes.rewards.push({ ...named, rewardId, value })
      for (const [covariate, value] of Object.entries(revealed)) changes.reveals.push({ ...named, covariate, value })
    }
    if (at === 0) changes.snapshots.push(...policies.map((one) => ({ ...one, problem: row.id, checksum: 0 })))
    await target.write(changes)
  }
}
