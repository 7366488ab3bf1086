import { expect, test } from 'vitest'
import { runCorruption } from '../../dist/corruption/run.js'

// `npm run corruption` does 200 of them.
test('eight ways to damage a store: no acknowledged answer changes without a word', async () => {
  const corruptions = await runCorruption({ count: 8, seed: 11, decisions: 100 })
  expect(corruptions.filter(({ changed }) => changed.length > 0)).toEqual([])
  expect(corruptions.filter(({ noticed }) => noticed === 'start').length).toBeGreaterThan(3)
  // What the log loses is always noticed.
  for (const { target, noticed } of corruptions) if (target === 'log') expect(noticed).toBe('start')
}, 240_000)
