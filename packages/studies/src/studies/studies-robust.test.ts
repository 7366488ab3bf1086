// The studies of the robust profile: each runs at a tiny size and gives finite figures; each verdict can turn false, on numbers made
// by hand of which one is spoilt.

import { createEnvironment, scenarioFromName, worldOf } from '@primo/lab'
import type { StudyResult, Verdict } from '@primo/lab/node'
import { describe, expect, test } from 'vitest'
import { ablationVerdicts, PARTS, runAblation } from './ablation.js'
import { auditVerdicts, runAudit } from './audit.js'
import { beyondDesignVerdicts, runBeyondDesign, SETTINGS } from './beyond-design.js'
import { driftVerdicts, runDrift } from './drift.js'
import { effectText, pairedEffect, shareText } from './paired-effect.js'

const options = { scale: 'quick', seed: 1, workers: 1 } as const

function expectFinite(result: StudyResult, rows: number): void {
  expect(result.tables.flatMap((table) => table.rows)).toHaveLength(rows)
  for (const { header, rows: own } of result.tables) for (const row of own) expect(row).toHaveLength(header.length)
  expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity|undefined/)
  for (const { series } of result.plots) {
    for (const { points } of series) {
      for (const point of points) for (const value of Object.values(point)) expect(value).toSatisfy(Number.isFinite)
    }
  }
  for (const { sentence } of result.verdicts) expect(sentence).toMatch(/\.$/)
}

const held = (verdicts: readonly Verdict[]) => verdicts.map((verdict) => verdict.held)

/** Effects with a known mean and a narrow interval. */
const around = (mean: number) =>
  pairedEffect(
    [99, 100, 101].map((value) => value + mean),
    [100, 100.5, 99.5],
  )

describe('a paired effect', () => {
  test('is the mean difference with Student intervals, its share, and who is smaller', () => {
    const effect = pairedEffect([8, 9, 13], [10, 10, 10])
    expect(effect.mean).toBe(0)
    // s = sqrt(7), t_{2, .975} = 4.3027.
    expect(effect.high).toBeCloseTo(4.3027 * Math.sqrt(7 / 3), 3)
    expect(effect.low).toBeCloseTo(-effect.high, 12)
    expect(effect).toMatchObject({ share: 0, smaller: 2, worlds: 3 })
    expect(effectText(pairedEffect([108, 109, 113], [90, 90, 90]))).toBe('+20 [+13, +27]')
    expect(shareText(pairedEffect([108, 109, 113], [90, 90, 90]))).toBe('+22.2%')
  })
})

describe('worlds whose rewards drift', () => {
  test('go over to another draw in half a period and come back after a whole one', () => {
    const drifting = createEnvironment(scenarioFromName('family?draw=3&driftPeriod=8192'))
    const still = createEnvironment(scenarioFromName('family?draw=3&driftPeriod=1000000000000'))
    const meansAt = (environment: typeof still, block: number) => environment.block(5, block, 1).means!
    // Blocks start at rounds 0, 4096 (half a period) and 8192 (a whole one).
    expect(meansAt(drifting, 0)).toEqual(meansAt(still, 0))
    meansAt(drifting, 2).forEach((value, a) => {
      expect(value).toBeCloseTo(meansAt(still, 2)[a]!, 12)
    })
    const gap = Math.max(...meansAt(drifting, 1).map((value, a) => Math.abs(value - meansAt(still, 1)[a]!)))
    expect(gap).toBeGreaterThan(0.02)
  })

  test('keep mean rewards in [0, 1], and leave contexts, values and noise alone', () => {
    const drifting = createEnvironment(scenarioFromName('family?draw=4&reward=quadratic&driftPeriod=3000'))
    const plain = createEnvironment(scenarioFromName('family?draw=4&reward=quadratic'))
    const [own] = [...worldOf(drifting, 2, 3000)]
    const [other] = [...worldOf(plain, 2, 3000)]
    expect(Math.min(...own!.means!)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...own!.means!)).toBeLessThanOrEqual(1)
    expect(own!.context).toEqual(other!.context)
    expect(own!.truth).toEqual(other!.truth)
    expect(own!.observed).toEqual(other!.observed)
  })

  test('refuse a period that is none', () => {
    expect(() => scenarioFromName('family?driftPeriod=1')).toThrow(/driftPeriod.*1/)
  })
})

