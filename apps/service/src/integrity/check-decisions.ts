// Every decision again: its row is what its records tell, and the policy of its time gives the same action, scores and
// propensities.

import type { DecisionReply } from '@primo/contract'
import type { Code } from '@primo/core'
import { type Columns, type EpochState, growState } from '@primo/core/engine'
import { givenRequest, replyOf } from '../codec/codec.js'
import { plainCodec } from '../codec/plain-codec.js'
import { callerKey } from '../host/caller-key.js'
import { definitionHash, partsOf } from '../host/policy-document.js'
import { createProblemHost, type ProblemHost } from '../host/problem-host.js'
import { learntAlike } from '../learning/learnt-state.js'
import { engineOf } from '../learning/problem-engine.js'
import type { ProblemRow } from '../ledger/book.js'
import { canonicalJson } from '../ledger/canonical-json.js'
import { type Definition, definitionsOf } from '../ledger/definitions-of.js'
import { pagedDecisions } from '../ledger/paged-decisions.js'
import type { RawStore } from '../ledger/raw-store.js'
import type { DecisionRecord } from '../ledger/records.js'
import type { StoredDecision } from '../ledger/store.js'
import type { Damage } from '../ledger/store-damaged.js'
import { decidedRound, tellRound } from './round-of-records.js'

interface CheckedDecisions {
  readonly decisions: number
  /** Decisions whose propensities were computed again; those that were imported were not made here, those that were forgotten cannot be. */
  readonly propensities: number
}

export async function checkDecisions(
  store: RawStore,
  row: ProblemRow,
  found: (damage: Damage) => void,
  code: readonly Code[],
): Promise<CheckedDecisions> {
  const definitions = await definitionsOf(store, row.id)
  // A version may have a definition of an earlier one again, with another seed and other policies.
  const byName = new Map(definitions.map((one) => [`${one.version}.${definitionHash(one.definition)}`, one]))
  const hosts = new Map<string, { readonly host: ProblemHost; readonly since: number }>()
  let decisions = 0
  let propensities = 0

  /**
   * The problem as it decided this record; null: the policy was lost before a repair, and its number may be another's now, or another
   * version of Primo learnt it in another way.
   */
  async function hostOf({ seq, version, seed, definition }: Definition, policy: number, at: number) {
    const key = `${seq}/${policy}`
    let known = hosts.get(key)
    if (known === undefined) {
      const snapshot = policy === 0 ? undefined : await store.snapshot(row.id, version, policy)
      const isGone = policy !== 0 && snapshot === undefined
      const then = { ...row, version, seed, definition }
      const engine = engineOf(definition, code)
      const learntIn = definitions.findLast((one) => one.seq < (snapshot?.cut ?? 0))?.definition ?? definition
      const learnt = snapshot === undefined ? null : (JSON.parse(snapshot.state) as EpochState)
      if (learnt !== null && !learntAlike(learnt, engine)) return null
      const state = learnt === null ? null : growState(learnt, learntIn as Columns, engine)
      const host = createProblemHost({
        row: then,
        engine,
        state,
        lastEpoch: null,
        codec: plainCodec,
        stageOf: () => null,
      })
      known = { host, since: isGone ? Number.POSITIVE_INFINITY : (snapshot?.cut ?? 0) }
      hosts.set(key, known)
    }
    if (known.since < at) return known.host
    if (at < (row.book.repaired ?? 0)) return null
    throw new Error(`policy ${policy} of version ${version} is gone`)
  }

  async function check(stored: StoredDecision, definition: Definition): Promise<void> {
    const { round, entry, later, revealed } = stored
    const told = decidedRound(entry, definition.version, definition.definition)
    for (const record of later) tellRound(told, record, definition.definition)
    const differs = (['state', 'arrivals', 'value', 'action', 'eventId', 'holdout'] as const).filter(
      (field) => told.round[field] !== round[field],
    )
    if (canonicalJson(told.revealed) !== canonicalJson(revealed)) found(damage(`the truths of decision "${round.id}"`))
    if (differs.length > 0) found(damage(`${differs.join(', ')} of decision "${round.id}"`))
    const record = JSON.parse(entry.body) as DecisionRecord
    // What was forgotten cannot be decided again.
    if (record.imported !== undefined || record.forgotten === true) return
    const { caller, decidedBy } = record
    // A caller may have decided by an earlier definition.
    const by = decidedBy === undefined ? null : partsOf(decidedBy)
    const then = (by === null ? undefined : byName.get(`${by.version}.${by.definition}`)) ?? definition
    const host = await hostOf(then, record.learning.policy, entry.seq)
    if (host === null) return
    const imputed = { predictions: record.learning.predictions, notes: {} }
    const key = caller === undefined ? undefined : await callerKey(then.seed, caller)
    const command = host.decide(givenRequest(record.request), record.id, imputed, key)
    const again = JSON.parse(Buffer.from(replyOf(command, null)).toString()) as DecisionReply
    propensities++
    if (drawn(again) !== drawn(record.reply)) found(damage(`the action or propensities of decision "${round.id}"`))
  }

  const damage = (what: string): Damage => ({
    problem: row.name,
    detail: `${what} are not those that its records give`,
  })

  for (let version = 1; version <= row.version; version++) {
    for await (const stored of pagedDecisions(store, row.id, version)) {
      decisions++
      const definition = definitions.findLast(({ seq }) => seq < stored.entry.seq)!
      await check(stored, definition)
    }
  }
  return { decisions, propensities }
}

function drawn({ action, propensity, ranking }: DecisionReply): string {
  return JSON.stringify([action, propensity, ranking.map((one) => [one.action, one.score, one.propensity])])
}
