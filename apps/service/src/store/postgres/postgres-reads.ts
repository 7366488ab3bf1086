// What the PostgreSQL store reads: problems, snapshots, the log and its decisions.

import type { QueryResultRow } from 'pg'
import type { Value } from '../../ledger/commands.js'
import type { RoundRow } from '../../ledger/facts.js'
import type { StoredDecision } from '../../ledger/store.js'
import { present, wholeReveal } from '../../ledger/store-damaged.js'
import { available } from './availability.js'
import type { Connections, Query } from './connections.js'
import {
  asProblem,
  entryOf,
  problemOf,
  type RawEntry,
  type RawProblem,
  type RawReveal,
  type RawRound,
  type RawSnapshot,
  roundOf,
  snapshotOf,
} from './postgres-rows.js'

export function postgresReads(connections: Pick<Connections, 'query' | 'atOnce'>) {
  const query = <R extends QueryResultRow>(text: string, given: unknown[] = []) =>
    available(() => connections.query<R>(text, given))
  // Retention may remove a decision with its records between two statements.
  const atOnce: Connections['atOnce'] = (work) => available(() => connections.atOnce(work))

  async function withRecords(query: Query, problem: number, rounds: readonly RoundRow[]): Promise<StoredDecision[]> {
    if (rounds.length === 0) return []
    const entries = await query<RawEntry>('select * from log where problem = $1 and seq = any($2::bigint[])', [
      problem,
      rounds.map(({ seq }) => seq),
    ])
    const later = await query<RawEntry>(
      `select * from log where problem = $1 and round = any($2::bigint[]) and kind <> 'decision' order by seq`,
      [problem, rounds.map(({ round }) => round)],
    )
    const reveals = await query<RawReveal>('select * from reveals where problem = $1 and decision = any($2)', [
      problem,
      rounds.map(({ id }) => id),
    ])
    const bySeq = new Map(entries.map((raw) => [Number(raw.seq), entryOf(raw)]))
    const laterOf = new Map<string, ReturnType<typeof entryOf>[]>()
    for (const raw of later) {
      const { id } = JSON.parse(raw.body) as { id: string }
      laterOf.set(id, [...(laterOf.get(id) ?? []), entryOf(raw)])
    }
    return rounds.map((round) => ({
      round,
      entry: present(bySeq.get(round.seq), `record ${round.seq}`, problem),
      later: laterOf.get(round.id) ?? [],
      revealed: Object.fromEntries(
        reveals
          .filter(({ decision }) => decision === round.id)
          .map((raw) => [raw.covariate, JSON.parse(wholeReveal(raw)) as Value] as const),
      ),
    }))
  }

  const problemsNamed = async (names: readonly string[]) =>
    (await query<RawProblem>('select * from problems where name = any($1)', [names])).map(problemOf)

  return {
    nameOf: async (problem: number) =>
      (await query<{ name: string }>('select name from problems where id = $1', [problem]))[0]?.name ?? null,
    allProblems: async () => (await query<RawProblem>('select * from problems order by name')).map(asProblem),
    problemsNamed,
    problem: async (name: string) => (await problemsNamed([name]))[0],
    snapshot: async (problem: number, problemVersion: number, version: number) =>
      (
        await query<RawSnapshot>(
          'select * from snapshots where problem = $1 and problem_version = $2 and version = $3',
          [problem, problemVersion, version],
        )
      ).map(snapshotOf)[0],
    snapshots: async (problem: number) =>
      (
        await query<RawSnapshot>(
          `select problem, problem_version, version, epoch, cut, time, report, software, state_checksum, checksum
           from snapshots where problem = $1
           order by problem_version, version`,
          [problem],
        )
      ).map(snapshotOf),
    decision: (problem: number, ref: string) =>
      atOnce(async (query) => {
        const rows = await query<RawRound>(
          `select * from rounds where problem = $1 and (id = $2 or event_id = $2) order by id = $2 desc limit 1`,
          [problem, ref],
        )
        const round = rows.map(roundOf)[0]
        return round === undefined || round.round < 0 ? undefined : (await withRecords(query, problem, [round]))[0]
      }),
    decisionsOf: async (problem: number, subject: string, after: number, upTo: number) => {
      const rows = await query<{ seq: string }>(
        `select seq from log where problem = $1 and seq > $2 and seq <= $3 and kind = 'decision'
         and coalesce(body::json -> 'request' ->> 'subject', body::json -> 'imported' ->> 'subject') = $4 order by seq`,
        [problem, after, upTo, subject],
      )
      return rows.map(({ seq }) => Number(seq))
    },
    readLog: async (problem: number, after: number, limit: number) =>
      (
        await query<RawEntry>('select * from log where problem = $1 and seq > $2 order by seq limit $3', [
          problem,
          after,
          limit,
        ])
      ).map(entryOf),
    readDecisions: (problem: number, problemVersion: number, from: number, limit: number) =>
      atOnce(async (query) => {
        const rows = await query<RawRound>(
          'select * from rounds where problem = $1 and version = $2 and round >= $3 order by round limit $4',
          [problem, problemVersion, from, limit],
        )
        return withRecords(query, problem, rows.map(roundOf))
      }),
  }
}
