// All decisions of a version of a problem with everything recorded of each, in one COPY: one snapshot of the database, whatever is
// written meanwhile, and one row in memory at a time.

import type { Pool } from 'pg'
import type { Value } from '../../ledger/commands.js'
import type { LogEntry } from '../../ledger/facts.js'
import type { StoredDecision } from '../../ledger/store.js'
import { present, wholeEntry, wholeReveal } from '../../ledger/store-damaged.js'
import { copyOut } from './copy.js'
import { entryOf, roundOf } from './postgres-rows.js'

export async function* allDecisions(
  pool: Pool,
  problem: number,
  problemVersion: number,
  from: number,
): AsyncGenerator<StoredDecision> {
  // COPY takes no parameters; these are numbers of ours.
  const [p, version, first] = [problem, problemVersion, from].map((given) => Math.trunc(given))
  const client = await pool.connect()
  let whole = false
  try {
    const rows = copyOut(
      client,
      `select r.id, r.event_id, r.round, r.version, r.seq, r.action, r.holdout, r.state, r.arrivals, r.value, r.deadline,
         r.checksum, e.time, e.body, e.checksum,
         (select json_agg(json_build_array(l.seq, l.time, l.kind, l.body, l.checksum) order by l.seq) from log l
          where l.problem = ${p} and l.round = r.round and l.kind <> 'decision'),
         (select json_agg(json_build_array(v.covariate, v.value, v.checksum)) from reveals v
          where v.problem = ${p} and v.decision = r.id)
       from rounds r left join log e on e.problem = ${p} and e.seq = r.seq
       where r.problem = ${p} and r.version = ${version} and r.round >= ${first} and r.round >= 0 order by r.round`,
    )
    for await (const row of rows) yield storedDecision(problem, row)
    whole = true
  } finally {
    // A reading that was broken off leaves the connection in the middle of it.
    client.release(!whole)
  }
}

type LaterRow = readonly [seq: number, time: number, kind: string, body: string, checksum: number]
type RevealedRow = readonly [covariate: string, value: string, checksum: number]

function storedDecision(problem: number, row: readonly (string | null)[]): StoredDecision {
  const [id, eventId, number, version, seq, action, holdout, state, arrivals, value, deadline] = row
  const [checksum, time, body, entryChecksum, later, revealed] = row.slice(11)
  const round = roundOf({
    problem,
    id: id!,
    event_id: eventId!,
    round: number!,
    version: Number(version),
    seq: seq!,
    action: action!,
    holdout: holdout === 't',
    state: state!,
    arrivals: Number(arrivals),
    value: Number(value),
    deadline: deadline!,
    checksum: Number(checksum),
  })
  const records = ((later == null ? [] : JSON.parse(later)) as readonly LaterRow[]).map(
    ([laterSeq, laterTime, kind, laterBody, laterChecksum]): LogEntry =>
      wholeEntry(
        {
          problem,
          seq: laterSeq,
          time: laterTime,
          kind: kind as LogEntry['kind'],
          round: round.round,
          body: laterBody,
        },
        laterChecksum,
      ),
  )
  const truths = (revealed == null ? [] : JSON.parse(revealed)) as readonly RevealedRow[]
  return {
    round,
    entry: entryOf({
      problem,
      seq: seq!,
      time: present(time ?? undefined, `record ${seq}`, problem),
      kind: 'decision',
      round: number!,
      body: body!,
      checksum: Number(entryChecksum),
    }),
    // Each version of the problem numbers its rounds from 0.
    later: records.filter((record) => (JSON.parse(record.body) as { id: string }).id === round.id),
    revealed: Object.fromEntries(
      truths.map(([covariate, text, sum]) => {
        const whole = wholeReveal({ problem, decision: round.id, covariate, value: text, checksum: sum })
        return [covariate, JSON.parse(whole) as Value]
      }),
    ),
  }
}
