// Clients of a durability run: each decides and rewards as fast as it is answered, until its service is gone.

import { randomUUID } from 'node:crypto'
import { problems, randomRequest } from './problems.js'
import type { AskedDecision, ClientRecord } from './record.js'

interface Answer {
  readonly status: number
  readonly text: string
}

async function post(url: string, body: unknown): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return null
  }
}

const BATCH = 50

/** Runs until an answer fails to come; the record says what was acknowledged. */
export async function runClient(url: string, record: ClientRecord): Promise<void> {
  const names = Object.keys(problems)
  for (;;) {
    const problem = names[Math.floor(Math.random() * names.length)]!
    const eventIds = Array.from({ length: Math.random() < 0.1 ? BATCH : 1 }, () => randomUUID())
    for (const id of eventIds) record.decisions.set(id, { problem, eventId: id, body: randomRequest(id), reply: null })
    const [eventId] = eventIds as [string]
    const decided = eventIds.length === 1 ? decide(url, record, eventId) : decideBatch(url, record, eventIds)
    if (!(await decided)) return
    if (Math.random() < 0.1 && !(await decide(url, record, eventId))) return
    const rewards = problem === 'summed' ? Math.floor(Math.random() * 3) : Math.random() < 0.9 ? 1 : 0
    for (let k = 0; k < rewards; k++) {
      const rewardId = randomUUID()
      const value = Math.round(Math.random() * 1000) / 1000
      record.rewards.set(rewardId, { problem, eventId, rewardId, value, acknowledged: false })
      if (!(await reward(url, record, rewardId))) return
      if (Math.random() < 0.1 && !(await reward(url, record, rewardId))) return
    }
    if (Math.random() < 0.05) {
      const target = `${url}/v1/problems/${problem}/decisions/${eventId}/reveal`
      if ((await post(target, { covariates: { dose: 5 } })) === null) return
    }
  }
}

/** Asks (again) for a decision; false: no answer came. */
export async function decide(url: string, record: ClientRecord, eventId: string): Promise<boolean> {
  const asked = record.decisions.get(eventId)!
  const answer = await post(`${url}/v1/problems/${asked.problem}/decisions`, asked.body)
  if (answer === null) return false
  if (answer.status === 503) return true
  if (answer.status !== 200) record.contradictions.push(`decide ${eventId}: ${answer.status} ${answer.text}`)
  else acknowledge(record, asked, answer.text)
  return true
}

async function decideBatch(url: string, record: ClientRecord, eventIds: readonly string[]): Promise<boolean> {
  const asked = eventIds.map((eventId) => record.decisions.get(eventId)!)
  const decisions = asked.map(({ body }) => body)
  const answer = await post(`${url}/v1/problems/${asked[0]!.problem}/decisions/batch`, { decisions })
  if (answer === null) return false
  if (answer.status === 503) return true
  if (answer.status !== 200) record.contradictions.push(`batch: ${answer.status} ${answer.text}`)
  else {
    const { results } = JSON.parse(answer.text) as { results: readonly object[] }
    asked.forEach((one, k) => {
      const text = JSON.stringify(results[k])
      if ('error' in results[k]!) record.contradictions.push(`decide ${one.eventId}: ${text}`)
      else acknowledge(record, one, text)
    })
  }
  return true
}

/** The first reply counts; asked again it must be the same. */
function acknowledge(record: ClientRecord, asked: AskedDecision, reply: string): void {
  if (asked.reply === null) asked.reply = reply
  else if (asked.reply !== reply) record.contradictions.push(`decide ${asked.eventId}: another reply`)
}

/** Reports (again) a reward; false: no answer came. */
export async function reward(url: string, record: ClientRecord, rewardId: string): Promise<boolean> {
  const asked = record.rewards.get(rewardId)!
  const target = `${url}/v1/problems/${asked.problem}/decisions/${asked.eventId}/reward`
  const answer = await post(target, { value: asked.value, rewardId })
  if (answer === null) return false
  if (answer.status === 200) {
    const { status } = JSON.parse(answer.text) as { status: string }
    // A late reward is logged and does not count.
    if (status === 'accepted') asked.acknowledged = true
    return true
  }
  if (answer.status !== 503 && answer.status !== 404)
    record.contradictions.push(`reward ${rewardId}: ${answer.status} ${answer.text}`)
  return true
}
