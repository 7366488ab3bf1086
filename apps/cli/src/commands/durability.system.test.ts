import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { primo } from '../primo.fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-durability-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('killed three times under load, the service has lost nothing and doubled nothing', async () => {
  const store = `sqlite:${join(folder, 'primo.db')}`
  const { stdout } = await primo('durability', '--cycles', '3', '--store', store, '--json')
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ lost: [], doubled: [], contradictions: [], different: [], damaged: [] })
  // It was under load, and it learnt.
  expect(result.acknowledged.decisions).toBeGreaterThan(50)
  expect(result.stored.decisions).toBeGreaterThanOrEqual(result.acknowledged.decisions)
  expect(result.policies).toBeGreaterThan(0)
}, 240_000)
