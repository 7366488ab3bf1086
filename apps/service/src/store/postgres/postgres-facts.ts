// The facts that settling a batch needs, read in a few queries beforehand; SQLite reads the same facts one by one.

import pg, { type ClientBase, type PoolClient } from 'pg'
import type { ProblemRow } from '../../ledger/book.js'
import { stepsRead } from '../../ledger/candidate.js'
import { areLoaded, type Command, confirmsClock, type Value } from '../../ledger/commands.js'
import type { DecisionRecords, Facts, OldRounds, RoundRow } from '../../ledger/facts.js'
import { retentionLimit } from '../../ledger/retention.js'
import { present, wholeReveal, wholeReward } from '../../ledger/store-damaged.js'
import type { Transaction } from './commit-fate.js'
import { processOf } from './connections.js'
import {
  entryOf,
  problemOf,
  type RawEntry,
  type RawProblem,
  type RawReveal,
  type RawReward,
  type RawRound,
  roundOf,
} from './postgres-rows.js'

const DUE = 2000

interface Wanted {
  readonly problem: number
  readonly ref: string
}

/** What a transaction has locked, and the time in the database. */
export interface Locked {
  readonly problems: ReadonlyMap<string, ProblemRow>
  readonly time: number
}

/** Begins a transaction that has the problems of these commands for itself, and tells how the server calls it. */
export async function begin(
  client: PoolClient,
  commands: readonly Command[],
): Promise<{ readonly locked: Locked; readonly transaction: Transaction }> {
  const names = [...new Set(commands.map(({ problem }) => problem))]
  // One message. The lock on a problem's row orders its records across replicas: numbers follow commits. It is held until the
  // commit, which does not wait for the disk: others go on, and `onDisk` waits. Where replicas load what was written it does wait:
  // a crash must not take back what they decide by.
  const early = areLoaded(commands) ? '' : 'set local synchronous_commit = off;'
  const results = (await client.query(
    `begin; ${early} select pg_current_xact_id()::text as id;
     select * from problems where name in (${names.map(pg.escapeLiteral).join(', ')}) order by id for update;
     select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
    // Several statements have several results, which the driver does not declare.
  )) as unknown as pg.QueryResult[]
  const [id, rows, time] = results.slice(-3) as [pg.QueryResult, pg.QueryResult<RawProblem>, pg.QueryResult]
  return {
    locked: { problems: new Map(rows.rows.map((raw) => [raw.name, problemOf(raw)])), time: Number(time.rows[0].now) },
    transaction: { id: id.rows[0].id, process: processOf(client) },
  }
}

/** Resolves when everything committed on this connection before is on the disk. */
export async function onDisk(client: ClientBase): Promise<void> {
  // The smallest transaction there is; its commit waits for its record, and with it for all before.
  await client.query(`select pg_logical_emit_message(true, 'primo', '')`)
}

export async function fetchFacts(
  client: ClientBase,
  commands: readonly Command[],
  { problems }: Locked,
  now: number,
): Promise<Facts> {
  const rounds = await fetchRounds(client, wantedRounds(commands, problems))
  const rewards = await fetchRewards(client, commands, problems, rounds)
  const revealing = commands.flatMap((command) => {
    const row = command.kind === 'reveal' ? problems.get(command.problem) : undefined
    const round = row === undefined ? undefined : rounds.get(`${row.id}/${(command as { ref: string }).ref}`)
    return row === undefined || round === undefined ? [] : [{ problem: row.id, round }]
  })
  const reveals = await fetchReveals(client, revealing)
  const repeated = commands.flatMap((command) => {
    const row = command.kind === 'decide' ? problems.get(command.problem) : undefined
    if (row === undefined || command.kind !== 'decide') return []
    const { id, eventId, uploaded } = command
    const byId = uploaded === true ? rounds.get(`${row.id}/${id}`) : undefined
    const round = byId ?? (eventId === null ? undefined : rounds.get(`${row.id}/e/${eventId}`))
    return round === undefined || round.round < 0 ? [] : [{ problem: row.id, round }]
  })
  const steps = commands.flatMap((command) => {
    const row = problems.get(command.problem)
    return row === undefined ? [] : stepsRead(command, row.book).map((seq) => ({ problem: row.id, round: { seq } }))
  })
  const bodies = await fetchBodies(client, [...revealing, ...repeated, ...steps])
  const due = new Map<number, readonly RoundRow[]>()
  const old = new Map<number, OldRounds | undefined>()
  for (const { kind, problem: name } of commands) {
    const row = problems.get(name)
    if (kind !== 'tick' || row === undefined || due.has(row.id)) continue
    due.set(row.id, await fetchDue(client, row.id, now))
    const limit = retentionLimit(row, now)
    if (limit !== null) old.set(row.id, await fetchOld(client, row, limit))
  }
  const records = new Map<number, readonly DecisionRecords[]>()
  for (const command of commands) {
    const row = problems.get(command.problem)
    if (row === undefined || command.kind !== 'forget') continue
    records.set(row.id, await fetchRecords(client, row.id, command.seqs, rounds))
  }
  const waiting = new Map<number, readonly RoundRow[]>()
  for (const command of commands) {
    const row = problems.get(command.problem)
    if (row === undefined || !confirmsClock(command)) continue
    const found = await client.query<RawRound>('select * from rounds where problem = $1 and deadline is not null', [
      row.id,
    ])
    waiting.set(row.id, found.rows.map(roundOf))
  }
  const snapshots = new Set<string>()
  for (const command of commands) {
    const row = problems.get(command.problem)
    if (command.kind !== 'operate' || typeof command.operation === 'string' || row === undefined) continue
    const version = command.operation.rollback
    const found = await client.query(
      'select 1 from snapshots where problem = $1 and problem_version = $2 and version = $3',
      [row.id, row.version, version],
    )
    if (found.rowCount === 1) snapshots.add(`${row.id}/${row.version}/${version}`)
  }
  return {
    problem: (name) => problems.get(name),
    round: (problem, ref) => rounds.get(`${problem}/${ref}`),
    roundOfEvent: (problem, eventId) => rounds.get(`${problem}/e/${eventId}`),
    reward: (problem, decision, rewardId) => rewards.get(`${problem}/${decision}/${rewardId}`),
    reveals: (problem, decision) => reveals.get(`${problem}/${decision}`) ?? {},
    body: (problem, seq) => present(bodies.get(`${problem}/${seq}`), `record ${seq}`, problem),
    due: (problem) => due.get(problem) ?? [],
    waiting: (problem) => waiting.get(problem) ?? [],
    recordsOf: (problem) => records.get(problem) ?? [],
    hasSnapshot: (problem, problemVersion, version) => snapshots.has(`${problem}/${problemVersion}/${version}`),
    old: (row) => old.get(row.id),
  }
}

function wantedRounds(commands: readonly Command[], problems: ReadonlyMap<string, ProblemRow>): Wanted[] {
  return commands.flatMap((command) => {
    const row = problems.get(command.problem)
    if (row === undefined) return []
    const of = (ref: string | null) => (ref === null ? [] : [{ problem: row.id, ref }])
    if (command.kind === 'decide') return [...of(command.uploaded === true ? command.id : null), ...of(command.eventId)]
    if (command.kind === 'import') return [...of(command.id), ...of(command.eventId)]
    return 'ref' in command ? [{ problem: row.id, ref: command.ref }] : []
  })
}

/** By `problem/ref` (decision id first, else event id) and by `problem/e/event id`. */
async function fetchRounds(client: ClientBase, wanted: readonly Wanted[]): Promise<Map<string, RoundRow>> {
  const found = new Map<string, RoundRow>()
  if (wanted.length === 0) return found
  const given = [wanted.map(({ problem }) => problem), wanted.map(({ ref }) => ref)]
  const { rows } = await client.query<RawRound & { by: string }>(
    // One look into an index for each: a join of many would read the whole table.
    `with wanted as (select * from unnest($1::int[], $2::text[]) as w(problem, ref))
     select r.*, 'id' as by from wanted w
       cross join lateral (select * from rounds where problem = w.problem and id = w.ref limit 1) r
     union all
     select r.*, 'event' as by from wanted w
       cross join lateral (select * from rounds where problem = w.problem and event_id = w.ref limit 1) r`,
    given,
  )
  // One object per round, however it was found.
  const known = new Map<string, RoundRow>()
  for (const raw of rows) {
    const key = `${raw.problem}/${raw.id}`
    const round = known.get(key) ?? roundOf(raw)
    known.set(key, round)
    if (raw.by === 'id') found.set(key, round)
    if (round.eventId !== null) found.set(`${raw.problem}/e/${round.eventId}`, round)
  }
  for (const { problem, ref } of wanted) {
    const byEvent = found.get(`${problem}/e/${ref}`)
    if (!found.has(`${problem}/${ref}`) && byEvent !== undefined) found.set(`${problem}/${ref}`, byEvent)
  }
  return found
}

async function fetchRewards(
  client: ClientBase,
  commands: readonly Command[],
  problems: ReadonlyMap<string, ProblemRow>,
  rounds: ReadonlyMap<string, RoundRow>,
): Promise<Map<string, number>> {
  const wanted = commands.flatMap((command) => {
    if (command.kind !== 'reward' || command.rewardId === null) return []
    const row = problems.get(command.problem)
    const round = row === undefined ? undefined : rounds.get(`${row.id}/${command.ref}`)
    return round === undefined ? [] : [{ problem: row!.id, decision: round.id, rewardId: command.rewardId }]
  })
  if (wanted.length === 0) return new Map()
  const { rows } = await client.query<RawReward>(
    `select r.* from unnest($1::int[], $2::text[], $3::text[]) as w(problem, decision, reward_id)
     join rewards r using (problem, decision, reward_id)`,
    [
      wanted.map(({ problem }) => problem),
      wanted.map(({ decision }) => decision),
      wanted.map(({ rewardId }) => rewardId),
    ],
  )
  return new Map(
    rows.map((raw) => [
      `${raw.problem}/${raw.decision}/${raw.reward_id}`,
      wholeReward({ ...raw, rewardId: raw.reward_id }),
    ]),
  )
}

async function fetchReveals(
  client: ClientBase,
  wanted: readonly { problem: number; round: RoundRow }[],
): Promise<Map<string, Record<string, Value>>> {
  const found = new Map<string, Record<string, Value>>()
  if (wanted.length === 0) return found
  const { rows } = await client.query<RawReveal>(
    `select distinct r.* from unnest($1::int[], $2::text[]) as w(problem, decision)
     join reveals r using (problem, decision)`,
    [wanted.map(({ problem }) => problem), wanted.map(({ round }) => round.id)],
  )
  for (const raw of rows) {
    const key = `${raw.problem}/${raw.decision}`
    found.set(key, { ...found.get(key), [raw.covariate]: JSON.parse(wholeReveal(raw)) as Value })
  }
  return found
}

async function fetchBodies(
  client: ClientBase,
  wanted: readonly { problem: number; round: Pick<RoundRow, 'seq'> }[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  // Problem by problem: a join over several would open, and lock, the partitions of all problems.
  for (const problem of new Set(wanted.map((one) => one.problem))) {
    const numbers = wanted.filter((one) => one.problem === problem).map(({ round }) => round.seq)
    const { rows } = await client.query<RawEntry>('select * from log where problem = $1 and seq = any($2::bigint[])', [
      problem,
      numbers,
    ])
    for (const raw of rows) found.set(`${problem}/${raw.seq}`, entryOf(raw).body)
  }
  return found
}

/** With the rounds of these decisions, which are added to those that are known. */
async function fetchRecords(
  client: ClientBase,
  problem: number,
  seqs: readonly number[],
  rounds: Map<string, RoundRow>,
): Promise<readonly DecisionRecords[]> {
  const { rows } = await client.query<RawEntry>('select * from log where problem = $1 and seq = any($2::bigint[])', [
    problem,
    seqs,
  ])
  const decisions = rows.map(entryOf)
  const ids = decisions.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  for (const [key, round] of await fetchRounds(
    client,
    ids.map((ref) => ({ problem, ref })),
  ))
    rounds.set(key, round)
  const later = await client.query<RawEntry>(
    "select * from log where problem = $1 and round = any($2::bigint[]) and kind = 'reveal'",
    [problem, decisions.map(({ round }) => round)],
  )
  const reveals = later.rows.map(entryOf)
  return decisions.map((decision, k) => ({
    decision,
    reveals: reveals.filter(({ body }) => (JSON.parse(body) as { id: string }).id === ids[k]),
  }))
}

async function fetchDue(client: ClientBase, problem: number, now: number): Promise<readonly RoundRow[]> {
  const { rows } = await client.query<RawRound>(
    'select * from rounds where problem = $1 and deadline <= $2 order by deadline, round limit $3',
    [problem, now, DUE],
  )
  return rows.map(roundOf)
}

async function fetchOld(client: ClientBase, row: ProblemRow, time: number): Promise<OldRounds | undefined> {
  const first = await client.query<{ seq: string | null }>(
    'select min(seq) as seq from log where problem = $1 and time >= $2',
    [row.id, time],
  )
  const seq = Number(first.rows[0]!.seq ?? row.book.seq + 1)
  const any = await client.query(
    "select 1 from log where problem = $1 and seq >= $2 and seq < $3 and kind in ('decision', 'void') limit 1",
    [row.id, row.book.kept, seq],
  )
  if (any.rowCount === 0) return undefined
  const next = await client.query<{ round: string }>(
    'select round from rounds where problem = $1 and version = $2 and round >= 0 and seq >= $3 order by round limit 1',
    [row.id, row.version, seq],
  )
  const below = Number(next.rows[0]?.round ?? row.book.rounds)
  const { rows } = await client.query<RawRound>(
    `select * from rounds where problem = $1 and version = $2 and round >= 0 and round < $3 and state in ('open', 'pending')`,
    [row.id, row.version, below],
  )
  return { seq, below, unfinished: rows.map(roundOf) }
}
