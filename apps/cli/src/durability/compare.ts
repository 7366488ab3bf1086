// The store against the record of the clients: what is lost, what is there twice.

import type { Store } from '@primo/service'
import { problems } from './problems.js'
import type { ClientRecord } from './record.js'

export interface Comparison {
  readonly decisions: number
  readonly rewards: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

interface LoggedReward {
  readonly value: number
  readonly rewardId?: string
  readonly answer: string
}

export async function compareWithStore(store: Store, record: ClientRecord): Promise<Comparison> {
  const lost: string[] = []
  const doubled: string[] = []
  const replies = new Map<string, string>()
  const rewardCounts = new Map<string, number>()
  for (const name of Object.keys(problems)) {
    const row = (await store.problem(name))!
    for (let from = 0; ; ) {
      const page = await store.readDecisions(row.id, row.version, from, 1000)
      for (const { round, entry, later } of page) {
        if (round.round !== from) lost.push(`round ${from} of ${name}`)
        from = round.round + 1
        if (replies.has(round.eventId!)) doubled.push(`decision ${round.eventId}`)
        replies.set(round.eventId!, JSON.stringify((JSON.parse(entry.body) as { reply: unknown }).reply))
        let sum = 0
        for (const { kind, body } of later) {
          if (kind !== 'reward') continue
          const { rewardId, answer, value } = JSON.parse(body) as LoggedReward
          if (rewardId !== undefined) rewardCounts.set(rewardId, (rewardCounts.get(rewardId) ?? 0) + 1)
          if (answer === 'accepted') sum += value
        }
        if (round.arrivals > 0 && Math.abs(round.value - sum) > 1e-9) doubled.push(`value of ${round.eventId}`)
      }
      if (page.length === 0) break
    }
  }
  for (const [eventId, { reply }] of record.decisions) {
    if (reply === null) continue
    const stored = replies.get(eventId)
    if (stored === undefined) lost.push(`decision ${eventId}`)
    else if (stored !== reply) lost.push(`reply of ${eventId}`)
  }
  for (const [rewardId, { acknowledged }] of record.rewards)
    if (acknowledged && !rewardCounts.has(rewardId)) lost.push(`reward ${rewardId}`)
  for (const [rewardId, count] of rewardCounts) if (count > 1) doubled.push(`reward ${rewardId}`)
  return { decisions: replies.size, rewards: rewardCounts.size, lost, doubled }
}
