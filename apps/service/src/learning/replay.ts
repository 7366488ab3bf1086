// Replays a problem's log from its first record: every state must be equal to the stored one.

import type { Code } from '@primo/core'
import type { EpochState } from '@primo/core/engine'
import type {
  ForgettingRecord,
  OperationRecord,
  PolicyRecord,
  ProblemRecord,
  RetentionRecord,
} from '../ledger/records.js'
import type { Store } from '../ledger/store.js'
import { type CandidateFollower, followCandidate, type ReadLog } from './candidate-follower.js'
import { createFollower } from './follower.js'
import { learntAlike } from './learnt-state.js'
import { SOFTWARE } from './software.js'

/** Of a record of an operation; a repair writes one, too. */
type Replayable = Omit<OperationRecord, 'operation'> & { readonly operation: OperationRecord['operation'] | 'repair' }

interface Replayed {
  readonly records: number
  /** Ends of epochs that were compared. */
  readonly policies: number
  /** Versions (problem version / policy version) whose replay differs from the stored state. */
  readonly different: readonly string[]
  /** Versions that differ and were fitted by another version of Primo. */
  readonly otherVersion: readonly string[]
  /** Versions that cannot be learnt again: some of their rounds were removed by retention or a repair, or forgotten. */
  readonly beyond: readonly string[]
}

/** Replays a problem's log from its first record and compares every state with the stored one. `code`: what its definitions name. */
export async function replayProblem(
  store: Pick<Store, 'problem' | 'readLog' | 'snapshot'>,
  name: string,
  code: readonly Code[] = [],
): Promise<Replayed> {
  const row = await store.problem(name)
  if (row === undefined) throw new Error(`no problem is called "${name}"`)
  const follower = createFollower(0, null, code)
  let records = 0
  let problemVersion = 0
  let learnt: EpochState | null = null
  let policies = 0
  const candidates = new Map<number, EpochState>()
  let start = 0
  let kept = 0
  const failed: {
    readonly name: string
    readonly since: number
    readonly cut: number
    readonly software: string | null
  }[] = []
  /** The candidate that runs at this place of the log. */
  let candidate: CandidateFollower | null = null
  const read: ReadLog = async (after, upTo, limit) =>
    (await store.readLog(row.id, after, limit)).filter(({ seq }) => seq <= upTo)
  const fail = (of: string, cut: number, software: string | null = SOFTWARE) =>
    failed.push({ name: of, since: Math.max(start, kept), cut, software })
  const forgettings: { readonly at: number; readonly first: number }[] = []
  /** The state of a policy: learnt at the end, by the candidate, or an earlier one again. */
  async function madeBy(from: PolicyRecord['from'], version: number, own: EpochState | undefined) {
    if (from === undefined) return own
    if (from === 'candidate') return candidate === null ? undefined : { ...candidate.learnt().state, version }
    const earlier = await store.snapshot(row!.id, problemVersion, from)
    return earlier === undefined ? undefined : { ...(JSON.parse(earlier.state) as EpochState), version }
  }

  for (;;) {
    const page = await store.readLog(row.id, records === 0 ? 0 : follower.position(), 1000)
    if (page.length === 0) break
    for (const entry of page) {
      follower.take(entry)
      records++
      if (entry.kind === 'problem' && (JSON.parse(entry.body) as ProblemRecord).begins) {
        problemVersion++
        learnt = null
        start = entry.seq
      } else if (entry.kind === 'retention') {
        kept = (JSON.parse(entry.body) as RetentionRecord).before
      } else if (entry.kind === 'operation') {
        const { operation, cut = 0, rounds, gain } = JSON.parse(entry.body) as Replayable
        if (operation === 'repair') kept = entry.seq
        else if (operation === 'candidate') candidate = await followCandidate({ read, start, since: entry.seq, code })
        else if (operation === 'look' && candidate !== null) {
          const looked = await candidate.look(cut)
          if (JSON.stringify(looked) !== JSON.stringify({ rounds, gain })) fail(`${problemVersion}/look ${cut}`, cut)
        }
      } else if (entry.kind === 'forgetting') {
        const { decisions } = JSON.parse(entry.body) as ForgettingRecord
        forgettings.push({ at: entry.seq, first: Math.min(...decisions) })
      } else if (entry.kind === 'epoch') {
        candidates.clear()
        candidates.set(entry.seq, follower.learn(learnt))
      } else if (entry.kind === 'policy') {
        const { version, cut, from } = JSON.parse(entry.body) as PolicyRecord
        const stored = await store.snapshot(row.id, problemVersion, version)
        const made = await madeBy(from, version, candidates.get(cut))
        policies++
        // From the stored one, so that each is judged by itself.
        learnt = stored === undefined ? (made ?? null) : (JSON.parse(stored.state) as EpochState)
        const former = learnt !== null && !learntAlike(learnt, follower.engine())
        if (made === undefined || JSON.stringify(made) !== stored?.state)
          fail(`${problemVersion}/${version}`, cut, former ? null : (stored?.software ?? SOFTWARE))
      }
    }
  }
  type Failed = (typeof failed)[number]
  // Learnt from rounds that went only afterwards.
  const isBeyond = ({ since, cut }: Failed) =>
    kept > since || forgettings.some(({ at, first }) => first < cut && cut < at)
  const names = (which: (one: Failed) => boolean) => failed.filter(which).map(({ name: of }) => of)
  return {
    records,
    policies,
    different: names((one) => !isBeyond(one) && one.software === SOFTWARE),
    otherVersion: names((one) => !isBeyond(one) && one.software !== SOFTWARE),
    beyond: names(isBeyond),
  }
}
