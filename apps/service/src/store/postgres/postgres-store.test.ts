import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { postgresInTests } from '../../../../../test/postgres-in-tests.mjs'
import { checkRows } from '../../../dist/integrity/check-rows.js'
import { openPostgresRaw } from '../../../dist/store/postgres/postgres-raw.js'
import { openPostgresStore } from '../../../dist/store/postgres/postgres-store.js'
import type { Store } from '../../ledger/store.js'
import { clockSuite } from '../clock.suite.js'
import { decide, define, reward, storeSuite } from '../store.suite.js'

const newDatabase = postgresInTests()
const addresses = new Map<string, string>()

/** The database of this name, made when it is first asked for; hooks give no context. */
async function addressOf(name: string, context: TestContext | null = null): Promise<string> {
  const known = addresses.get(name) ?? (await newDatabase(context, `db_${name.replace(/\W/g, '_')}`))
  addresses.set(name, known)
  return known
}

storeSuite('the PostgreSQL store', {
  open: async (name, clock) => openPostgresStore({ url: await addressOf(name), clock, leaseLasts: 60 }),
  raw: async (name) => openPostgresRaw(await addressOf(name)),
  run: async (name, sql) => {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: await addressOf(name) })
    await client.connect()
    await client.query(sql)
    await client.end()
  },
})

clockSuite('the PostgreSQL store', async (name, clocks) =>
  openPostgresStore({ url: await addressOf(name), ...clocks, databaseClock: clocks.wall, leaseLasts: 60 }),
)

test('a machine whose clock is far from the database closes nothing; a confirmation counts for every replica', async (context) => {
  const url = await addressOf('apart', context)
  const times = { machine: 0, database: 0 }
  const start = Date.now()
  const options = {
    url,
    pollEvery: 50,
    leaseLasts: 60,
    databaseClock: () => start + times.database,
    monotonic: () => 0,
  }
  const first = await openPostgresStore({ ...options, wall: () => start + times.machine })
  const second = await openPostgresStore({ ...options, wall: () => start })
  await first.commit([define('p', { reward: { min: 0, max: 1, window: { milliseconds: 1 }, default: 0 } })])
  times.machine = 3_600_000
  await first.commit([decide('p', 'd')])
  expect(first.clock.hold()).toMatchObject({ why: 'database', offset: 3_600_000 })
  times.machine = 0
  times.database = 31 * 86_400_000
  await Promise.all([first, second].map((store) => store.commit([decide('p', `d-${store === first}`)])))
  expect([first, second].map((store) => store.clock.hold()?.why)).toEqual(['jump', 'jump'])
  await second.commit([{ kind: 'operate', problem: 'p', operation: 'confirm-clock' }])
  expect(second.clock.hold()).toBeNull()
  await expect.poll(() => first.clock.hold()).toBeNull()
  await first.close()
  await second.close()
})

test('a copy of the database has everything and goes on from there', async (context) => {
  const url = await addressOf('original', context)
  const original = await openPostgresStore({ url, leaseLasts: 60 })
  await original.commit([define('p')])
  await original.commit(Array.from({ length: 20 }, (_, k) => decide('p', `d${k}`, `e${k}`)))
  await original.commit([reward('p', 'e3', 1, 'r')])
  const before = (await original.problem('p'))!
  const log = await original.readLog(before.id, 0, 1000)
  await original.close()
  const { default: pg } = await import('pg')
  const admin = new pg.Client({ connectionString: await addressOf('admin') })
  await admin.connect()
  const named = new URL(url).pathname.slice(1)
  await admin.query(`create database ${named}_copy template ${named}`)
  await admin.end()
  const restored = await openPostgresStore({ url: `${url}_copy`, leaseLasts: 60 })
  expect(await restored.problem('p')).toEqual(before)
  expect(await restored.readLog(before.id, 0, 1000)).toEqual(log)
  expect(
    await restored.commit([decide('p', 'again', 'e3'), decide('p', 'new'), reward('p', 'd3', 1, 'r')]),
  ).toMatchObject([{ duplicate: true }, { duplicate: false }, { status: 'duplicate' }])
  expect(restored.leads()).toBe(true)
  await restored.close()
})

