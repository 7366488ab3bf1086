// Replaying a problem's log from its first record: every state must come out as it was stored.

import type { EpochState } from '@primo/core'
import type { PolicyRecord, ProblemRecord } from '../ledger/records.js'
import type { Store } from '../store/store.js'
import { createFollower } from './follower.js'

export interface Replayed {
  readonly records: number
  /** Ends of epochs that were compared. */
  readonly policies: number
  /** Versions (problem version / policy version) that did not come out as stored. */
  readonly different: readonly string[]
}

export async function replayProblem(store: Store, name: string): Promise<Replayed> {
  const row = await store.problem(name)
  if (row === undefined) throw new Error(`no problem is called "${name}"`)
  const follower = createFollower(0)
  let records = 0
  let problemVersion = 0
  let learnt: EpochState | null = null
  let policies = 0
  const candidates = new Map<number, EpochState>()
  const different: string[] = []
  for (;;) {
    const page = await store.readLog(row.id, records === 0 ? 0 : follower.position(), 1000)
    if (page.length === 0) break
    for (const entry of page) {
      follower.take(entry)
      records++
      if (entry.kind === 'problem' && (JSON.parse(entry.body) as ProblemRecord).begins) {
        problemVersion++
        learnt = null
      } else if (entry.kind === 'epoch') {
        candidates.clear()
        candidates.set(entry.seq, follower.learn(learnt))
      } else if (entry.kind === 'policy') {
        const { version, cut } = JSON.parse(entry.body) as PolicyRecord
        const stored = await store.snapshot(row.id, problemVersion, version)
        const made = candidates.get(cut)
        policies++
        if (made === undefined || JSON.stringify(made) !== stored?.state) different.push(`${problemVersion}/${version}`)
        learnt = made ?? null
      }
    }
  }
  return { records, policies, different }
}
