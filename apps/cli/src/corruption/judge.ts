// Asks a service on a damaged store for everything that was acknowledged: each answer must be the one of then, or a refusal that
// says why.

import { join } from 'node:path'
import { openRawStore, type Service, verifyStore } from '@primo/service'
import { call, type Image, start, statesOf, type Told } from './image.js'

export interface Judgement {
  /** Who noticed: the start, a reading, only `primo verify`, nobody. */
  readonly noticed: 'start' | 'reading' | 'verify' | 'nobody'
  readonly says: string
  /** Answers that are not those of then. */
  readonly changed: readonly string[]
}

const BATCH = 50

export async function judge(folder: string, { told, states }: Image): Promise<Judgement> {
  let service: Service
  try {
    service = await start(folder)
  } catch (error) {
    return { noticed: 'start', says: (error as Error).message, changed: [] }
  }
  const { store } = service
  const atStart = store.damage().map(({ detail }) => detail)
  const answers: Answers = { changed: [], refused: [] }
  try {
    await compareStates(service, states, answers)
    for (const name of states.keys()) {
      const own = told.filter(({ problem }) => problem === name)
      for (let at = 0; at < own.length; at += BATCH) await askAgain(service, own.slice(at, at + BATCH), answers)
    }
  } finally {
    await service.close()
  }
  const { changed, refused } = answers
  const found = [...store.damage().map(({ detail }) => detail), ...refused][0]
  if (atStart[0] !== undefined) return { noticed: 'start', says: atStart[0], changed }
  if (found !== undefined) return { noticed: 'reading', says: found, changed }
  const later = await verified(folder)
  return { noticed: later === null ? 'nobody' : 'verify', says: later ?? '', changed }
}

interface Answers {
  readonly changed: string[]
  /** What refusals said. */
  readonly refused: string[]
}

/** What the next decisions depend on, unless they are refused. */
async function compareStates(service: Service, states: Image['states'], { changed, refused }: Answers): Promise<void> {
  try {
    const now = await statesOf(service)
    const damaged = service.store.damage().map(({ problem }) => problem)
    for (const [name, state] of now)
      if (state !== states.get(name) && !damaged.includes(name) && !damaged.includes(null))
        changed.push(`the state of ${name}`)
  } catch (error) {
    refused.push((error as Error).message)
  }
}

async function askAgain(service: Service, told: readonly Told[], answers: Answers): Promise<void> {
  const path = `/v1/problems/${told[0]!.problem}`
  const decisions = told.map(({ request }) => request)
  await ask(
    service,
    `${path}/decisions/batch`,
    { decisions },
    answers,
    (result, k) => JSON.stringify(result) === told[k]!.reply,
  )
  const rewards = told.flatMap(({ eventId, reward }) =>
    reward === null ? [] : [{ id: eventId, value: reward, rewardId: `r-${eventId}` }],
  )
  // Each was counted: it must be a duplicate now.
  await ask(service, `${path}/rewards/batch`, { rewards }, answers, ({ status }) => status === 'duplicate')
}

interface Result {
  readonly status?: string
  readonly error?: { readonly code: string; readonly detail: string }
}

async function ask(
  service: Service,
  route: string,
  body: object,
  { changed, refused }: Answers,
  asThen: (result: Result, k: number) => boolean,
): Promise<void> {
  try {
    const { results } = await call<{ results: Result[] }>(service, 'POST', route, body)
    results.forEach((result, k) => {
      if (result.error?.code.startsWith('store-')) refused.push(result.error.detail)
      else if (!asThen(result, k)) changed.push(`${route}: ${JSON.stringify(result).slice(0, 200)}`)
    })
  } catch (error) {
    const { message } = error as Error
    if (/"code":"store-/.test(message)) refused.push(message)
    else changed.push(message)
  }
}

async function verified(folder: string): Promise<string | null> {
  const store = await openRawStore(`sqlite:${join(folder, 'primo.db')}`)
  try {
    return (await verifyStore(store)).damage[0]?.detail ?? null
  } finally {
    await store.close()
  }
}
