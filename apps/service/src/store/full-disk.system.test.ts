// A store that cannot be written: 503, nothing half-done, and on it goes when there is space again.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replayProblem, startService } from '../../dist/index.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { type Running, running, smallProblem, temporaryFolder } from '../running.fixture.js'
import { decide, define } from './store.suite.js'

const request = (k: number) => ({ eventId: `e${k}`, context: { x: (k % 10) / 10 }, subject: 'x'.repeat(200) })

test('a full disk: 503 store-unavailable, nothing half-written, and on when space returns', async () => {
  const service = await running({ storeOptions: { maxPages: 120 } })
  await service.ok('PUT', '/v1/problems/p', smallProblem())
  const acknowledged: number[] = []
  const refused: number[] = []
  for (let k = 0; k < 2000 && refused.length < 20; k += 8) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, j) => service.call('POST', '/v1/problems/p/decisions', request(k + j))),
    )
    for (const [j, answer] of answers.entries()) {
      if (answer.status === 200) acknowledged.push(k + j)
      else {
        expect(answer).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
        refused.push(k + j)
      }
    }
  }
  expect(acknowledged.length).toBeGreaterThan(20)
  expect(refused.length).toBeGreaterThanOrEqual(20)
  // Reading goes on while nothing can be written.
  expect((await service.summary('p')).decisions).toBe(acknowledged.length)
  expect((await service.call('GET', '/livez')).status).toBe(200)
  expect(await service.call('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
  await exactly(service, acknowledged)

  await service.restart({ storeOptions: { maxPages: 1_000_000 } })
  expect((await service.call('GET', '/readyz')).status).toBe(200)
  await exactly(service, acknowledged)
  for (const k of [...refused, ...acknowledged]) await service.ok('POST', '/v1/problems/p/decisions', request(k))
  await exactly(service, [...acknowledged, ...refused])
  await service.learnt('p')
  expect((await replayProblem(service.service().store, 'p')).different).toEqual([])
})

/** The log has these decisions, each once, without gaps; the file is sound. */
async function exactly({ service, folder }: Running, expected: readonly number[]): Promise<void> {
  const { store } = service()
  const row = (await store.problem('p'))!
  const log = await store.readLog(row.id, 0, 100_000)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, k) => k + 1))
  expect(row.book.seq).toBe(log.length)
  const events = log.filter(({ kind }) => kind === 'decision').map(({ body }) => JSON.parse(body).eventId as string)
  expect([...events].sort()).toEqual(expected.map((k) => `e${k}`).sort())
  expect(row.book.tally.decisions).toBe(expected.length)
  const db = openDatabase(join(folder, 'primo.db'), { readonly: true })
  expect(db.pragma('integrity_check')).toMatchObject([{ integrity_check: 'ok' }])
  db.close()
}

const CHILD = `
import { startService } from '${pathToFileURL(join(import.meta.dirname, '../../dist/index.js'))}'
const service = await startService({ store: process.argv[2], port: 0, logLevel: 'silent', tickEvery: 0 })
console.log('URL ' + service.url)
process.on('SIGTERM', () => service.close().then(() => process.exit(0)))
`

function has(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`])
    return true
  } catch {
    return false
  }
}

test.skipIf(!has('prlimit'))('a limit on the size of files (ulimit -f): 503, then on without a restart', async () => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/child.mjs`, CHILD)
  const child = spawn(
    'sh',
    ['-c', `ulimit -S -f 1200; exec "${process.execPath}" child.mjs "sqlite:${folder}/primo.db"`],
    {
      cwd: folder,
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout.on('data', (data) => {
      text += data
      const found = /URL (\S+)/.exec(text)
      if (found !== null) resolve(found[1]!)
    })
  })
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as { code?: string; decisions?: number } }
  }
  await send('PUT', '/v1/problems/p', smallProblem())
  const statuses: number[] = []
  for (let k = 0; k < 3000 && statuses.at(-1) !== 503; k += 20) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, j) => send('POST', '/v1/problems/p/decisions', request(k + j))),
    )
    for (const { status, body } of replies) {
      if (status !== 200) expect({ status, code: body.code }).toEqual({ status: 503, code: 'store-unavailable' })
      statuses.push(status)
    }
  }
  expect(statuses).toContain(503)
  const counted = async () => (await send('GET', '/v1/problems/p/summary')).body.decisions
  expect(await counted()).toBe(statuses.filter((status) => status === 200).length)
  expect((await send('GET', '/readyz')).status).toBe(503)
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited'])
  expect((await send('GET', '/readyz')).status).toBe(200)
  for (const k of statuses.keys()) expect((await send('POST', '/v1/problems/p/decisions', request(k))).status).toBe(200)
  expect(await counted()).toBe(statuses.length)
})

