// What every store must do, whatever it is made of. An implementation's test opens it and calls `storeSuite`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replyOf, wholeRecord } from '../codec/codec.js'
import { checkRows } from '../integrity/check-rows.js'
import type { Command, Decide, Outcome } from '../ledger/commands.js'
import type { RawStore } from '../ledger/raw-store.js'
import type { Head, Store } from '../ledger/store.js'
import type { Damage } from '../ledger/store-damaged.js'
import type { StoredKey } from '../ledger/stored-key.js'

export interface StoreUnderTest {
  /** Opens the store of this name, new or as it was left. Time is what `clock` says. */
  readonly open: (name: string, clock: () => number) => Promise<Store>
  /** The store of this name as it lies there. */
  readonly raw: (name: string) => Promise<RawStore>
  /** Runs SQL in the store of this name behind its back. */
  readonly run: (name: string, sql: string) => Promise<void>
}

const T0 = 1_700_000_000_000
const start = { epoch: 1, quota: 1_000_000, counted: 'closed' as const }
const definition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
} as Extract<Command, { kind: 'define' }>['definition']

export function define(problem: string, changes: object = {}, renew = false): Command {
  return { kind: 'define', problem, definition: { ...definition, ...changes }, seed: 7, renew, start }
}

export function decide(problem: string, id: string, eventId: string | null = null, revision = 1): Decide {
  const request = { context: { x: 0.5 }, ...(eventId === null ? {} : { eventId }) }
  const learning = { predictions: {}, used: [0], action: 'a', propensity: 0.5, policy: 0 }
  const before = JSON.stringify({ id, eventId, holdout: false, deferred: false, request, learning }).slice(0, -1)
  const head = `${before},"reply":`
  return {
    kind: 'decide',
    problem,
    revision,
    id,
    eventId,
    record: Buffer.from(head + JSON.stringify({ decisionId: id, action: 'a' }).slice(0, -1)),
    replyAt: Buffer.byteLength(head),
    windowed: true,
    action: 'a',
    holdout: false,
    deferred: false,
    covariates: { z: { observed: false, source: 'constant', reason: null, asked: false } },
    clipped: [],
  }
}

export function reward(problem: string, ref: string, value: number, rewardId: string | null = null): Command {
  return { kind: 'reward', problem, ref, value, rewardId }
}

async function allOf<T>(given: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of given) all.push(one)
  return all
}

