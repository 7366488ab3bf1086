import { expect, test } from 'vitest'
import { createMemory } from './memory.js'

const said = (prediction: number) => ({ prediction })

test('forgets what was least recently used when it is full', () => {
  const memory = createMemory({ size: 2, age: 10, keep: 100 }, () => 0)
  memory.remember('a', said(1))
  memory.remember('b', said(2))
  memory.recall('a')
  memory.remember('c', said(3))
  expect(memory.size()).toBe(2)
  expect(memory.recall('b')).toBeUndefined()
  expect(memory.recall('a')?.said).toEqual(said(1))
})

test('an answer is fresh up to its age and kept beyond it', () => {
  const clock = { now: 0 }
  const memory = createMemory({ size: 2, age: 10, keep: 100 }, () => clock.now)
  memory.remember('a', said(1))
  clock.now = 10
  expect(memory.recall('a')?.fresh).toBe(true)
  clock.now = 11
  expect(memory.recall('a')).toEqual({ said: said(1), fresh: false })
  clock.now = 101
  expect(memory.recall('a')).toBeUndefined()
  expect(memory.size()).toBe(0)
})

test('of size 0 remembers nothing', () => {
  const memory = createMemory({ size: 0, age: 10, keep: 100 }, () => 0)
  memory.remember('a', said(1))
  expect(memory.recall('a')).toBeUndefined()
})
