// Batches on their way, against answers that are made up here.

import { once } from 'node:events'
import type { UploadItem } from '@primo/contract'
import { afterEach, expect, test, vi } from 'vitest'
import type { Report, Spool } from '../outbox.js'
import { createUploads, type UploadOptions } from './uploads.js'

afterEach(() => void vi.restoreAllMocks())

type Answer = { readonly status: number; readonly body: object }
type Sent = { readonly items: readonly UploadItem[] }

const taken = ({ items }: Sent): Answer => ({
  status: 200,
  body: { accepted: items.length, repeated: 0, refused: [], policy: '1.0.0' },
})
const refusal = (status: number, code: string): Answer => ({ status, body: { code, detail: code, status } })

/** Uploads of rewards, and what was sent. */
function opened(
  answer: (sent: Sent) => Answer | Promise<Answer>,
  { acknowledge = 'commit', problem = 'p', ...more }: Partial<Parameters<typeof createUploads>[0]> & UploadOptions = {},
) {
  const sent: Sent[] = []
  const uploads = createUploads({
    url: 'http://here',
    problem,
    caller: 'web',
    acknowledge,
    uploads: { wait: 1, ...more },
    told: () => undefined,
    backoff: 1,
    fetch: async (_, init) => {
      const body = JSON.parse(String(init!.body)) as Sent
      sent.push(body)
      const { status, body: told } = await answer(body)
      return new Response(JSON.stringify(told), { status })
    },
  })
  const reward = (value: number) =>
    uploads.add({ policy: '1.0.0', toItem: () => ({ reward: { id: 'web~0~0', value } }) })
  return { uploads, sent, reward }
}

const memorySpool = (kept: Map<string, Report>): Spool => ({
  kept: async () => [...kept.values()],
  add: async (report) => void kept.set(report.id, report),
  remove: async (id) => void kept.delete(id),
})

test('all who wait for a batch are answered when it is taken, or hear that it was lost', async () => {
  for (const answer of [taken, () => refusal(401, 'unauthorized')]) {
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const { uploads, reward } = opened((body) => gate.then(() => answer(body)))
    reward(1)
    const ended: string[] = []
    const asked = ['first', 'second'].map((name) =>
      uploads.acknowledged().then(
        () => ended.push(`${name} taken`),
        () => ended.push(`${name} lost`),
      ),
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(ended).toEqual([])
    go()
    await Promise.all(asked)
    const word = answer === taken ? 'taken' : 'lost'
    expect(ended).toEqual([`first ${word}`, `second ${word}`])
    // It is heard once.
    await uploads.acknowledged()
  }
})

test('one item without the form of one does not take the others with it', async () => {
  const refused: UploadItem[] = []
  const lost: unknown[] = []
  const whole = (body: Sent) =>
    body.items.some((item) => 'reward' in item && item.reward.value === null)
      ? refusal(400, 'invalid-request')
      : body.items.length > 200
        ? refusal(413, 'too-large')
        : taken(body)
  const { uploads, reward } = opened(whole, {
    onRefused: (item) => refused.push(item),
    onLost: (report) => lost.push(report),
  })
  for (let k = 0; k < 400; k++) reward(k === 123 ? Number.NaN : k)
  await uploads.acknowledged()
  expect(uploads.counts()).toMatchObject({ accepted: 399, refused: 1, lost: 0, waiting: 0 })
  expect(refused).toHaveLength(1)
  // Where none is taken, all are lost.
  reward(Number.NaN)
  reward(Number.NaN)
  await expect(uploads.acknowledged()).rejects.toMatchObject({ code: 'invalid-request' })
  expect(lost).toHaveLength(1)
})

test('an item that cannot be written is lost alone', async () => {
  const { uploads, reward } = opened(taken)
  reward(1)
  uploads.add({
    policy: '1.0.0',
    toItem: () => {
      throw new TypeError('no JSON')
    },
  })
  reward(2)
  await uploads.acknowledged()
  expect(uploads.counts()).toMatchObject({ accepted: 2, lost: 1, waiting: 0 })
})

test('there is room when batches were given up, and when none waits', { timeout: 10_000 }, async () => {
  let waiting = true
  const { uploads, reward } = opened(() => (waiting ? refusal(503, 'overloaded') : refusal(401, 'unauthorized')), {
    size: 1,
    keepAtMost: 2,
  })
  reward(1)
  reward(2)
  await vi.waitFor(() => expect(uploads.counts().pressure).toBe(1))
  const room = uploads.room(0.5)
  waiting = false
  await room
  await uploads.room(0)
  expect(uploads.counts()).toMatchObject({ lost: 2, pressure: 0 })
})

test('a listener that throws does not send the batch again', async () => {
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  try {
    const error = { code: 'verification-failed', detail: 'no', status: 422 }
    const body = { accepted: 0, repeated: 0, refused: [{ item: 0, error }], policy: '1.0.0' }
    const { uploads, reward, sent } = opened(() => ({ status: 200, body }), {
      onRefused: () => {
        throw new Error('mine')
      },
    })
    const heard = once(process, 'uncaughtException')
    reward(1)
    await uploads.acknowledged()
    expect((await heard)[0]).toMatchObject({ message: 'mine' })
    expect(sent).toHaveLength(1)
  } finally {
    for (const listener of listeners) process.on('uncaughtException', listener)
  }
})

test('problems of one caller may share a spool', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(1e12)
  const kept = new Map<string, Report>()
  const away = () => refusal(503, 'overloaded')
  const all = ['p', 'q'].map((problem) => opened(away, { acknowledge: 'spool', problem, spool: memorySpool(kept) }))
  for (const { reward } of all) reward(1)
  await Promise.all(all.map(({ uploads }) => uploads.acknowledged()))
  expect([...kept.values()].map(({ problem }) => problem).sort()).toEqual(['p', 'q'])
})

test('a key that does not count leaves in the spool what is there', async () => {
  const kept = new Map<string, Report>()
  const key = { counts: false }
  const { uploads, reward } = opened((body) => (key.counts ? taken(body) : refusal(401, 'unauthorized')), {
    acknowledge: 'spool',
    spool: memorySpool(kept),
  })
  reward(1)
  await uploads.acknowledged()
  expect(await uploads.settled(100)).toBe(1)
  expect(kept.size).toBe(1)
  key.counts = true
  expect(await uploads.settled()).toBe(0)
  expect(uploads.counts()).toMatchObject({ accepted: 1, lost: 0 })
})
