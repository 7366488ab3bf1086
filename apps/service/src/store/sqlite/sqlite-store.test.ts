import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Command } from '../../../dist/ledger/commands.js'
import { openDatabase } from '../../../dist/store/sqlite/database.js'
import { migrate } from '../../../dist/store/sqlite/sqlite-migrations.js'
import { openSqliteRaw } from '../../../dist/store/sqlite/sqlite-raw.js'
// The thread that writes is a built file.
import { openSqliteStore } from '../../../dist/store/sqlite/sqlite-store.js'
import { clockSuite } from '../clock.suite.js'
import { decide, define, reward, storeSuite } from '../store.suite.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

storeSuite('the SQLite store', {
  open: (name, clock) => openSqliteStore({ path: join(folder, `${name}.db`), clock }),
  raw: (name) => openSqliteRaw(join(folder, `${name}.db`)),
  run: async (name, sql) => {
    const db = openDatabase(join(folder, `${name}.db`))
    db.exec(sql)
    db.close()
  },
})

clockSuite('the SQLite store', (name, clocks) => openSqliteStore({ path: join(folder, `${name}.db`), ...clocks }))

test('every commit is written through: WAL with synchronous FULL', () => {
  const db = openDatabase(join(folder, 'pragmas.db'))
  expect(db.pragma('journal_mode')).toMatchObject([{ journal_mode: 'wal' }])
  expect(db.pragma('synchronous')).toMatchObject([{ synchronous: 2 }])
  db.close()
})

/** A record in a page of its own and more. */
function large(id: string): Command {
  const given = decide('p', id)
  return { ...given, record: Buffer.concat([given.record, NOTE]) }
}

const NOTE = Buffer.from(`,"note":"${'n'.repeat(10_000)}"`)

test('the write-ahead log begins anew while commits go on, and nothing is lost', async () => {
  const path = join(folder, 'long.db')
  let store = await openSqliteStore({ path })
  await store.commit([define('p')])
  // 100 MB in all.
  for (let k = 0; k < 100; k++) {
    const outcomes = await store.commit(Array.from({ length: 100 }, (_, j) => large(`d-${k}-${j}`)))
    expect(outcomes.every((outcome) => 'duplicate' in outcome && !outcome.duplicate)).toBe(true)
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(90e6)
  await store.close()
  store = await openSqliteStore({ path })
  const { id, book } = (await store.problem('p'))!
  expect(book.rounds).toBe(10_000)
  const log = await store.readLog(id, 0, 20_000)
  expect(log.length).toBe(10_001)
  expect(log.every(({ seq, body }, k) => seq === k + 1 && (JSON.parse(body) as object) !== null)).toBe(true)
  await store.close()
})

test('the write-ahead log grows while another reads, and is short again afterwards', async () => {
  const path = join(folder, 'held.db')
  const store = await openSqliteStore({ path })
  await store.commit([define('p')])
  let count = 0
  const write = async (megabytes: number) => {
    for (let k = 0; k < megabytes; k++) await store.commit(Array.from({ length: 100 }, () => large(`d-${count++}`)))
    return statSync(`${path}-wal`).size
  }
  const reader = openDatabase(path, { readonly: true })
  reader.exec('begin')
  expect(reader.prepare('select count(*) as rows from log').get()).toMatchObject({ rows: 1 })
  expect(await write(80)).toBeGreaterThan(80e6)
  expect(reader.prepare('select count(*) as rows from log').get()).toMatchObject({ rows: 1 })
  reader.exec('commit')
  reader.close()
  expect(await write(60)).toBeLessThan(70e6)
  expect((await store.problem('p'))!.book.rounds).toBe(count)
  await store.close()
})

test('a thread that has stopped is said, reading goes on, and the store can be closed', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => post.mockRestore())
  const store = await openSqliteStore({ path: join(folder, 'stopped.db') })
  await store.commit([define('p')])
  await (post.mock.contexts.at(-1) as Worker).terminate()
  await expect(store.commit([decide('p', 'd')])).rejects.toThrow(/has stopped/)
  await expect(store.check()).rejects.toThrow(/has stopped/)
  expect((await store.problems()).map(({ name }) => name)).toEqual(['p'])
  await store.close()
})

test('after a clean stop a copy of the one file has everything', async () => {
  const path = join(folder, 'stops.db')
  const store = await openSqliteStore({ path })
  await store.commit([define('p'), decide('p', 'd')])
  await store.close()
  if (existsSync(`${path}-wal`)) expect(statSync(`${path}-wal`).size).toBe(0)
  copyFileSync(path, join(folder, 'copy.db'))
  const copy = await openSqliteStore({ path: join(folder, 'copy.db') })
  expect((await copy.problem('p'))!.book.rounds).toBe(1)
  await copy.close()
})