describe('beyond-design', () => {
  const regrets = { label: 'w', floor: 1, robust: [90, 100, 95] }
  const verdicts = (primoCal: readonly number[], linUcb: readonly number[]) =>
    beyondDesignVerdicts([{ ...regrets, rivals: { 'primo-cal': primoCal, 'LinUCB with indicator': linUcb } }])

  test('runs small', async () => {
    const worlds = SETTINGS.filter(({ label }) => /sine|late by|rewards drift/.test(label))
    const result = await runBeyondDesign(options, { rounds: 256, draws: 2, worlds })
    expectFinite(result, 6)
    expect(result.verdicts).toHaveLength(6)
  })

  test('every world of the study is one that the lab can make', () => {
    for (const { dials } of SETTINGS) expect(() => scenarioFromName(`family?${dials(1024)}&draw=1`)).not.toThrow()
  })

  test('says where robust loses, and where nobody knows', () => {
    const both = verdicts([110, 121, 114], [91, 99, 95])
    expect(held(both)).toEqual([true, true])
    expect(both[0]!.sentence).toContain('less regret than primo-cal')
    expect(both[1]!.sentence).toContain('cannot be told apart')
    const loses = verdicts([80, 89, 86], [110, 121, 114])
    expect(held(loses)).toEqual([false, true])
    expect(loses[0]!.sentence).toContain('LOSES to primo-cal')
  })
})

describe('ablation', () => {
  test('runs small', async () => {
    const result = await runAblation(options, { rounds: 256, seeds: 2 })
    expectFinite(result, PARTS.length)
    expect(result.verdicts).toHaveLength(PARTS.length)
  })

  test('fails a part that costs more than 2%, and no other', () => {
    const part = (mean: number) => ({ part: 'p', effects: [{ environment: 'A', effect: around(mean) }] })
    expect(held(ablationVerdicts([part(20), part(0), part(-20)]))).toEqual([true, true, false])
    expect(ablationVerdicts([part(20)])[0]!.sentence).toContain('higher in A')
    expect(ablationVerdicts([part(-20)])[0]!.sentence).toContain('LOWER in A')
  })
})

describe('drift', () => {
  test('runs small', async () => {
    expectFinite(await runDrift(options, { rounds: 256, draws: 2 }), 9)
  })

  test('must win where the world moves and may cost a tenth where it does not', () => {
    const effect = (moves: boolean, mean: number) => ({ label: 'w', moves, effect: around(mean) })
    expect(
      held(driftVerdicts([effect(true, -9), effect(true, 0), effect(true, 9), effect(false, 8), effect(false, 12)])),
    ).toEqual([true, false, false, true, false])
  })
})

describe('audit', () => {
  test('runs small', async () => {
    const result = await runAudit(options, { rounds: 256, seeds: 2 })
    expectFinite(result, 9)
    expect(result.verdicts).toHaveLength(6)
  })

  test('must help under MNAR, and may not harm elsewhere', () => {
    const effect = (atRandom: boolean, guard: string, mean: number) => {
      return { environment: 'e', atRandom, guard, share: 0.02, effect: around(mean) }
    }
    const verdicts = auditVerdicts([
      effect(false, 'robust', -9),
      effect(false, 'robust', 0),
      effect(false, 'robust', 9),
      effect(true, 'robust', 0),
      effect(true, 'robust', 9),
    ])
    expect(held(verdicts)).toEqual([true, false, false, true, false])
  })
})
