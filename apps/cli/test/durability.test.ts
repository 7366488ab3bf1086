import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
// The service that is killed is a process of its own, from what was built.
import { runDurability } from '../dist/durability/run.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-durability-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('killed ten times under load, the service has lost nothing and doubled nothing', async () => {
  const result = await runDurability({ cycles: 10, store: `sqlite:${join(folder, 'primo.db')}`, longest: 800 })
  expect(result).toMatchObject({ lost: [], doubled: [], contradictions: [], different: [] })
  // It was under load, and it learnt.
  expect(result.acknowledged.decisions).toBeGreaterThan(100)
  expect(result.stored.decisions).toBeGreaterThanOrEqual(result.acknowledged.decisions)
  expect(result.policies).toBeGreaterThan(0)
}, 180_000)