export function storeSuite(kind: string, { open, raw, run }: StoreUnderTest): void {
  describe(`${kind} is a store`, () => {
    const clock = { now: T0 }
    let store: Store
    let id: number
    const one = async (command: Command): Promise<Outcome> => (await store.commit([command]))[0]!
    const book = async (name = 'p') => (await store.problem(name))!.book
    const records = async (name = 'p') => store.readLog((await store.problem(name))!.id, 0, 10_000)

    beforeAll(async () => {
      store = await open('main', () => clock.now)
      await store.commit([define('p')])
      id = (await store.problem('p'))!.id
    })
    afterAll(() => store.close())

    test('says what it is, without secrets, and that it can be written', async () => {
      expect(store.place).not.toMatch(/:[^/]*@/)
      await store.check()
      expect(store.metrics.queued()).toBe(0)
      expect(await store.problem('nobody')).toBeUndefined()
    })

    test('commits share group commits in the order of their arrival', async () => {
      const seen: number[] = []
      store.metrics.onCommit(({ commands }) => void seen.push(commands))
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, k) => one(decide('p', `order-${String(k).padStart(3, '0')}`))),
      )
      expect(replies.every((reply) => 'duplicate' in reply)).toBe(true)
      expect(seen.length).toBeLessThan(100)
      expect(seen.reduce((sum, commands) => sum + commands)).toBe(200)
      const log = (await records()).filter(({ kind: record }) => record === 'decision')
      const ids = log.map(({ body }) => (JSON.parse(body) as { id: string }).id)
      expect(ids).toEqual([...ids].sort())
      expect(log.map(({ round }) => round)).toEqual(log.map((_, k) => k))
    })

    test('records are numbered without gaps, in time', async () => {
      const log = await records()
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, k) => k + 1))
      clock.now -= 5000
      await one(decide('p', 'clock-went-back'))
      clock.now += 5000
      const times = (await records()).map(({ time }) => time)
      expect(times).toEqual([...times].sort((a, b) => a - b))
    })

    test('a command of a batch sees what earlier ones of the batch did', async () => {
      const outcomes = await store.commit([
        decide('p', 'in-1', 'event-1'),
        decide('p', 'in-2', 'event-1'),
        reward('p', 'event-1', 1, 'r'),
        reward('p', 'in-1', 1, 'r'),
        reward('p', 'in-1', 0, 'r'),
        { kind: 'void', problem: 'p', ref: 'in-1', unseen: false },
      ])
      expect(outcomes).toMatchObject([
        { duplicate: false },
        { duplicate: true, decided: String(replyOf(decide('p', 'in-1', 'event-1'), null)) },
        { decisionId: 'in-1', status: 'accepted' },
        { status: 'duplicate' },
        { error: 'reward-conflict' },
        { error: 'round-closed' },
      ])
    })

    test('an event id counts once, also when two come at the same time', async () => {
      const before = (await book()).rounds
      const replies = await Promise.all([1, 2, 3].map((k) => one(decide('p', `same-${k}`, 'event-2'))))
      expect(replies.filter((reply) => !(reply as { duplicate: boolean }).duplicate).length).toBe(1)
      expect(new Set(replies.map((reply) => (reply as { decided?: string }).decided)).size).toBe(2)
      expect((await book()).rounds).toBe(before + 1)
      const given = decide('p', 'same-4', 'event-2')
      const other = { ...given, record: Buffer.from(String(given.record).replace('"x":0.5', '"x":1')) }
      expect(await one(other)).toMatchObject({ error: 'event-conflict' })
    })

    test('an event id is no id of another decision, so nobody takes its reward', async () => {
      await one(decide('p', 'named'))
      const before = (await book()).rounds
      expect(await one(decide('p', 'other', 'named'))).toMatchObject({ error: 'event-conflict' })
      const together = [decide('p', 'fresh'), decide('p', 'other', 'fresh'), reward('p', 'fresh', 1)]
      expect(await store.commit(together)).toMatchObject([
        { duplicate: false },
        { error: 'event-conflict' },
        { decisionId: 'fresh', status: 'accepted' },
      ])
      expect((await book()).rounds).toBe(before + 1)
      expect(await one(reward('p', 'named', 0))).toMatchObject({ decisionId: 'named', status: 'accepted' })
    })

    test('a command that cannot be settled takes nothing with it and leaves nothing behind', async () => {
      const before = await records()
      const [good, bad, after] = await Promise.allSettled([
        one(decide('p', 'good')),
        // The id is taken: no caller can do this, a fault of ours could.
        store.commit([decide('p', 'half'), decide('p', 'good')]),
        one(decide('p', 'after')),
      ])
      expect([good.status, bad.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      const ids = (await records()).slice(before.length).map(({ body }) => (JSON.parse(body) as { id: string }).id)
      expect(ids).toEqual(['good', 'after'])
      expect(await store.decision(id, 'half')).toBeUndefined()
      expect((await book()).seq).toBe(before.length + 2)
      expect((await book()).tally.decisions).toBe((await book()).rounds)
    })

    test('a decision made under an older revision is made again', async () => {
      expect(await one(decide('p', 'stale', null, 0))).toEqual({ stale: true })
    })

    test('a write that was made from something older is not written', async () => {
      expect(await one({ ...decide('p', 'of-another'), of: id + 1000 })).toEqual({ stale: true })
      const body = { learning: {}, level: 0.95 }
      expect(await one({ kind: 'candidate', problem: 'p', body, revision: 0 })).toEqual({ stale: true })
      expect((await book()).candidate).toBeUndefined()
      const [hash, created] = ['a'.repeat(64), T0]
      const none = { problems: null, expires: null, previous: null, revoked: null }
      const key: StoredKey = { name: 'k', role: 'read', hash, created, ...none }
      const rotated = { ...key, hash: 'b'.repeat(64), previous: { hash, until: T0 + 1 } }
      expect(await store.writeKey(key, null)).toBe(true)
      expect(await store.writeKey(rotated, null)).toBe(false)
      expect(await store.writeKey(rotated, key)).toBe(true)
      expect(await store.writeKey({ ...key, revoked: T0 }, key)).toBe(false)
      expect(await store.keys()).toEqual([rotated])
      expect(await store.writeKey({ ...rotated, revoked: T0 }, rotated)).toBe(true)
    })

    test('heads tell what changed, after it is there to be read', async () => {
      const heads: Head[] = []
      store.onHeads((some) => void heads.push(...some))
      await one(decide('p', 'head'))
      expect(heads.at(-1)).toMatchObject({ name: 'p', version: 1, retired: false, ending: null })
      expect(heads.at(-1)!.seq).toBe((await book()).seq)
      const before = heads.length
      await one(reward('p', 'nobody', 1))
      expect(heads.length).toBe(before)
    })

    test('a decision is read with everything recorded of it, by either id', async () => {
      await store.commit([
        decide('p', 'read', 'event-read'),
        { kind: 'reveal', problem: 'p', version: 1, ref: 'read', covariates: { z: 0.25 } },
        reward('p', 'event-read', 0.75),
      ])
      const stored = (await store.decision(id, 'event-read'))!
      expect(stored).toEqual(await store.decision(id, 'read'))
      expect(stored.round).toMatchObject({
        id: 'read',
        eventId: 'event-read',
        state: 'closed',
        value: 0.75,
        arrivals: 1,
      })
      expect(stored.later.map(({ kind: record }) => record)).toEqual(['reveal', 'reward'])
      expect(stored.revealed).toEqual({ z: 0.25 })
      const all = await store.readDecisions(id, 1, 0, 1000)
      expect(all.map(({ round }) => round.round)).toEqual(all.map((_, k) => k))
      expect(await store.readDecisions(id, 1, all.length - 1, 5)).toEqual([all.at(-1)])
      expect(await allOf(store.allDecisions(id, 1, 0))).toEqual(all)
      expect(await allOf(store.allDecisions(id, 1, all.length - 1))).toEqual([all.at(-1)])
    })

    test('a log of many rows is imported once, whatever its texts are, and read as it was written', async () => {
      const odd = ['tab\t', 'line\n', 'return\r', 'back\\slash', '\\N', '\\t', 'quote"', '{a,b}', '😀 é']
      const commands = Array.from({ length: 1500 }, (_, k): Command => {
        const text = `${odd[k % odd.length]}${k}`
        const decided = decide('bulk', `i-${text}`, `e-${text}`)
        const { action, holdout, covariates, clipped } = decided
        const { request, learning, reply } = JSON.parse(String(wholeRecord(decided, null))) as Record<string, unknown>
        const texts = {
          request: JSON.stringify(request),
          learning: JSON.stringify(learning),
          reply: JSON.stringify(reply),
        }
        const whole = { ...texts, row: JSON.stringify({ decisionId: text }), action, holdout, covariates, clipped }
        const reward = k % 10 === 0 ? null : k / 1500
        const revealed: Record<string, number> = k % 3 === 0 ? { z: 1 / 3 } : {}
        const where = { problem: 'bulk', version: 1, id: `i-${text}`, eventId: `e-${text}` }
        return { kind: 'import', ...where, ...whole, revealed, reward }
      })
      await store.commit([define('bulk')])
      expect(await store.commit(commands)).toEqual(commands.map(() => expect.objectContaining({ duplicate: false })))
      expect(await store.commit(commands)).toEqual(commands.map(() => expect.objectContaining({ duplicate: true })))
      const bulk = (await store.problem('bulk'))!
      const paged = [
        ...(await store.readDecisions(bulk.id, 1, 0, 800)),
        ...(await store.readDecisions(bulk.id, 1, 800, 800)),
      ]
      expect(paged).toHaveLength(1500)
      expect(await allOf(store.allDecisions(bulk.id, 1, 0))).toEqual(paged)
      expect(paged.map(({ round }) => [round.id, round.eventId])).toEqual(
        commands.map((command) => [(command as { id: string }).id, (command as { eventId: string }).eventId]),
      )
      expect(paged[3]).toMatchObject({ round: { value: 3 / 1500, state: 'closed' }, revealed: { z: 1 / 3 } })
      // One that is broken off leaves the store as it was.
      for await (const { round } of store.allDecisions(bulk.id, 1, 5)) {
        expect(round.round).toBe(5)
        break
      }
      // So does a batch that fails in the middle.
      const failing = Array.from({ length: 1500 }, (_, k) => decide('bulk', k === 1400 ? 'failing-3' : `failing-${k}`))
      await expect(store.commit(failing)).rejects.toThrow()
      expect(await store.decision(bulk.id, 'failing-3')).toBeUndefined()
      expect(await one(decide('bulk', 'after'))).toMatchObject({ duplicate: false })
    })

    test('event ids and reward ids are any text', async () => {
      for (const [k, text] of ['n', 'é', 'e\u0301', '\u2400', '\\', '"', '😀'.repeat(200)].entries()) {
        expect(await one(decide('p', `text-${k}`, text)), text).toMatchObject({ duplicate: false })
        expect(await one(decide('p', `again-${k}`, text)), text).toMatchObject({ duplicate: true })
        expect(await one(reward('p', text, 1, text)), text).toMatchObject({
          decisionId: `text-${k}`,
          status: 'accepted',
        })
        expect(await one(reward('p', text, 1, text)), text).toMatchObject({ status: 'duplicate' })
        expect((await store.decision(id, text))?.round, text).toMatchObject({ id: `text-${k}`, eventId: text })
      }
    })

    test('what fits an older version of the problem is judged by the newer one', async () => {
      await store.commit([define('newer')])
      await store.commit([define('newer', { reward: { min: 0, max: 0.5 } }, true)])
      await one(decide('newer', 'n-1', null, 2))
      expect(await one(reward('newer', 'n-1', 1))).toMatchObject({ error: 'out-of-range' })
      const reveal = { kind: 'reveal', problem: 'newer', ref: 'n-1', covariates: { z: 0.25 } } as const
      expect(await one({ ...reveal, version: 1 })).toEqual({ stale: true })
      expect(await one({ ...reveal, version: 2 })).toMatchObject({ status: 'accepted' })
    })

    test('the log is read in pages', async () => {
      const whole = await records()
      const paged = []
      for (let after = 0; ; ) {
        const page = await store.readLog(id, after, 7)
        if (page.length === 0) break
        paged.push(...page)
        after = page.at(-1)!.seq
      }
      expect(paged).toEqual(whole)
    })

    test('a policy is published once, for the end that the log waits for', async () => {
      await store.commit([define('learns')])
      const row = (await store.problem('learns'))!
      await store.commit([decide('learns', 'l-1'), reward('learns', 'l-1', 1)])
      await store.commit([define('learns', { actions: ['a', 'b', 'c'] })])
      const { cut } = (await book('learns')).ending!
      const publish = {
        problem: 'learns',
        kind: 'publish',
        version: 1,
        cut,
        report: 'null',
        software: '0',
        next: start,
      } as const
      expect(await one({ ...publish, cut: cut - 1, state: '{}' })).toEqual({ stale: true })
      const both = await Promise.all(['{"by":1}', '{"by":2}'].map((state) => one({ ...publish, state })))
      expect(both).toEqual([{ done: true }, { stale: true }])
      expect(await store.snapshot(row.id, 1, 1)).toMatchObject({ state: '{"by":1}', cut, version: 1 })
      expect(await store.snapshots(row.id)).toMatchObject([{ version: 1, problemVersion: 1, cut }])
      expect(await store.snapshot(row.id, 1, 2)).toBeUndefined()
      expect(await book('learns')).toMatchObject({ policy: 1, learnt: 1, ending: null })
      expect(await one({ kind: 'operate', problem: 'learns', operation: { rollback: 2 } })).toMatchObject({
        error: 'unknown-policy',
      })
    })

    test('windows close by the clock of the store, the default counts', async () => {
      await store.commit([define('window', { reward: { min: 0, max: 1, window: { milliseconds: 100 }, default: 0 } })])
      await store.commit([decide('window', 'w-1'), decide('window', 'w-2'), reward('window', 'w-1', 1)])
      const tick = { kind: 'tick', problem: 'window' } as const
      expect(await one(tick)).toEqual({ closed: 0, more: false })
      clock.now += 100
      expect(await one(tick)).toEqual({ closed: 2, more: false })
      expect(await one(tick)).toEqual({ closed: 0, more: false })
      const row = (await store.problem('window'))!
      expect((await store.readDecisions(row.id, 1, 0, 5)).map(({ round }) => round.value)).toEqual([1, 0])
    })

    test('retention removes old decisions and what belongs to them, and nothing else', async () => {
      await store.commit([define('old', { retention: { days: 1 } })])
      const row = (await store.problem('old'))!
      await store.commit([
        decide('old', 'o-1', 'event-o-1'),
        reward('old', 'o-1', 1, 'r'),
        { kind: 'reveal', problem: 'old', version: 1, ref: 'o-1', covariates: { z: 1 } },
      ])
      clock.now += 43_200_000
      await store.commit([decide('old', 'o-2'), reward('old', 'o-2', 0, 'r')])
      clock.now += 43_200_000 + 3_600_000
      await one({ kind: 'tick', problem: 'old' })
      expect(await store.decision(row.id, 'o-1')).toBeUndefined()
      expect(await one(reward('old', 'event-o-1', 1, 'r'))).toMatchObject({ error: 'unknown-decision' })
      expect(await one(reward('old', 'o-2', 0, 'r'))).toMatchObject({ status: 'duplicate' })
      const kinds = (await records('old')).map(({ kind: record }) => record)
      expect(kinds).toEqual(['problem', 'decision', 'reward', 'retention'])
      expect((await store.readDecisions(row.id, 1, 0, 10)).map(({ round }) => round.round)).toEqual([1])
      // Its number goes on, and the other problems are as they were.
      await one(decide('old', 'o-3'))
      expect((await store.decision(row.id, 'o-3'))!.round.round).toBe(2)
      expect((await records()).length).toBe((await book()).seq)
    })

    test('retention gives up what is still open, and reaches earlier versions and what was voided unseen', async () => {
      const keep = { retention: { days: 1 } }
      await store.commit([define('aged', keep)])
      const row = (await store.problem('aged'))!
      const deferred = { ...decide('aged', 'a-2'), deferred: true }
      await store.commit([decide('aged', 'a-1'), deferred, reward('aged', 'a-1', 1)])
      const change = { ...keep, context: { x: { type: 'number', min: 0.5, max: 2 } } }
      expect(await one(define('aged', change, true))).toEqual({ defined: 'renewed' })
      await store.commit([
        decide('aged', 'b-1', 'event-b-1', 2),
        { kind: 'void', problem: 'aged', ref: 'never-seen', unseen: true },
        { ...decide('aged', 'b-2', null, 2), deferred: true },
      ])
      clock.now += 90_000_000
      // What is decided in the same batch stays.
      await store.commit([decide('aged', 'b-3', null, 2), { kind: 'tick', problem: 'aged' }])
      const { tally, rounds } = (await store.problem('aged'))!.book
      expect({ open: tally.open, pending: tally.pending, dropped: tally.dropped, expired: tally.expired }).toEqual({
        open: 1,
        pending: 0,
        dropped: 1,
        expired: 1,
      })
      expect(rounds).toBe(3)
      for (const id of ['a-1', 'a-2', 'b-1', 'b-2', 'event-b-1', 'never-seen'])
        expect(await store.decision(row.id, id), id).toBeUndefined()
      expect((await store.decision(row.id, 'b-3'))!.round.round).toBe(2)
      const kinds = (await records('aged')).map(({ kind: record }) => record)
      expect(kinds).toEqual(['problem', 'problem', 'decision', 'retention'])
      // Nothing more to remove: no further record.
      await one({ kind: 'tick', problem: 'aged' })
      expect((await records('aged')).length).toBe(4)
      // The event id is free again.
      expect(await one(decide('aged', 'b-4', 'never-seen', 2))).toMatchObject({ duplicate: false })
    })

    test('what is forgotten is gone from records and truths, the rest stays; a purged problem is gone', async () => {
      await store.commit([define('subjects', { actions: ['a', 'b'] })])
      const about = (ref: string, subject: string) => {
        const given = decide('subjects', ref, `event-${ref}`)
        const text = String(given.record).replace('{"context":{"x":0.5}', `{"subject":"${subject}","context":{"x":0.5}`)
        const replyAt = Buffer.byteLength(text.slice(0, text.indexOf(',"reply":') + ',"reply":'.length))
        return { ...given, record: Buffer.from(text), replyAt }
      }
      const reveal = { kind: 'reveal', problem: 'subjects', version: 1, covariates: { z: 0.987654321 } } as const
      await store.commit([
        about('s-1', 'ada'),
        about('s-2', 'bob'),
        about('s-3', 'ada'),
        { ...reveal, ref: 's-1' },
        { ...reveal, ref: 's-2' },
        reward('subjects', 's-1', 1),
      ])
      const row = (await store.problem('subjects'))!
      const seqs = await store.decisionsOf(row.id, 'ada', 0, row.book.seq)
      expect(seqs).toEqual([2, 4])
      expect(await store.decisionsOf(row.id, 'ada', 2, row.book.seq)).toEqual([4])
      const { tally } = row.book
      expect(await one({ kind: 'forget', problem: 'subjects', seqs, by: 'eve' })).toEqual({ forgotten: 2 })
      expect(await one({ kind: 'forget', problem: 'subjects', seqs, by: 'eve' })).toEqual({ forgotten: 0 })
      expect(await store.erase(false)).toBe(true)
      const log = await records('subjects')
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, k) => k + 1))
      expect(JSON.parse(log.at(-1)!.body)).toEqual({ decisions: [2, 4], rounds: [0, 2], by: 'eve' })
      const texts = log.map(({ body }) => body).join()
      expect([texts.includes('ada'), texts.includes('bob'), texts.split('0.987654321').length]).toEqual([
        false,
        true,
        2,
      ])
      const [first, second, third] = await store.readDecisions(row.id, 1, 0, 10)
      expect(first!.round).toMatchObject({ id: 's-1', state: 'closed', value: 1 })
      expect([first!.revealed, second!.revealed]).toEqual([{}, { z: 0.987654321 }])
      expect(third!.round).toMatchObject({ id: 's-3', state: 'void', deadline: null })
      const after = (await book('subjects')).tally
      expect(after).toEqual({ ...tally, open: tally.open - 1, voided: tally.voided + 1 })
      expect(await one({ ...reveal, ref: 's-1' })).toMatchObject({ error: 'subject-forgotten' })
      expect(await one(about('again', 'ada'))).toMatchObject({ duplicate: false })
      expect(await one({ ...about('s-9', 'ada'), eventId: 'event-s-1' })).toMatchObject({ error: 'subject-forgotten' })

      expect(await one({ kind: 'purge', problem: 'subjects' })).toMatchObject({ error: 'problem-active' })
      await one({ kind: 'operate', problem: 'subjects', operation: 'retire' })
      expect(await one({ kind: 'purge', problem: 'subjects' })).toEqual({ done: true })
      expect(await store.problem('subjects')).toBeUndefined()
      expect(await store.readLog(row.id, 0, 10)).toEqual([])
      expect(await store.decision(row.id, 's-2')).toBeUndefined()
      expect(await one(define('subjects'))).toEqual({ defined: 'created' })
      expect(await records('subjects')).toHaveLength(1)
      await one({ kind: 'operate', problem: 'subjects', operation: 'retire' })
      await one({ kind: 'purge', problem: 'subjects' })
    })

    test('a new version of a problem begins its rounds anew and keeps the old ones readable', async () => {
      await store.commit([define('again')])
      const row = (await store.problem('again'))!
      await store.commit([decide('again', 'v1', 'event-v'), reward('again', 'v1', 1)])
      const change = { context: { x: { type: 'number', min: 0.5, max: 2 } } }
      expect(await one(define('again', change))).toMatchObject({ error: 'problem-changed' })
      expect(await one(define('again', change, true))).toEqual({ defined: 'renewed' })
      await one(decide('again', 'v2', null, 2))
      expect((await store.readDecisions(row.id, 1, 0, 5)).map(({ round }) => round.id)).toEqual(['v1'])
      expect((await store.readDecisions(row.id, 2, 0, 5)).map(({ round }) => round.id)).toEqual(['v2'])
      expect((await store.decision(row.id, 'v2'))!.later).toEqual([])
      expect(await one(reward('again', 'v1', 1, 'late'))).toMatchObject({ status: 'superseded' })
    })

    describe('what is changed behind its back', () => {
      const said = { error: 'store-damaged' }
      const thrown = { code: 'store-damaged' }
      const some = (p: string) => [decide(p, 'd-1', 'e-1'), reward(p, 'd-1', 1, 'r-1'), decide(p, 'd-2', 'e-2')]

      interface Change {
        readonly sql: string
        /** What the store says of it. */
        readonly detail: RegExp
        /** What finds it, if not the start. */
        readonly by?: (problem: string) => Command
      }

      /** Opens a store with a problem for each change, each with these commands, and opens it again after the changes. */
      async function changed(
        name: string,
        changes: Readonly<Record<string, Change>>,
        history: (p: string) => Command[],
      ) {
        const before = await open(name, () => clock.now)
        await before.commit([define('whole')])
        for (const [problem, { sql }] of Object.entries(changes)) {
          await before.commit([define(problem)])
          for (const command of history(problem)) await before.commit([command])
          expect(sql).toContain('ID')
        }
        const ids = new Map((await before.problems()).map((row) => [row.name, row.id]))
        expect(before.damage()).toEqual([])
        await before.close()
        for (const [problem, { sql }] of Object.entries(changes))
          await run(name, sql.replaceAll('ID', String(ids.get(problem))))
        return { after: await open(name, () => clock.now), ids }
      }

      async function areRefused(after: Store, changes: Readonly<Record<string, Change>>): Promise<void> {
        const damage = new Map(after.damage().map(({ problem, detail }) => [problem, detail]))
        expect([...damage.keys()].sort()).toEqual(Object.keys(changes).sort())
        for (const [problem, { detail }] of Object.entries(changes)) {
          expect(damage.get(problem)).toMatch(detail)
          const commands = [decide(problem, 'd-3'), decide('whole', `besides-${problem}`), reward(problem, 'd-2', 1)]
          expect(await after.commit(commands)).toMatchObject([said, { duplicate: false }, said])
        }
      }

      test('a digit of a policy, a book, a definition, a cut end: said at the start', async () => {
        const cut = { cut: 6, state: '{"gamma":10}', report: 'null', software: '0', next: start }
        const changes = {
          state: {
            sql: `update snapshots set state = '{"gamma":11}' where problem = ID`,
            detail: /policy 1 .* is damaged/,
          },
          policy: { sql: 'delete from snapshots where problem = ID', detail: /policy 1 is gone/ },
          book: {
            sql: `update problems set book = replace(book, '"rounds":2', '"rounds":3') where id = ID`,
            detail: /row of problem "book"/,
          },
          definition: {
            sql: `update problems set definition = replace(definition, '"c"', '"d"') where id = ID`,
            detail: /row of problem "definition"/,
          },
          tail: { sql: 'delete from log where problem = ID and seq > 5', detail: /record 7 is gone/ },
          newest: {
            sql: 'update log set time = time + 1 where problem = ID and seq = 7',
            detail: /record 7 is damaged/,
          },
        }
        const { after } = await changed('at-the-start', changes, (problem) => [
          ...some(problem),
          define(problem, { actions: ['a', 'b', 'c'] }),
          { kind: 'publish', problem, version: 1, ...cut },
        ])
        await areRefused(after, changes)
        await after.close()
      })

      test('a record, a decision, a reward, a truth: said when it is read, and from then on', async () => {
        const reveal = (problem: string, z: number): Command => {
          return { kind: 'reveal', problem, version: 1, ref: 'd-1', covariates: { z } }
        }
        const again = (problem: string) => decide(problem, 'd-3', 'e-1')
        const changes = {
          reply: {
            sql: `update log set body = replace(body, '"action":"a"', '"action":"b"') where problem = ID and seq = 2`,
            by: again,
            detail: /record 2 is damaged/,
          },
          record: { sql: 'delete from log where problem = ID and seq = 2', by: again, detail: /record 2 is gone/ },
          round: {
            sql: `update rounds set state = 'open' where problem = ID and id = 'd-1'`,
            by: (problem: string) => reward(problem, 'e-1', 1),
            detail: /row of decision "d-1"/,
          },
          reward: {
            sql: 'update rewards set value = 0.5 where problem = ID',
            by: (problem: string) => reward(problem, 'd-1', 0.5, 'r-1'),
            detail: /reward "r-1"/,
          },
          reveal: {
            sql: `update reveals set value = '0.75' where problem = ID`,
            by: (problem: string) => reveal(problem, 0.75),
            detail: /"z" of decision "d-1"/,
          },
        }
        const history = (problem: string) => [...some(problem), reveal(problem, 0.25), decide(problem, 'd-9')]
        const { after } = await changed('when-read', changes, history)
        expect(after.damage()).toEqual([])
        for (const [problem, { by }] of Object.entries(changes)) {
          // Others of the same group commit go on.
          const [other, own] = await Promise.allSettled([
            after.commit([decide('whole', `with-${problem}`)]),
            after.commit([by(problem)]),
          ])
          expect(other).toMatchObject({ status: 'fulfilled', value: [{ duplicate: false }] })
          expect(own).toMatchObject({ status: 'rejected', reason: thrown })
        }
        await areRefused(after, changes)
        await after.close()
      })

      test('an export does not pass on what is damaged', async () => {
        const sql = `update log set body = replace(body, '0.5', '0.6') where problem = ID and seq = 2`
        const changes = { p: { sql, detail: /record 2 is damaged/ } }
        const { after, ids } = await changed('export', changes, some)
        await expect(after.readDecisions(ids.get('p')!, 1, 0, 10)).rejects.toMatchObject(thrown)
        await expect(allOf(after.allDecisions(ids.get('p')!, 1, 0))).rejects.toMatchObject(thrown)
        await areRefused(after, changes)
        await after.close()
      })
    })

    /** What a check of all rows finds. */
    async function findings(name: string): Promise<readonly Damage[]> {
      const found: Damage[] = []
      const rows = await raw(name)
      await checkRows(rows, (damage) => void found.push(damage))
      await rows.close()
      return found
    }

    test('after all this every row has its checksum and every problem its sums; a row that is gone or too many shows', async () => {
      expect(await findings('main')).toEqual([])
      await (await open('rows', () => clock.now)).close()
      const one = await open('rows', () => clock.now)
      for (const name of ['lost', 'doubled']) {
        await one.commit([define(name)])
        await one.commit([decide(name, 'd-1', 'e-1'), reward(name, 'd-1', 1, 'r-1'), decide(name, 'd-2')])
      }
      const of = new Map((await one.problems()).map((row) => [row.name, row.id]))
      await one.close()
      expect([...(await findings('rows'))].sort(byDetail)).toEqual([])
      await run('rows', `delete from rewards where problem = ${of.get('lost')}`)
      await run('rows', `delete from rounds where problem = ${of.get('lost')} and id = 'd-1'`)
      await run('rows', `delete from log where problem = ${of.get('lost')} and seq = 2`)
      const copied = 'problem, decision, reward_id, value, checksum'
      const copy = `select problem, 'd-2', reward_id, value, checksum from rewards where problem = ${of.get('doubled')}`
      await run('rows', `insert into rewards (${copied}) ${copy}`)
      const otherwise = (table: string) => `${table}: rows are gone, changed or too many (their sum is another)`
      expect([...(await findings('rows'))].sort(byDetail)).toEqual(
        [
          { problem: 'lost', detail: 'records 2 to 2 are gone' },
          { problem: 'doubled', detail: 'reward "r-1" of decision "d-2" is damaged' },
          ...['log', 'rounds', 'rewards'].map((table) => ({ problem: 'lost', detail: otherwise(table) })),
          { problem: 'doubled', detail: otherwise('rewards') },
        ].sort(byDetail),
      )
    })

    test('a store of a newer version of Primo is not opened', async () => {
      await (await open('newer-version', () => clock.now)).close()
      await run('newer-version', "insert into kysely_migration (name, timestamp) values ('999-later', '2030-01-01')")
      await expect(open('newer-version', () => clock.now)).rejects.toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringMatching(/written by a newer version of Primo \(its schema has 999-later/),
      })
    })

    test('closing answers what is queued and refuses what comes after; reopening finds everything', async () => {
      const queued = Array.from({ length: 50 }, (_, k) => one(decide('p', `closing-${k}`)))
      const closing = store.close()
      expect((await Promise.all(queued)).every((reply) => 'duplicate' in reply)).toBe(true)
      await closing
      await expect(one(decide('p', 'too late'))).rejects.toMatchObject({ name: 'StoreUnavailable' })
      store = await open('main', () => clock.now)
      expect((await store.decision(id, 'closing-49'))?.round.id).toBe('closing-49')
      expect(await store.decision(id, 'too late')).toBeUndefined()
      expect(await one(decide('p', 'same-9', 'event-2'))).toMatchObject({ duplicate: true })
      const log = await records()
      expect(log.length).toBe((await book()).seq)
      expect((await store.problems()).map(({ name }) => name)).toEqual([
        'again',
        'aged',
        'bulk',
        'learns',
        'newer',
        'old',
        'p',
        'window',
      ])
    })
  })
}

function byDetail(a: Damage, b: Damage): number {
  return `${a.problem} ${a.detail}` < `${b.problem} ${b.detail}` ? -1 : 1
}
