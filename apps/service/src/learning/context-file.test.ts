// What is learnt does not depend on where the contexts lie.

import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { expect, onTestFinished, test } from 'vitest'
import { type ContextFile, openContextFile } from '../../dist/learning/context-file.js'
import { createFollower } from '../../dist/learning/follower.js'
import { dice } from '../dice.fixture.js'
import { smallProblem } from '../running.fixture.js'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'primo-contexts-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('gives back what it was given, in any order, and leaves nothing behind', () => {
  const folder = temporary()
  const file = openContextFile(folder, 100)
  const contexts = Array.from({ length: 40 }, (_, k) => Float64Array.from({ length: 100 }, (_, i) => k + i / 100))
  contexts.forEach((context, k) => {
    expect(file.keep(k, context)).toBe(true)
  })
  for (const k of [39, 0, 17, 17, 3, 38, ...contexts.keys()]) expect(file.load(k)).toEqual(contexts[k])
  file.close()
  expect(readdirSync(folder)).toEqual([])
})

test.skipIf(!existsSync('/proc/self/fd'))('a block that has changed on the disk is not given back', () => {
  const folder = temporary()
  const file = openContextFile(folder, 10)
  file.keep(
    0,
    Float64Array.from({ length: 10 }, (_, k) => k),
  )
  const own = readdirSync('/proc/self/fd').find((descriptor) => pathOf(descriptor).startsWith(folder))
  writeFileSync(`/proc/self/fd/${own}`, 'x', { flag: 'r+' })
  expect(() => file.load(0)).toThrow(/block 0 of the file of contexts is damaged/)
  file.close()
})

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // The folder that is being listed.
    return ''
  }
}

test('a folder that cannot be written keeps nothing, and says so', () => {
  const file = openContextFile(join(temporary(), 'is-not-there'), 10)
  expect(file.keep(0, new Float64Array(10))).toBe(false)
})

test('a log of many blocks is learnt to the same state with its contexts in a file', () => {
  const folder = temporary()
  const files: ContextFile[] = []
  const followers = [
    createFollower(0),
    createFollower(0, (width) => {
      files.push(openContextFile(folder, BLOCK_ROUNDS * width))
      return files.at(-1)!
    }),
  ]
  const d = dice(11)
  let seq = 0
  const take = (kind: 'problem' | 'decision' | 'reward' | 'epoch', round: number | null, body: unknown) => {
    seq++
    for (const follower of followers)
      follower.take({ problem: 1, seq, time: 0, kind, round, body: JSON.stringify(body) })
  }
  const learning = { profile: 'robust', seed: 1 } as object
  take('problem', null, { version: 1, seed: 1, definition: smallProblem({ learning }), begins: true })
  const rounds = 18 * BLOCK_ROUNDS + 100
  let states = followers.map((follower) => follower && null) as (ReturnType<(typeof followers)[0]['learn']> | null)[]
  for (let round = 0; round < rounds; round++) {
    const x = d.next()
    const z = d.chance(0.5) ? d.next() : null
    take('decision', round, {
      request: { context: { x }, covariates: { z } },
      learning: {
        predictions: { z: 0.5 },
        used: [z ?? 0.5],
        action: d.chance(0.5) ? 'a' : 'b',
        propensity: 0.5,
        policy: 0,
      },
    })
    take('reward', round, { id: 'd', value: x, answer: 'accepted', closes: (x + (z ?? 0.5)) / 2 })
    if (round + 1 !== rounds - 200 && round + 1 !== rounds) continue
    take('epoch', null, { epoch: 1, rounds: round + 1, closed: round + 1, why: 'quota' })
    states = followers.map((follower, k) => follower.learn(states[k]!))
    expect(JSON.stringify(states[1])).toBe(JSON.stringify(states[0]))
  }
  expect(files.length).toBe(1)
})