test('a database from before checksums is brought up to date and keeps its records', async (context) => {
  const url = await addressOf('older', context)
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url })
  const store = await openPostgresStore({ url, leaseLasts: 60 })
  await store.commit([define('p')])
  await store.commit([decide('p', 'd-1', 'e-1'), reward('p', 'd-1', 1, 'r')])
  await store.commit([{ kind: 'reveal', problem: 'p', version: 1, ref: 'd-1', covariates: { z: 0.25 } }])
  const before = (await store.problem('p'))!
  await store.close()
  // As it was before.
  for (const table of ['log', 'rounds', 'rewards', 'reveals', 'snapshots', 'problems'])
    await pool.query(`alter table ${table} drop column checksum`)
  await pool.query('alter table snapshots drop column state_checksum, drop column software')
  await pool.query('alter table problems drop column sums')
  await pool.query('drop table clock, keys')
  await pool.query("delete from kysely_migration where name >= '003'")
  await pool.end()
  const upgraded = await openPostgresStore({ url, leaseLasts: 60 })
  expect(upgraded.damage()).toEqual([])
  const { writes: _, ...sums } = before.sums
  expect((await upgraded.problem('p'))!.sums).toEqual({ writes: 0, ...sums })
  expect(await upgraded.commit([decide('p', 'd-2', 'e-1'), reward('p', 'd-1', 1, 'r')])).toMatchObject([
    { duplicate: true },
    { status: 'duplicate' },
  ])
  await upgraded.close()
})

test('retention drops whole months, keeps what is kept for ever, and the sums still hold', async (context) => {
  const url = await addressOf('months', context)
  const day = 86_400_000
  const time = { now: Date.UTC(2026, 0, 10) }
  const store = await openPostgresStore({ url, clock: () => time.now, leaseLasts: 60 })
  await store.commit([define('p', { retention: { days: 20 } })])
  await store.commit([
    decide('p', 'january', 'e-1'),
    { kind: 'void', problem: 'p', ref: 'never-seen', unseen: true },
    reward('p', 'january', 1, 'r'),
  ])
  time.now = Date.UTC(2026, 1, 27)
  await store.commit([decide('p', 'february'), reward('p', 'february', 1)])
  const { id } = (await store.problem('p'))!
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const months = async () =>
    (
      await client.query<{ name: string }>(
        `select relname as name from pg_class where relname ~ '^log_p${id}_2026_..$'`,
      )
    ).rows
      .map(({ name }) => name.slice(-7))
      .sort()
  expect(await months()).toEqual(['2026_01', '2026_02'])
  time.now += 5 * day
  await store.commit([{ kind: 'tick', problem: 'p' }])
  expect(await months()).toEqual(['2026_02'])
  const kinds = (await store.readLog(id, 0, 100)).map(({ kind }) => kind)
  expect(kinds).toEqual(['problem', 'decision', 'reward', 'retention'])
  await store.close()
  const raw = await openPostgresRaw(url)
  const found: unknown[] = []
  await checkRows(raw, (damage) => void found.push(damage))
  await raw.close()
  await client.end()
  expect(found).toEqual([])
})

test('a database that only reads is not ready', async (context) => {
  const url = await addressOf('reads_only', context)
  const store = await openPostgresStore({ url, leaseLasts: 60 })
  await store.check()
  const { default: pg } = await import('pg')
  const admin = new pg.Client({ connectionString: await addressOf('admin') })
  await admin.connect()
  const named = new URL(url).pathname.slice(1)
  await admin.query(`alter database ${named} set default_transaction_read_only = on`)
  // The setting is for sessions that begin.
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [named])
  await expect.poll(() => store.check().catch((error: Error) => error.message)).toMatch(/read-only/)
  await admin.query(`alter database ${named} reset default_transaction_read_only`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [named])
  await expect.poll(() => store.check().then(() => 'ready', String)).toBe('ready')
  await admin.end()
  await store.close()
})

