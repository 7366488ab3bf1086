import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Corruption } from './run.js'

const CHECK = join(import.meta.dirname, '../../checks/corruption.mjs')

// `npm run corruption` does 200 of them.
test('eight ways to damage a store: no acknowledged answer changes without a word', async () => {
  const given = ['--count', '8', '--seed', '11', '--decisions', '100', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, [CHECK, ...given])
  const corruptions = JSON.parse(stdout) as Corruption[]
  expect(corruptions).toHaveLength(8)
  expect(corruptions.filter(({ changed }) => changed.length > 0)).toEqual([])
  // What the log loses is always noticed.
  for (const { target, noticed } of corruptions) if (target === 'log') expect(noticed).toBe('start')
}, 240_000)
