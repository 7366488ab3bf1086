// The study of strangers: every world gives rounds that fit its problem, a small run gives finite figures, each verdict can turn false.

import { encodingOf } from '@primo/core/engine'
import { expect, test } from 'vitest'
import type { WorldOutcome } from '../strangers/run-world.js'
import { PRODUCTS } from '../strangers/run-world.js'
import { worldResult } from '../strangers/world-results.js'
import { worlds } from '../strangers/worlds.js'
import { earlyVerdicts, runStrangers, strangersVerdicts } from './strangers.js'

test('names differ, and a world is only compared with one that is there', () => {
  const names = worlds.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { against } of worlds) if (against !== undefined) expect(names).toContain(against)
})

test.each(worlds.map((world) => [world.name, world] as const))(
  '%s gives rounds that fit its problem',
  (_name, world) => {
    const { problem, block } = world.environment()
    const { reward, actions } = problem
    const unit = reward.mean ?? reward
    const inside = (value: number) => (value - unit.min) / (unit.max - unit.min)
    const drawn = block(3, 0, 64)
    expect(drawn.context).toHaveLength(64 * encodingOf(problem).contextWidth)
    for (const column of [drawn.context, drawn.truth, drawn.pretrained])
      for (const value of column) expect(Math.abs(value)).toBeLessThanOrEqual(1)
    for (let at = 0; at < 64 * actions.length; at++) {
      expect(drawn.rewards[at]).toBeGreaterThanOrEqual(inside(reward.min))
      expect(drawn.rewards[at]).toBeLessThanOrEqual(inside(reward.max))
      expect(drawn.means![at]).toBeGreaterThanOrEqual(0)
      expect(drawn.means![at]).toBeLessThanOrEqual(1)
    }
    expect(block(3, 0, 64)).toEqual(drawn)
    expect(block(4, 0, 64)).not.toEqual(drawn)
  },
)

test('runs small', async () => {
  const names = [
    'sure .02, or 1 at .03',
    'three covariates',
    'ranges as they are',
    'context 10x',
    'dosing',
    'rewards late by 200',
  ]
  const result = await runStrangers(
    { scale: 'quick', seed: 1, workers: 1 },
    { rounds: 200, seeds: 2, alone: 1, only: ({ name }) => names.includes(name) },
  )
  expect(result.tables.flatMap(({ rows }) => rows)).toHaveLength(names.length)
  expect(result.verdicts.at(-1)!.sentence).toMatch(/^sure .02, or 1 at .03: [01] of 1 runs of 20,000 rounds are stuck/)
  expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity|undefined/)
})

const world = worlds.find(({ name }) => name === 'K = 3, d = 5, Bernoulli')!

/** A peer with regret 100 and 10 late, uniform with 300 (or as given) and 100, robust as given. */
function verdicts(
  robust: readonly { total: number; late: number; early: readonly number[] }[],
  latched = false,
  uniform = 300,
) {
  const outcomes = robust.map((own, seed): WorldOutcome => {
    const regrets = {
      robust: own,
      peer: { total: 100 + seed, late: 10, early: [] },
      uniform: { total: uniform, late: 100, early: [] },
    }
    return { world: world.name, seed, regrets, latched }
  })
  return strangersVerdicts([worldResult(world, outcomes)]).map(({ held }) => held)
}

const runs = (total: number, late: number) => [0, 1, 2].map((seed) => ({ total: total + seed, late, early: [] }))

test('each verdict turns false by itself', () => {
  expect(verdicts(runs(104, 20))).toEqual([true, true, true, true])
  expect(verdicts(runs(107, 20))).toEqual([false, true, true, true])
  expect(verdicts(runs(301, 20))).toEqual([false, false, true, true])
  expect(verdicts(runs(100, 31))).toEqual([true, true, false, true])
  expect(verdicts(runs(100, 20), true)).toEqual([true, true, true, false])
  // Where the best peer itself is hardly better than uniform play, chance alone makes runs above it.
  expect(verdicts(runs(104, 20), false, 103)).toEqual([true, true, true, true])
  // Worse on average, but not beyond two standard errors.
  const wild = [
    { total: 60, late: 20, early: [] },
    { total: 100, late: 20, early: [] },
    { total: 170, late: 20, early: [] },
  ]
  expect(verdicts(wild)).toEqual([true, true, true, true])
})

test('the first rounds are judged over all worlds', () => {
  const after = (early: readonly number[]) => ({ total: 100, late: 10, early })
  const outcomes = (robust: readonly number[]) =>
    [0, 1, 2].map((seed): WorldOutcome => {
      const regrets = { robust: after(robust), peer: after([10, 30]), other: after([9, 40]), uniform: after([20, 60]) }
      return { world: world.name, seed, regrets, latched: false }
    })
  const judged = (robust: readonly number[]) => earlyVerdicts([worldResult(world, outcomes(robust))])
  // The best peer is the other one after 100 rounds, this one after 300.
  expect(judged([9.8, 31]).map(({ held }) => held)).toEqual([true, true])
  expect(judged([10, 32]).map(({ held }) => held)).toEqual([false, false])
  expect(judged([10, 32])[0]!.sentence).toMatch(/^After 100 rounds robust has 1.111 ± /)
})

test('a world that seemed lost is lost if other seeds say so, too', () => {
  const resultOf = (robust: number, first: number) =>
    worldResult(
      world,
      [0, 1, 2].map((k): WorldOutcome => {
        const regrets = {
          robust: { total: robust + k, late: 20, early: [] },
          peer: { total: 100 + k, late: 10, early: [] },
          uniform: { total: 300, late: 100, early: [] },
        }
        return { world: world.name, seed: first + k, regrets, latched: false }
      }),
    )
  const [chance] = strangersVerdicts([resultOf(110, 0)], [resultOf(101, 10)])
  expect(chance!.held).toBe(true)
  expect(chance!.sentence).toContain(`Seemed lost at first: ${world.name} 1.10`)
  expect(strangersVerdicts([resultOf(110, 0)], [resultOf(108, 10)])[0]!.held).toBe(false)
})

test('the price of finding products is looked at again in the same way', () => {
  const resultOf = (own: number) => {
    const kept = (total: number) => ({ total, late: 10, early: [] })
    const outcomes = [0, 1, 2].map((k): WorldOutcome => {
      const regrets = { robust: kept(60 + k), [PRODUCTS]: kept(own + k), peer: kept(100 + k), uniform: kept(300) }
      return { world: world.name, seed: k, regrets, latched: false }
    })
    return worldResult(world, outcomes)
  }
  const judged = (...looks: Parameters<typeof strangersVerdicts>) =>
    strangersVerdicts(...looks).find(({ sentence }) => sentence.startsWith('Against robust with'))!
  expect(judged([resultOf(58)]).held).toBe(true)
  expect(judged([resultOf(50)]).held).toBe(false)
  expect(judged([resultOf(50)], [resultOf(58)]).held).toBe(true)
  expect(judged([resultOf(50)], [resultOf(58)]).sentence).toContain('With other seeds')
  expect(judged([resultOf(50)], [resultOf(51)]).held).toBe(false)
})
