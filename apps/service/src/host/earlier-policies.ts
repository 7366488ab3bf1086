// Policies that decided before the live one: callers that decide in their own processes upload what those made. The newest are kept; others
// are made again from the store.

import type { Code } from '@primo/core'
import type { Codec } from '../codec/codec.js'
import { learntState } from '../learning/learnt-state.js'
import { engineOf } from '../learning/problem-engine.js'
import { changeOf } from '../ledger/definition-change.js'
import { type Definition, definitionsOf } from '../ledger/definitions-of.js'
import { ServiceError } from '../ledger/service-error.js'
import type { Store } from '../ledger/store.js'
import { definitionHash, partsOf } from './policy-document.js'
import { createProblemHost, type ProblemHost } from './problem-host.js'

export interface EarlierPolicies {
  /** The policy was live until now. */
  readonly keep: (host: ProblemHost) => void
  /** The policy is live, perhaps again: when it was replaced before says nothing. */
  readonly revive: (host: ProblemHost) => void
  /** Throws unknown-policy or policy-too-old. */
  readonly find: (live: ProblemHost, policy: string) => Promise<ProblemHost>
}

interface Earlier {
  readonly host: ProblemHost
  /** When it was replaced. */
  readonly until: number
}

/** Per problem. */
const MAX_KEPT = 20
const WEEK = 604_800_000

export function createEarlierPolicies(
  store: Pick<Store, 'snapshot' | 'snapshots' | 'readLog'>,
  options: { readonly code: readonly Code[]; readonly codec: Codec; readonly clock: () => number },
): EarlierPolicies {
  const { code, codec, clock } = options
  const kept = new Map<string, Earlier[]>()
  const histories = new Map<number, { readonly upTo: number; readonly definitions: Promise<Definition[]> }>()

  function add(earlier: Earlier): Earlier {
    const list = kept.get(earlier.host.row.name) ?? []
    kept.set(earlier.host.row.name, [earlier, ...list].slice(0, MAX_KEPT))
    return earlier
  }

  /** Read once, and again where the problem was changed since: most problems are never changed. */
  function definitions({ row }: ProblemHost): Promise<Definition[]> {
    const known = histories.get(row.id)
    if (known !== undefined && known.upTo === row.revision) return known.definitions
    const read = definitionsOf(store, row.id)
    histories.set(row.id, { upTo: row.revision, definitions: read })
    read.catch(() => histories.delete(row.id))
    return read
  }

  async function make(live: ProblemHost, name: string): Promise<Earlier> {
    const { row } = live
    const parts = partsOf(name)
    const unknown = new ServiceError('unknown-policy', `no policy of problem "${row.name}" is called "${name}"`)
    if (parts === null || parts.version > row.version) throw unknown
    const { policy } = parts
    if (parts.version < row.version) throw tooOld(`learning began anew since policy "${name}"`)
    let { definition } = row
    let until = Number.POSITIVE_INFINITY
    if (parts.definition !== definitionHash(definition)) {
      const all = await definitions(live)
      const at = all.findLastIndex(
        (one) => one.version === row.version && definitionHash(one.definition) === parts.definition,
      )
      if (at < 0) throw unknown
      definition = all[at]!.definition
      until = all[at + 1]?.time ?? clock()
    }
    const snapshot = policy === 0 ? undefined : await store.snapshot(row.id, row.version, policy)
    if (policy !== 0 && snapshot === undefined) throw unknown
    // Learnt when the definition was gone.
    if (snapshot !== undefined && snapshot.time > until) throw unknown
    const next = (await store.snapshots(row.id)).find(
      (one) => one.problemVersion === row.version && one.version === policy + 1,
    )
    const engine = engineOf(definition, code)
    const then = { ...row, definition, book: { ...row.book, policy } }
    const state = snapshot === undefined ? null : await learntState(store, then, snapshot, engine)
    if (snapshot !== undefined && state === null)
      throw tooOld(`the service learns in another way since policy "${name}"`)
    const host = createProblemHost({ row: then, engine, state, lastEpoch: null, codec, stageOf: () => null })
    return add({ host, until: Math.min(until, next?.time ?? clock()) })
  }

  return {
    keep: (host) => void add({ host, until: clock() }),
    revive: (host) => {
      const { name, version, book } = host.row
      const isOther = ({ host: { row, policyName } }: Earlier) =>
        row.version !== version || row.book.policy !== book.policy || policyName() !== host.policyName()
      const list = kept.get(name)
      if (list !== undefined) kept.set(name, list.filter(isOther))
    },
    find: async (live, name) => {
      const { row } = live
      const known = kept.get(row.name)?.find(({ host }) => host.row.id === row.id && host.policyName() === name)
      const { host, until } = known ?? (await make(live, name))
      const { change } = changeOf({ ...row, definition: host.row.definition }, row.definition, false)
      if (host.row.version !== row.version || (change !== 'unchanged' && change !== 'updated'))
        throw tooOld(`features, models or learning options have changed since policy "${name}"`)
      const allowed = row.definition.uploads?.maxAge?.milliseconds ?? WEEK
      const age = clock() - until
      if (age > allowed)
        throw tooOld(`policy "${name}" was replaced ${Math.floor(age / 1000)} s ago, more than ${allowed / 1000} s`)
      return host
    },
  }
}

function tooOld(detail: string): ServiceError {
  return new ServiceError('policy-too-old', detail)
}