test('a store that is open is not opened again, and is its owner\u2019s alone', async () => {
  const path = join(folder, 'deep/own.db')
  const store = await openSqliteStore({ path })
  await expect(openSqliteStore({ path })).rejects.toThrow(/takes one process at a time/)
  for (const file of readdirSync(join(folder, 'deep')))
    expect([file, statSync(join(folder, 'deep', file)).mode & 0o777]).toEqual([file, 0o600])
  expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700)
  await store.close()
  await (await openSqliteStore({ path })).close()
})

test('a store that cannot grow says so before anybody writes', async () => {
  const path = join(folder, 'full.db')
  await (await openSqliteStore({ path })).close()
  const store = await openSqliteStore({ path, maxPages: Math.ceil(statSync(path).size / 8192) })
  await expect(store.check()).rejects.toThrow(/full/)
  await store.close()
})

describe('migrations', () => {
  test('a file of the first schema, with records in it, is brought up to date and keeps them', async () => {
    const path = join(folder, 'first.db')
    const db = openDatabase(path)
    await migrate(db, '001-ledger')
    // As the first release wrote it.
    const book = JSON.stringify({ ...FIRST_BOOK, seq: 3, rounds: 1, closed: 1 })
    const problem = { ...(define('p') as { definition: object }).definition }
    db.prepare(
      'insert into problems (id, name, definition, version, revision, seed, created, retired, book) values (1,?,?,1,1,7,1,null,?)',
    ).run('p', JSON.stringify(problem), book)
    const log = db.prepare('insert into log (problem, seq, time, kind, round, body) values (1,?,1,?,?,?)')
    log.run(1, 'problem', null, JSON.stringify({ version: 1, seed: 7, definition: problem, begins: true }))
    const request = { context: { x: 0.5 }, eventId: 'e1' }
    const learning = { predictions: {}, used: [0], action: 'a', propensity: 0.5, policy: 0 }
    const reply = { decisionId: 'd1', action: 'a' }
    const decision = { id: 'd1', eventId: 'e1', holdout: false, deferred: false, request, learning, reply }
    log.run(2, 'decision', 0, JSON.stringify(decision))
    log.run(3, 'reward', 0, JSON.stringify({ id: 'd1', value: 1, answer: 'accepted', closes: 1 }))
    db.prepare(
      "insert into rounds (problem, id, event_id, round, version, seq, action, holdout, state, arrivals, value, deadline) values (1,'d1','e1',0,1,2,'a',0,'closed',1,1,null)",
    ).run()
    db.close()

    const store = await openSqliteStore({ path })
    expect((await store.problem('p'))!.book).toMatchObject({ seq: 3, rounds: 1 })
    const outcomes = await store.commit([
      decide('p', 'd2', 'e1'),
      reward('p', 'e1', 1),
      decide('p', 'd3'),
      { kind: 'tick', problem: 'p' },
    ])
    expect(outcomes).toMatchObject([{ duplicate: true }, { status: 'duplicate' }, { duplicate: false }, { closed: 0 }])
    await store.close()
    // Its rows have checksums now: a changed one is noticed.
    const later = openDatabase(path)
    later.exec("update log set body = replace(body, '0.5', '0.6') where seq = 2")
    later.close()
    const again = await openSqliteStore({ path })
    expect(again.damage()).toEqual([])
    await expect(again.commit([decide('p', 'd2', 'e1')])).rejects.toMatchObject({ code: 'store-damaged' })
    await again.close()
  })

  test('doing them twice changes nothing, step by step comes to the same as all at once', async () => {
    const schema = (path: string) => {
      const db = openDatabase(path)
      const rows = db
        .prepare("select sql from sqlite_master where name not like 'kysely%' and sql is not null order by name")
        .all()
      db.close()
      return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    }
    const atOnce = join(folder, 'at-once.db')
    const steps = join(folder, 'steps.db')
    for (const path of [atOnce, atOnce]) {
      const db = openDatabase(path)
      await migrate(db)
      db.close()
    }
    const db = openDatabase(steps)
    await migrate(db, '001-ledger')
    await migrate(db)
    db.close()
    expect(schema(steps)).toBe(schema(atOnce))
  })
})

const FIRST_BOOK = {
  seq: 0,
  time: 1,
  start: 1,
  rounds: 0,
  closed: 0,
  epoch: 1,
  quota: 20,
  counted: 'closed',
  epochSince: 1,
  ending: null,
  policy: 0,
  learnt: 0,
  frozen: false,
  failures: 0,
  lastFailure: null,
  kept: 0,
  tally: {
    decisions: 1,
    pending: 0,
    open: 0,
    closed: 1,
    dropped: 0,
    voided: 0,
    expired: 0,
    late: 0,
    policy: { count: 1, sum: 1, squares: 1 },
    holdout: { count: 0, sum: 0, squares: 0 },
    actions: {
      a: { decisions: 1, reward: { count: 1, sum: 1, squares: 1 } },
      b: { decisions: 0, reward: { count: 0, sum: 0, squares: 0 } },
    },
    covariates: {
      z: { observed: 0, missing: 1, revealed: 0, reasons: {}, rungs: { constant: 1 }, asked: 0, answered: 0 },
    },
  },
}
