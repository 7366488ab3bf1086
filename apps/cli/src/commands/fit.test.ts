import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { primo } from '../primo.fixture.js'

const newDatabase = postgresInTests()

// One chunk; npm run block-sums has twenty.
it('workers of a queue sum a log, and the fit has the bits of one process', async (context) => {
  const check = join(import.meta.dirname, '../../checks/block-sums.mjs')
  const env = { ...process.env, DATABASE_URL: await newDatabase(context, 'for_sums') }
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
