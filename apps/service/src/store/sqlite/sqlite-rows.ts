// Rows of the tables as the ledger sees them: `...Of` if they have their checksum, `as...` as they are. Every column is cast when it
// is read: the driver ends the process on a text that is not UTF-8, as one with a flipped bit, so texts come as bytes.

import type { ProblemRow } from '../../ledger/book.js'
import type { RevealRow, RewardRow } from '../../ledger/checksums.js'
import type { LogEntry, RoundRow, RoundState, SnapshotRow } from '../../ledger/facts.js'
import type { StoredProblem } from '../../ledger/raw-store.js'
import {
  wholeEntry,
  wholeProblem,
  wholeReveal,
  wholeReward,
  wholeRound,
  wholeSnapshot,
} from '../../ledger/store-damaged.js'
import type { RawKey } from '../../ledger/stored-key.js'

/** The driver gives a blob as one or the other. */
type Cell = number | Uint8Array | ArrayBuffer | null

export type Raw = Readonly<Record<string, Cell>>

const TYPES = { i: 'integer', r: 'real', t: 'blob' } as const

function casts(columns: string): string {
  const cast = (column: string) => {
    const [name, type] = column.split(':') as [string, keyof typeof TYPES]
    return `cast(${name} as ${TYPES[type]}) as ${name}`
  }
  return columns.split(' ').map(cast).join(', ')
}

const SNAPSHOT =
  'problem:i problem_version:i version:i epoch:i cut:i time:i report:t software:t state_checksum:i checksum:i'

/** What to select of each table. To order by a column, name its table too: the cast has no index. */
export const COLUMNS = {
  problems: casts('id:i name:t definition:t version:i revision:i seed:i created:i retired:i book:t sums:t checksum:i'),
  log: casts('problem:i seq:i time:i kind:t round:i body:t checksum:i'),
  rounds: casts(
    'problem:i id:t event_id:t round:i version:i seq:i action:t holdout:i state:t arrivals:i value:r deadline:i checksum:i',
  ),
  rewards: casts('problem:i decision:t reward_id:t value:r checksum:i'),
  reveals: casts('problem:i decision:t covariate:t value:t checksum:i'),
  keys: casts('name:t role:t problems:t expires:i hash:t previous:t created:i revoked:i'),
  snapshots: casts(`${SNAPSHOT} state:t`),
  snapshotsWithoutState: casts(SNAPSHOT),
} as const

const UTF8 = new TextDecoder()

function text(cell: Cell | undefined): string {
  return typeof cell === 'object' && cell !== null ? UTF8.decode(cell) : ''
}

/** A cell as it is bound again. */
export function bound(cell: Cell | undefined): number | Uint8Array | null {
  return typeof cell === 'number' || cell == null ? (cell ?? null) : Buffer.from(cell as ArrayBuffer)
}

function textOrNull(cell: Cell | undefined): string | null {
  return cell === null ? null : text(cell)
}

/** Missing numbers are no numbers: no checksum fits them. */
function number(cell: Cell | undefined): number {
  return typeof cell === 'number' ? cell : Number.NaN
}

function numberOrNull(cell: Cell | undefined): number | null {
  return cell === null ? null : number(cell)
}

export function asProblem(raw: Raw): StoredProblem {
  return {
    id: number(raw.id),
    name: text(raw.name),
    definition: text(raw.definition),
    version: number(raw.version),
    revision: number(raw.revision),
    seed: number(raw.seed),
    created: number(raw.created),
    retired: numberOrNull(raw.retired),
    book: text(raw.book),
    sums: text(raw.sums),
    checksum: number(raw.checksum),
  }
}

export function problemOf(raw: Raw): ProblemRow {
  return wholeProblem(asProblem(raw))
}

export function asRound(raw: Raw): RoundRow {
  return {
    id: text(raw.id),
    eventId: textOrNull(raw.event_id),
    round: number(raw.round),
    version: number(raw.version),
    seq: number(raw.seq),
    action: text(raw.action),
    holdout: raw.holdout === 1,
    state: text(raw.state) as RoundState,
    arrivals: number(raw.arrivals),
    value: number(raw.value),
    deadline: numberOrNull(raw.deadline),
    checksum: number(raw.checksum),
  }
}

export function roundOf(raw: Raw): RoundRow {
  return wholeRound(number(raw.problem), asRound(raw))
}

export function asEntry(raw: Raw): LogEntry {
  return {
    problem: number(raw.problem),
    seq: number(raw.seq),
    time: number(raw.time),
    kind: text(raw.kind) as LogEntry['kind'],
    round: numberOrNull(raw.round),
    body: text(raw.body),
  }
}

export function entryOf(raw: Raw): LogEntry {
  return wholeEntry(asEntry(raw), number(raw.checksum))
}

export function asReward(raw: Raw): RewardRow & { checksum: number } {
  return {
    problem: number(raw.problem),
    decision: text(raw.decision),
    rewardId: text(raw.reward_id),
    value: number(raw.value),
    checksum: number(raw.checksum),
  }
}

export function rewardOf(raw: Raw): number {
  return wholeReward(asReward(raw))
}

export function asReveal(raw: Raw): RevealRow & { checksum: number } {
  return {
    problem: number(raw.problem),
    decision: text(raw.decision),
    covariate: text(raw.covariate),
    value: text(raw.value),
    checksum: number(raw.checksum),
  }
}

/** The covariate and its truth. */
export function revealOf<Value>(raw: Raw): readonly [string, Value] {
  const row = asReveal(raw)
  return [row.covariate, JSON.parse(wholeReveal(row)) as Value]
}

export function asKey(raw: Raw): RawKey {
  return {
    name: text(raw.name),
    role: text(raw.role),
    problems: textOrNull(raw.problems),
    expires: numberOrNull(raw.expires),
    hash: text(raw.hash),
    previous: textOrNull(raw.previous),
    created: number(raw.created),
    revoked: numberOrNull(raw.revoked),
  }
}

export function asSnapshot(raw: Raw): SnapshotRow {
  return {
    problem: number(raw.problem),
    problemVersion: number(raw.problem_version),
    version: number(raw.version),
    epoch: number(raw.epoch),
    cut: number(raw.cut),
    time: number(raw.time),
    state: text(raw.state),
    report: text(raw.report),
    software: textOrNull(raw.software),
    stateChecksum: number(raw.state_checksum),
    checksum: number(raw.checksum),
  }
}

export function snapshotOf(raw: Raw): SnapshotRow {
  return wholeSnapshot(asSnapshot(raw), raw.state !== undefined)
}
