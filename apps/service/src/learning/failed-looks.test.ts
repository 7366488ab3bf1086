// A candidate whose looks fail is tried again after a while, however many decisions come meanwhile.

import { expect, test } from 'vitest'
import { startLearner } from '../../dist/learning/learner.js'
import type { Command } from '../ledger/commands.js'
import type { Store } from '../ledger/store.js'

test('a failed look waits before the next try', async () => {
  const row = {
    id: 1,
    name: 'p',
    version: 1,
    retired: null,
    book: { start: 1, learnt: 0, ending: null, candidate: { since: 2, looked: 0, due: 2 } },
  }
  const commands: Command[] = []
  const store = {
    problem: async () => row,
    leads: () => true,
    readerSpec: () => ({ kind: 'sqlite', path: '/nowhere/primo.db' }),
    commit: async (given: readonly Command[]) => {
      commands.push(...given)
      return given.map(() => ({ done: true }))
    },
  } as unknown as Store
  const failed: string[] = []
  const learner = startLearner(
    store,
    { fitted: () => undefined, failed: (_, message) => failed.push(message) },
    { retryAfter: 60_000 },
  )
  learner.wake('p')
  await expect.poll(() => failed.length, { timeout: 30_000 }).toBe(1)
  // As every commit of the problem does.
  for (let k = 0; k < 100; k++) {
    learner.wake('p')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(failed).toHaveLength(1)
  expect(commands).toEqual([])
  await learner.close()
})