describe('replicas', () => {
  let first: Store
  let second: Store
  beforeAll(async () => {
    const url = await addressOf('replicas')
    first = await openPostgresStore({ url, leaseLasts: 1, pollEvery: 100 })
    second = await openPostgresStore({ url, leaseLasts: 1, pollEvery: 100 })
  })
  afterAll(async () => {
    await first?.close()
    await second?.close()
  })

  test('one of them learns, and numbers follow commits without gaps', async () => {
    expect([first.leads(), second.leads()].sort()).toEqual([false, true])
    await first.commit([define('p')])
    await Promise.all(
      Array.from({ length: 60 }, (_, k) => (k % 2 === 0 ? first : second).commit([decide('p', `d${k}`, `e${k}`)])),
    )
    const row = (await second.problem('p'))!
    const log = await first.readLog(row.id, 0, 1000)
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 61 }, (_, k) => k + 1))
    expect(log.filter(({ kind }) => kind === 'decision').map(({ round }) => round)).toEqual(
      Array.from({ length: 60 }, (_, k) => k),
    )
  })

  test('an event id and a reward count once wherever they are sent', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, k) => (k % 2 === 0 ? first : second).commit([decide('p', `same${k}`, 'same')])),
    )
    const fresh = outcomes.flat().filter((outcome) => 'duplicate' in outcome && !outcome.duplicate)
    expect(fresh).toHaveLength(1)
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, k) => (k % 2 === 0 ? first : second).commit([reward('p', 'same', 1, 'r1')])),
    )
    const statuses = told.flat().map((outcome) => ('status' in outcome ? outcome.status : 'refused'))
    expect(statuses.filter((status) => status === 'accepted')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(19)
  })

  test('the same problem defined on both at once is defined once', async () => {
    const outcomes = await Promise.all([first.commit([define('twice')]), second.commit([define('twice')])])
    const words = outcomes.flat().map((outcome) => ('defined' in outcome ? outcome.defined : 'refused'))
    expect(words.sort()).toEqual(['created', 'unchanged'])
  })

  test('a transaction that is broken off before its commit is tried again', async () => {
    const { default: pg } = await import('pg')
    const connectionString = await addressOf('replicas')
    // Two: what others wait for is read once in a transaction and then stays as it was.
    const other = new pg.Client({ connectionString })
    const watcher = new pg.Client({ connectionString })
    await other.connect()
    await watcher.connect()
    let outcome: ReturnType<typeof first.commit>
    try {
      await other.query('begin')
      await other.query(`select 1 from problems where name = 'p' for update`)
      outcome = first.commit([decide('p', 'broken-off', 'broken-off')])
      const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%from problems%'`
      await expect.poll(async () => (await watcher.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
      await watcher.query(`select pg_terminate_backend(pid) from (${waiting}) as w`)
      await other.query('commit')
    } finally {
      await other.end()
      await watcher.end()
    }
    expect(await outcome).toMatchObject([{ duplicate: false }])
    expect(await second.commit([decide('p', 'once', 'broken-off')])).toMatchObject([{ duplicate: true }])
  })

  test('a replica that pauses in a transaction is thrown out of it and tries again', async () => {
    let stalls = 1
    const clock = () => {
      // Longer than the database lets a transaction idle.
      if (stalls-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
      return Date.now()
    }
    const paused = await openPostgresStore({ url: await addressOf('replicas'), clock })
    expect(await paused.commit([decide('p', 'paused', 'paused')])).toMatchObject([{ duplicate: false }])
    expect(stalls).toBe(-1)
    await paused.close()
  })

  test('one that starts beside a busy one finds nothing damaged', async () => {
    const url = await addressOf('replicas')
    let busy = true
    const others = Array.from({ length: 4 }, async (_, caller) => {
      for (let k = 0; busy; k++) await first.commit([decide('p', `busy-${caller}-${k}`)])
    })
    const found: unknown[] = []
    for (let start = 0; start < 12; start++) {
      const starting = await openPostgresStore({ url })
      found.push(...starting.damage())
      await starting.close()
    }
    busy = false
    await Promise.all(others)
    expect(found).toEqual([])
  })

  test('a decision that retention removes while it is read is not called damaged', async () => {
    const { default: pg } = await import('pg')
    const connectionString = await addressOf('replicas')
    const other = new pg.Client({ connectionString })
    const watcher = new pg.Client({ connectionString })
    await Promise.all([other.connect(), watcher.connect()])
    try {
      await first.commit([define('going')])
      await first.commit([decide('going', 'g-1')])
      const { id } = (await first.problem('going'))!
      await other.query('begin')
      await other.query('lock table log in access exclusive mode')
      await other.query('delete from log where problem = $1 and seq = 2', [id])
      await other.query('delete from rounds where problem = $1', [id])
      // The row of the decision is read; its record waits for the lock.
      const reading = second.readDecisions(id, 1, 0, 10).catch((error: Error) => error.message)
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%seq = any%'`
      await expect.poll(async () => (await watcher.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
      await other.query('commit')
      expect(await reading).toMatchObject([{ round: { id: 'g-1' }, entry: { seq: 2 } }])
      expect(second.damage()).toEqual([])
    } finally {
      await Promise.all([other.end(), watcher.end()])
    }
  })

  test('a change on one is heard on the other', async () => {
    const heard: string[] = []
    second.onHeads((heads) => heard.push(...heads.map(({ name, revision }) => `${name} ${revision}`)))
    await first.commit([{ kind: 'operate', problem: 'p', operation: 'freeze' }])
    await expect.poll(() => heard, { timeout: 3000 }).toContain('p 2')
  })

  test('a learner whose lease has passed on writes nothing', async () => {
    const url = await addressOf('replicas')
    const paused = first.leads() ? first : second
    const other = paused === first ? second : first
    await paused.close()
    await expect.poll(() => other.leads(), { timeout: 5000 }).toBe(true)
    // A replica without the lease: what only a learner may write is stale.
    const third = await openPostgresStore({ url, leaseLasts: 1 })
    expect(third.leads()).toBe(false)
    expect(await third.commit([{ kind: 'tick', problem: 'p' }])).toEqual([{ stale: true }])
    expect(await other.commit([{ kind: 'tick', problem: 'p' }])).toMatchObject([{ closed: 0 }])
    await third.close()
    if (paused === first) first = await openPostgresStore({ url })
    else second = await openPostgresStore({ url })
  })
})
