// The study runs at a tiny size; each verdict can turn false, on numbers made by hand of which one is spoilt.

import { expect, test } from 'vitest'
import { type AskingWorld, askingVerdicts, runAsking } from './asking.js'

test('asking runs small', async () => {
  const result = await runAsking({ scale: 'quick', seed: 1, workers: 1 }, { rounds: 100, seeds: 2 })
  expect(result.tables[0]!.rows).toHaveLength(4)
  expect(result.verdicts).toHaveLength(4)
})

test('asking by value must be better in two worlds, worse in none, within its budget, with limits that cover', () => {
  const world = (random: number, byValue: number, asked = 0.02, missed = 1): AskingWorld => ({
    world: 'w',
    excess: {
      none: [40, 41, 42],
      random: [random, random + 1, random + 2],
      'by value': [byValue, byValue + 1.1, byValue + 1.9],
    },
    asked: [asked, asked],
    runs: 20,
    missed,
  })
  const held = (...worlds: AskingWorld[]) => askingVerdicts(worlds).map((verdict) => verdict.held)
  expect(held(world(20, 10), world(20, 12), world(20, 20))).toEqual([true, true, true, true])
  expect(held(world(20, 10), world(20, 18), world(20, 20))).toEqual([false, true, true, true])
  expect(held(world(20, 10), world(20, 12), world(20, 24))).toEqual([true, false, true, true])
  expect(held(world(20, 10), world(20, 12, 0.03), world(20, 20))).toEqual([true, true, false, true])
  expect(held(world(20, 10), world(20, 12, 0.02, 9), world(20, 20))).toEqual([true, true, true, false])
})
