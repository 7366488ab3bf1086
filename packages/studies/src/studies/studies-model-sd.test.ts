import { describe, expect, it } from 'vitest'
import { runModelSd, sdVerdict } from './model-sd.js'

describe('study model-sd', () => {
  it('finds less regret where the sd says something, in any unit, and none of it where the reward is linear in z', async () => {
    // Two worlds of 2,048 rounds: the effect is more than ten of its standard errors there.
    const result = await runModelSd({ scale: 'quick', seed: 1 }, { rounds: 2048, seeds: 2 })
    const share = (name: string) => Number.parseFloat(result.tables[0]!.rows.find((row) => row[0] === name)![4]!)
    for (const name of ['right', 'three times too large', 'five times too small']) expect(share(name)).toBeLessThan(-30)
    expect(share('noise, one spread')).toBeLessThan(3)
    expect(result.verdicts.at(-1)!.held).toBe(true)
  })

  it('has verdicts that can come out false', () => {
    const effect = { mean: 12, low: 8, high: 16, share: 0.06, smaller: 0, worlds: 20 }
    const base = { name: 'right', says: 'truth', factor: 1, spreads: [0.05, 0.4], bends: true } as const
    const held = (expected: 'helps' | 'harmless' | 'nothing', change: object) =>
      sdVerdict({ ...base, expected } as Parameters<typeof sdVerdict>[0], { ...effect, ...change }).held
    expect([held('helps', {}), held('harmless', {}), held('nothing', {})]).toEqual([false, false, false])
    expect([
      held('helps', { high: -1 }),
      held('harmless', { share: 0.01 }),
      held('nothing', { mean: 0, low: 0, high: 0 }),
    ]).toEqual([true, true, true])
  })
})
