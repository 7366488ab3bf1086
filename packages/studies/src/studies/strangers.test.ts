// The study of strangers: every world gives rounds that fit its problem, and each verdict can turn false.

import { createHash } from 'node:crypto'
import { encodingOf } from '@primo/core/engine'
import type { WorldBlock } from '@primo/lab'
import { expect, test } from 'vitest'
import { Found } from '../runner/found.js'
import { EARLY, strangerResult } from '../strangers/compare-strangers.js'
import { worlds } from '../strangers/worlds.js'
import { earlyVerdicts, strangers, strangersVerdicts } from './strangers.js'

/** Of the rounds to nine decimals. */
function hashOf({ context, truth, observed, pretrained, means, rewards }: WorldBlock): string {
  const hash = createHash('sha256')
  for (const column of [context, truth, observed, pretrained, means!, rewards])
    hash.update(Array.from(column, (value) => value.toFixed(9)).join())
  return hash.digest('hex').slice(0, 16)
}

test('names differ, and a world is only compared with one that is there', () => {
  const names = worlds.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { against } of worlds) if (against !== undefined) expect(names).toContain(against)
})

test.each(worlds.map((world) => [world.name, world] as const))(
  '%s gives rounds that fit its problem',
  (_name, world) => {
    const { problem, block } = world.environment(3, 1000)
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
    expect(hashOf(drawn)).toMatchSnapshot()
    expect(world.environment(4, 1000).block(4, 0, 64)).not.toEqual(drawn)
  },
)

const world = worlds.find(({ name }) => name === 'K = 3, d = 5, Bernoulli')!
type Run = readonly [regret: number, late: number, early?: readonly number[]]

/** Rows of a policy, peers and uniform play in one world, by seed. */
function resultOf(arms: Readonly<Record<string, readonly Run[]>>) {
  const rows = Object.entries(arms).flatMap(([arm, runs]) =>
    runs.map(([regret, late, early = []], seed) => {
      const marks = early.map((value, k) => [`regret ${EARLY[k]}`, value])
      return { world: world.name, arm, seed, figures: { regret, late, ...Object.fromEntries(marks) } }
    }),
  )
  return strangerResult(new Found([world], { repeats: 3 }, true, rows), world, 'robust')
}

const runs = (regret: number, late: number): readonly Run[] => [0, 1, 2].map((seed) => [regret + seed, late])
const beside = (robust: readonly Run[], uniform = 300) =>
  resultOf({ robust, 'LinTS, 1': runs(100, 10), uniform: [0, 1, 2].map(() => [uniform, 100]) })
const held = (robust: readonly Run[], uniform?: number) =>
  strangersVerdicts('robust', [beside(robust, uniform)]).map((verdict) => verdict.held)

test('each verdict turns false by itself', () => {
  expect(held(runs(104, 20))).toEqual([true, true, true])
  expect(held(runs(107, 20))).toEqual([false, true, true])
  expect(held(runs(301, 20))).toEqual([false, false, true])
  expect(held(runs(100, 31))).toEqual([true, true, false])
  // Where the best peer itself is hardly better than uniform play, chance alone makes runs above it.
  expect(held(runs(104, 20), 103)).toEqual([true, true, true])
  // Worse on average, but not beyond two standard errors.
  expect(held([60, 100, 170].map((regret) => [regret, 20]))).toEqual([true, true, true])
})

test('the first rounds are judged over all worlds, each against the peer that is best by then', () => {
  const judged = (robust: readonly number[]) => {
    const all = (early: readonly number[]): readonly Run[] => [0, 1, 2].map(() => [100, 10, early])
    const arms = { robust: all(robust), 'LinTS, 1': all([10, 30]), primo: all([9, 40]), uniform: all([20, 60]) }
    return earlyVerdicts('robust', [resultOf(arms)])
  }
  expect(judged([9.8, 31]).map((verdict) => verdict.held)).toEqual([true, true])
  expect(judged([10, 32]).map((verdict) => verdict.held)).toEqual([false, false])
  expect(judged([10, 32])[0]!.sentence).toMatch(/^After 100 rounds robust has 1.111 ± /)
})

test('a world that seemed lost is lost if other seeds show it too', () => {
  const [chance] = strangersVerdicts('robust', [beside(runs(110, 20))], [beside(runs(101, 20))])
  expect(chance!.held).toBe(true)
  expect(chance!.sentence).toContain(`Seemed lost at first: ${world.name} 1.10`)
  expect(strangersVerdicts('robust', [beside(runs(110, 20))], [beside(runs(108, 20))])[0]!.held).toBe(false)
})

test('any policies are judged in any worlds, with peers beside them', async () => {
  const { rows, verdicts } = await strangers.run({
    scale: 'quick',
    seed: 1,
    workers: 1,
    size: { rounds: 100, repeats: 1 },
    worlds: ['near ties'],
    policies: ['no-z', { name: 'mine', kind: 'engine', sees: 'world', options: { profile: 'primo' } }],
  })
  const arms = rows!.map(({ arm }) => arm)
  expect(arms.slice(0, 3)).toEqual(['no-z', 'mine', 'uniform'])
  expect(arms).toContain('LinUCB, no z, 0.3')
  expect(verdicts.some(({ sentence }) => sentence.includes('runs of mine are locked in'))).toBe(true)
})
