// Settles a batch of commands in one transaction of a store. It changes only the rows it is given. The rules of idempotency,
// rewards, windows and ends of epochs are written here and in the settle-* files, once for every store.

import type { ProblemRow } from './book.js'
import type { Reading } from './clock.js'
import { type Command, confirmsClock, type Outcome, refuse } from './commands.js'
import { bodyText, type Changes, type Facts, type NewEntry, noChanges, type RoundRow } from './facts.js'
import type { RecordKind } from './records.js'
import { settleCandidate, settleDemote, settleLook } from './settle-candidate.js'
import { settleDecide } from './settle-decide.js'
import { settleDefine } from './settle-define.js'
import { settleFitFailed, settleOperate, settlePublish, settleRelearn } from './settle-epoch.js'
import { settleForget, settlePurge } from './settle-forget.js'
import { settleImport } from './settle-import.js'
import { settleReveal } from './settle-reveal.js'
import { settleActivate, settleReward, settleVoid } from './settle-reward.js'
import { settleTick } from './settle-tick.js'

interface Settlement {
  readonly outcomes: readonly Outcome[]
  readonly changes: Changes
}

/** One batch being settled. */
export class Settling {
  readonly facts: Facts
  readonly now: number
  /** The clock is in doubt: nothing is closed or removed. */
  readonly held: boolean
  /** By how much time moves if the wall clock is confirmed. */
  readonly offset: number
  readonly changes: Changes = noChanges()
  readonly #rounds = new Map<string, RoundRow>()
  /** New rounds that are not indexed yet, with their problems. */
  #added: (readonly [ProblemRow, RoundRow])[] = []
  readonly #rewards = new Map<string, number>()
  readonly #reveals = new Map<string, Record<string, unknown>>()

  constructor(facts: Facts, { now, held, offset }: Reading) {
    this.facts = facts
    this.now = now
    this.held = held
    this.offset = offset
  }

  problem(name: string): ProblemRow | undefined {
    return this.changes.problems.get(name) ?? this.facts.problem(name)
  }

  /** Time of the next record: never before that of the last. */
  time(row: ProblemRow): number {
    return Math.max(this.now, row.book.time)
  }

  /** Time from which waits are counted. The clock that was confirmed last counts, also where it is behind the records. */
  waitsFrom(row: ProblemRow): number {
    return Math.max(this.now, row.book.clock ?? 0)
  }

  append(row: ProblemRow, kind: RecordKind, round: number | null, body: NewEntry['body']): number {
    const { book } = row
    book.time = this.time(row)
    book.seq++
    this.changes.log.push({ problem: row.id, seq: book.seq, time: book.time, kind, round, body, checksum: 0 })
    this.touch(row)
    return book.seq
  }

  touch(row: ProblemRow): void {
    this.changes.problems.set(row.name, row)
  }

  round(row: ProblemRow, ref: string): RoundRow | undefined {
    this.#index()
    const known = this.#rounds.get(`${row.id}/d/${ref}`) ?? this.#rounds.get(`${row.id}/e/${ref}`)
    if (known !== undefined) return known
    return this.#keep(row, this.facts.round(row.id, ref))
  }

  roundOfEvent(row: ProblemRow, eventId: string): RoundRow | undefined {
    this.#index()
    return this.#rounds.get(`${row.id}/e/${eventId}`) ?? this.#keep(row, this.facts.roundOfEvent(row.id, eventId))
  }

  /** The row of this batch, which may be newer than the stored one. */
  current(row: ProblemRow, stored: RoundRow): RoundRow {
    this.#index()
    return this.#rounds.get(`${row.id}/d/${stored.id}`) ?? this.#keep(row, stored)!
  }

  add(row: ProblemRow, round: RoundRow): void {
    this.#added.push([row, round])
    this.changes.newRounds.push(round)
    this.changes.roundProblem.set(round, row.id)
  }

  change(row: ProblemRow, round: RoundRow): void {
    if (!this.changes.roundProblem.has(round)) this.changes.changedRounds.add(round)
    this.changes.roundProblem.set(round, row.id)
    this.touch(row)
  }

  reward(row: ProblemRow, decision: string, rewardId: string): number | undefined {
    return this.#rewards.get(`${row.id}/${decision}/${rewardId}`) ?? this.facts.reward(row.id, decision, rewardId)
  }

  keepReward(row: ProblemRow, decision: string, rewardId: string, value: number): void {
    this.#rewards.set(`${row.id}/${decision}/${rewardId}`, value)
    this.changes.rewards.push({ problem: row.id, decision, rewardId, value, checksum: 0 })
  }

  reveals(row: ProblemRow, decision: string): Record<string, unknown> {
    const key = `${row.id}/${decision}`
    let known = this.#reveals.get(key)
    if (known === undefined) {
      known = { ...this.facts.reveals(row.id, decision) }
      this.#reveals.set(key, known)
    }
    return known
  }

  body(row: ProblemRow, seq: number): string {
    const own = this.changes.log.find((entry) => entry.problem === row.id && entry.seq === seq)
    return own === undefined ? this.facts.body(row.id, seq) : bodyText(own.body)
  }

  #index(): void {
    if (this.#added.length === 0) return
    for (const [row, round] of this.#added) this.#keep(row, round)
    this.#added = []
  }

  #keep(row: ProblemRow, round: RoundRow | undefined): RoundRow | undefined {
    if (round === undefined) return undefined
    const known = this.#rounds.get(`${row.id}/d/${round.id}`)
    if (known !== undefined) return known
    this.#rounds.set(`${row.id}/d/${round.id}`, round)
    if (round.eventId !== null) this.#rounds.set(`${row.id}/e/${round.eventId}`, round)
    return round
  }
}

export function settle(facts: Facts, commands: readonly Command[], reading: Reading): Settlement {
  const settling = new Settling(facts, reading)
  const outcomes = commands.map((command) => settleOne(settling, command))
  return { outcomes, changes: settling.changes }
}

/** The clock goes on for a retired problem, and it can be forgotten. */
function runsOnRetired(command: Command): boolean {
  return ['tick', 'forget', 'purge'].includes(command.kind) || confirmsClock(command)
}

function settleOne(settling: Settling, command: Command): Outcome {
  if (command.kind === 'define') return settleDefine(settling, command)
  const row = settling.problem(command.problem)
  if (row === undefined) return refuse('unknown-problem', `no problem is called "${command.problem}"`)
  if ('of' in command && command.of !== undefined && command.of !== row.id) return { stale: true }
  if (row.retired !== null && !runsOnRetired(command))
    return refuse('problem-retired', `problem "${command.problem}" was retired`)
  switch (command.kind) {
    case 'decide':
      return settleDecide(settling, row, command)
    case 'import':
      return settleImport(settling, row, command)
    case 'reward':
      return settleReward(settling, row, command)
    case 'reveal':
      return settleReveal(settling, row, command)
    case 'activate':
      return settleActivate(settling, row, command)
    case 'void':
      return settleVoid(settling, row, command)
    case 'operate':
      return settleOperate(settling, row, command)
    case 'forget':
      return settleForget(settling, row, command)
    case 'purge':
      return settlePurge(settling, row, command)
    case 'tick':
      return settleTick(settling, row)
    case 'publish':
      return settlePublish(settling, row, command)
    case 'relearn':
      return settleRelearn(settling, row, command)
    case 'fit-failed':
      return settleFitFailed(settling, row, command)
    case 'candidate':
      return settleCandidate(settling, row, command)
    case 'look':
      return settleLook(settling, row, command)
    case 'demote':
      return settleDemote(settling, row, command)
  }
}
