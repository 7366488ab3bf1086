// A store that is still on its way to the disk: the next commit begins, and nobody is answered before theirs has arrived.

import { expect, test } from 'vitest'
import { createGroupCommit } from '../../dist/ledger/group-commit.js'
import type { Command, Outcome } from './commands.js'

const command = (ref: string): Command => ({ kind: 'activate', problem: 'p', ref })
const done: readonly Outcome[] = [{ done: true }]
const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

function store() {
  const arrivals: { arrive: () => void; fail: (error: Error) => void }[] = []
  const group = createGroupCommit(async () => ({
    durable: new Promise<readonly Outcome[]>((resolve, reject) => {
      arrivals.push({ arrive: () => resolve(done), fail: reject })
    }),
  }))
  return { arrivals, group }
}

test('the next commit begins before the last is on the disk; each is answered when it has arrived', async () => {
  const { arrivals, group } = store()
  const answered: string[] = []
  const first = group.commit([command('a')]).then(() => answered.push('a'))
  await turn()
  const second = group.commit([command('b')]).then(() => answered.push('b'))
  await turn()
  expect(arrivals).toHaveLength(2)
  expect(answered).toEqual([])
  arrivals[1]!.arrive()
  await second
  expect(answered).toEqual(['b'])
  arrivals[0]!.arrive()
  await first
})

test('what does not arrive is refused, alone', async () => {
  const { arrivals, group } = store()
  const first = group.commit([command('a')])
  await turn()
  const second = group.commit([command('b')])
  await turn()
  arrivals[0]!.fail(new Error('the disk is gone'))
  await expect(first).rejects.toThrow('the disk is gone')
  arrivals[1]!.arrive()
  expect(await second).toEqual(done)
})

test('closing waits for what is on its way', async () => {
  const { arrivals, group } = store()
  const first = group.commit([command('a')])
  await turn()
  let closed = false
  const closing = group.close().then(() => {
    closed = true
  })
  await turn()
  expect(closed).toBe(false)
  arrivals[0]!.arrive()
  await first
  await closing
})
