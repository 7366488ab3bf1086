import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres } from '../../../test/postgres-server.mjs'
import { primo } from './primo.js'

let server: Awaited<ReturnType<typeof startPostgres>> | undefined
let failure: unknown

beforeAll(async () => {
  try {
    server = await startPostgres()
  } catch (error) {
    failure = error
  }
  if (failure !== undefined && process.env.PRIMO_REQUIRE_POSTGRES !== undefined) throw failure
}, 60_000)
afterAll(async () => {
  await server?.stop()
}, 60_000)

// One chunk; npm run block-sums has twenty.
it('workers of a queue sum a log, and the fit has the bits of one process', async (context) => {
  if (server === undefined) return context.skip(`no PostgreSQL server could be started: ${String(failure)}`)
  const check = join(import.meta.dirname, '../checks/block-sums.mjs')
  const env = { ...process.env, DATABASE_URL: await server.createDatabase('for_sums') }
  const { stdout } = await promisify(execFile)(process.execPath, [check, '--rounds', '20000'], { env })
  expect(stdout).toContain('the fits are the same to the last bit')
  expect(stdout).toMatch(/chunks of each worker: \d, \d\n/)
  expect(stdout).toMatch(/memory of each worker: \d+ MB, \d+ MB\n/)
}, 120_000)

it.each([
  [['fit', 'nothing.parquet'], 'nothing.parquet'],
  [['fit', 'log.parquet', '--queue', 'postgres://host/name', '--workers', '2'], '--workers'],
  [['fit', 'log.parquet', '--ridge', 'much'], '"much"'],
])('refuses %j', async (flags, words) => {
  const { code, stdout, stderr } = await primo(...flags)
  expect(stderr).toContain(words)
  expect(stdout).toBe('')
  expect(code).not.toBe(0)
})
