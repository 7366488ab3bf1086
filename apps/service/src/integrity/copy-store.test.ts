// Backups: of a store that is being written, into a file and back, into either kind of store.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { copyStore, examineStore, openExistingStore, openRawStore, openStore } from '../../dist/index.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { temporaryFolder } from '../running.fixture.js'
import { learntStore } from './learnt-store.fixture.js'

const newDatabase = postgresInTests()

/** One store for all tests, in their order. */
const running = await learntStore()
await running.ok('POST', '/v1/keys', { name: 'ada', role: 'admin' })
const path = join(running.folder, 'primo.db')
const from = `sqlite:${path}`

/** All that a store says, without the numbers of problems and counts of writes, which are its own. */
async function told(address: string): Promise<string> {
  const store = await openStore(address)
  try {
    const all: unknown[] = [await store.keys()]
    for (const { id, name, version, revision, seed, definition, book } of await store.problems()) {
      all.push({ name, version, revision, seed, definition, book })
      all.push((await store.readLog(id, 0, 10_000)).map((entry) => ({ ...entry, problem: name })))
      all.push((await store.snapshots(id)).map((one) => ({ ...one, problem: name, checksum: 0 })))
      const decisions = await store.readDecisions(id, version, 0, 10_000)
      for (const { round, revealed, later } of decisions) all.push({ ...round, checksum: 0 }, revealed, later.length)
    }
    return JSON.stringify(all)
  } finally {
    await store.close()
  }
}

test('a store in use is copied as it is, checked, and goes on from the copy', async () => {
  const file = join(temporaryFolder(), 'backup.db')
  const verified = await copyStore(from, `sqlite:${file}`)
  expect(verified).toMatchObject({ problems: 2, decisions: 130, damage: [] })
  expect(verified.policies).toBeGreaterThan(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(file, '..'))).toEqual(['backup.db'])
  await expect(copyStore(from, `sqlite:${file}`)).rejects.toThrow(/must not be there yet/)
  await running.close()
  const back = join(temporaryFolder(), 'restored.db')
  expect((await copyStore(`sqlite:${file}`, `sqlite:${back}`, { depth: 'rows' })).damage).toEqual([])
  expect(await told(`sqlite:${back}`)).toBe(await told(from))
})

test('from SQLite to PostgreSQL and back nothing changes', async (context) => {
  const database = await newDatabase(context, 'copies')
  const back = `sqlite:${temporaryFolder()}/back.db`
  expect(await copyStore(from, database)).toMatchObject({ decisions: 130, damage: [] })
  expect(await copyStore(database, back)).toMatchObject({ decisions: 130, damage: [] })
  expect(await told(back)).toBe(await told(from))
  await expect(copyStore(from, database)).rejects.toThrow(/must be empty/)
  const raw = await openRawStore(database)
  const findings = await examineStore(raw, Date.now())
  await raw.close()
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
    'format ok',
    'integrity ok',
    'disk ok',
    // The store was written at the time of the tests, years ago.
    'clock warning',
  ])
}, 60_000)

test('a database that is no store is not made one by a command that expects one', async (context) => {
  const empty = await newDatabase(context, 'empty')
  for (let turn = 0; turn < 2; turn++)
    await expect(openExistingStore(empty)).rejects.toThrow(/must be a store of Primo/)
  await expect(openRawStore(empty)).rejects.toThrow(/start the service on it once/)
})

test('what is damaged is told, and is no backup', async () => {
  const db = openDatabase(path)
  db.exec('update rewards set value = value + 1 where decision = (select decision from rewards limit 1)')
  db.close()
  const file = join(temporaryFolder(), 'backup.db')
  const { damage } = await copyStore(from, `sqlite:${file}`, { depth: 'rows' })
  expect(damage[0]?.detail).toMatch(/^reward .* is damaged$/)
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(join(file, '..'))).toEqual([])
  const raw = await openRawStore(from)
  expect((await examineStore(raw, Date.now())).filter(({ state }) => state === 'failure')[0]).toMatchObject({
    check: 'integrity',
  })
  await raw.close()
})
