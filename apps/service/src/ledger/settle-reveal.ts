// A truth that arrives after the decision. It never rewrites the decision; the first report of it counts.

import type { ProblemRow } from './book.js'
import { type Outcome, type Reveal, refuse, type Value } from './commands.js'
import type { DecisionRecord } from './records.js'
import type { Settling } from './settle.js'

export function settleReveal(settling: Settling, row: ProblemRow, command: Reveal): Outcome {
  if (command.version !== row.version) return { stale: true }
  const round = settling.round(row, command.ref)
  if (round === undefined) return refuse('unknown-decision', `no decision has the id or event id "${command.ref}"`)
  if (round.round < 0) return { decisionId: round.id, status: 'inactive' }
  if (round.version !== row.version) return { decisionId: round.id, status: 'superseded' }
  const record = JSON.parse(settling.body(row, round.seq)) as DecisionRecord
  if (record.forgotten === true) return refuse('subject-forgotten', `decision "${command.ref}" was forgotten`)
  const atDecision = record.request.covariates ?? {}
  const { asked } = record.learning
  const revealed = settling.reveals(row, round.id)
  const fresh: Record<string, Value> = {}
  for (const [name, value] of Object.entries(command.covariates)) {
    const known = atDecision[name] ?? revealed[name]
    if (known === undefined || known === null) fresh[name] = value
    else if (known !== value)
      return refuse('reveal-conflict', `covariate "${name}" of "${command.ref}" stays ${String(known)}, got ${value}`)
  }
  const names = Object.keys(fresh)
  if (names.length === 0) return { decisionId: round.id, status: 'duplicate' }
  settling.append(row, 'reveal', round.round, JSON.stringify({ id: round.id, covariates: fresh }))
  for (const name of names) {
    revealed[name] = fresh[name]
    const value = fresh[name]!
    settling.changes.reveals.push({ problem: row.id, decision: round.id, covariate: name, value, checksum: 0 })
    const counts = row.book.tally.covariates[name]
    if (counts === undefined) continue
    counts.revealed++
    if (asked?.[name] !== undefined) counts.answered++
  }
  return { decisionId: round.id, status: 'accepted' }
}