const FULL = `
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { startService } from '${pathToFileURL(join(import.meta.dirname, '../../dist/index.js'))}'
const [folder, definition] = process.argv.slice(2)
const service = await startService({ store: 'sqlite:' + folder + '/p.db', port: 0, logLevel: 'silent', tickEvery: 0 })
const send = async (method, url, payload) =>
  (await service.server.inject({ method, url, headers: { 'content-type': 'application/json' }, payload })).statusCode
const told = [await send('PUT', '/v1/problems/p', definition), await send('GET', '/readyz')]
const decisions = Array.from({ length: 500 }, () => ({ context: { x: 0.5 } }))
// So many bytes that the log begins anew in a file that has room.
for (let k = 0; k < 10; k++) await send('POST', '/v1/problems/p/decisions/batch', JSON.stringify({ decisions }))
const file = openSync(folder + '/filler', 'w')
try {
  for (;;) writeSync(file, Buffer.alloc(65_536, 1))
} catch {}
closeSync(file)
// The write-ahead log has room left: a decision still succeeds, many do not.
told.push(await send('POST', '/v1/problems/p/decisions', '{"context":{"x":0.5}}'))
told.push(await send('GET', '/readyz'), await send('GET', '/livez'))
rmSync(folder + '/filler')
told.push(await send('GET', '/readyz'), await send('POST', '/v1/problems/p/decisions', '{"context":{"x":0.5}}'))
await service.close()
console.log(JSON.stringify(told))
`
const MOUNT = 'mount -t tmpfs -o size=512M none "$1" && exec "$2" "$1/../full.mjs" "$1" "$3"'

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.skipIf(!mayMount())('a file system without space: not ready, also while the log has room, then on', () => {
  const folder = temporaryFolder()
  mkdirSync(`${folder}/disk`)
  writeFileSync(`${folder}/full.mjs`, FULL)
  const actions = Array.from({ length: 200 }, (_, k) => `action ${k}`)
  const definition = JSON.stringify(smallProblem({ actions }))
  const given = ['-rm', 'sh', '-c', MOUNT, 'sh', `${folder}/disk`, process.execPath, definition]
  expect(JSON.parse(String(execFileSync('unshare', given)))).toEqual([201, 200, 200, 503, 200, 200, 200])
})

const GROWING = `
import { execFileSync } from 'node:child_process'
import { openSqliteStore } from '${pathToFileURL(join(import.meta.dirname, '../../dist/store/sqlite/sqlite-store.js'))}'
const limit = (bytes) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + bytes + ':unlimited'])
const store = await openSqliteStore({ path: process.argv[2] })
await store.commit([JSON.parse(process.argv[3])])
const decide = JSON.parse(process.argv[4])
const record = Buffer.from(JSON.stringify({ request: {}, note: 'n'.repeat(10_000) }))
let count = 0
const commit = () =>
  store.commit(Array.from({ length: 100 }, () => ({ ...decide, id: 'd-' + ++count, record })))
const told = []
limit(60e6)
for (let k = 0; k < 200 && told.length === 0; k++) await commit().catch((error) => told.push(error.message))
const refused = count
limit('unlimited')
for (let k = 0; k < 10; k++) await commit().catch((error) => told.push(error.message))
const { book } = await store.problem('p')
await store.close()
console.log(JSON.stringify({ told, refused, count, rounds: book.rounds }))
`

// The log is begun anew after some 34 MB (more on a busy machine): here first when the file can take that, then when it cannot.
test.skipIf(!has('prlimit'))('a file that cannot take what its log holds: refused, then on without a restart', () => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/growing.mjs`, GROWING)
  const commands = [define('p'), { ...decide('p', ''), record: '', windowed: false }].map((command) =>
    JSON.stringify(command),
  )
  const text = execFileSync(process.execPath, [`${folder}/growing.mjs`, `${folder}/p.db`, ...commands])
  const { told, refused, count, rounds } = JSON.parse(String(text))
  expect(told).toEqual([expect.stringMatching(/^the store cannot be used/)])
  expect(refused).toBeGreaterThan(5000)
  expect(rounds).toBe(count - 100)
})

describe('a file that cannot be opened', () => {
  test('is said at the start', async () => {
    const folder = temporaryFolder()
    mkdirSync(`${folder}/a-folder.db`)
    writeFileSync(`${folder}/not-a-database.db`, 'this is not a database, it is a text of some length '.repeat(100))
    for (const name of ['a-folder.db', 'not-a-database.db', 'not-a-database.db/inside.db'])
      await expect(
        startService({ store: `sqlite:${folder}/${name}`, port: 0, logLevel: 'silent' }),
        name,
      ).rejects.toMatchObject({ name: 'StoreUnavailable' })
  })

  test.skipIf(process.getuid?.() === 0)('a folder without permission to write is said at the start', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o500)
    await expect(startService({ store: `sqlite:${folder}/p.db`, port: 0, logLevel: 'silent' })).rejects.toMatchObject({
      name: 'StoreUnavailable',
    })
    expect(existsSync(`${folder}/p.db`)).toBe(false)
    chmodSync(folder, 0o700)
  })

  test('another that holds the file for writing: 503, then on', async () => {
    const service = await running()
    await service.ok('PUT', '/v1/problems/p', smallProblem())
    const other = openDatabase(join(service.folder, 'primo.db'))
    other.exec('begin immediate')
    const answer = await service.call('POST', '/v1/problems/p/decisions', request(1))
    expect(answer).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
    other.exec('rollback')
    other.close()
    expect((await service.call('POST', '/v1/problems/p/decisions', request(1))).status).toBe(200)
    await exactly(service, [1])
  })
})
