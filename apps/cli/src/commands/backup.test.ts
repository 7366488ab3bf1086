// A store's way into a backup and back.

import { expect, test } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

test('a store is backed up, restored and looked at', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder()
  const store = `sqlite:${folder}/primo.db`
  await primo('keys', 'add', 'ada', '--role', 'admin', '--store', store)
  const saved = await primo('backup', store, `${folder}/saved.db`)
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('damaged      0') })
  expect(await primo('restore', `${folder}/saved.db`, `sqlite:${folder}/back.db`)).toMatchObject({ code: 0 })
  const keys = await primo('keys', 'list', '--store', `sqlite:${folder}/back.db`)
  expect(keys.stdout).toMatch(/^ada {2}admin/)
  const looked = await primo('doctor', '--store', store, '--json')
  expect(looked.code).toBe(0)
  const { findings } = jsonLines(looked.stdout)[0] as { findings: { check: string; state: string }[] }
  expect(findings.map(({ check }) => check)).toEqual(['format', 'integrity', 'disk', 'clock', 'rights'])
})
