// The runner: cells, rows, second looks, sizes; tables and verdicts over figures.

import { expect, test } from 'vitest'
import { Found } from './found.js'
import { defineStudy } from './run-study.js'
import { effectText, pairedEffect, shareText } from './statistics.js'
import type { StudySpec } from './study-spec.js'
import { against, arm, mean, table, world } from './tables.js'
import { compared, covers, reproduced } from './verdicts.js'

const worlds = [{ name: 'w' }, { name: 'v' }]

/** Two arms, the second 10 above the first; a figure that exists in even repeats only. */
const spec: StudySpec<(typeof worlds)[number], { repeats: number; rounds: number }> = {
  name: 'made up',
  title: 'Made up',
  claim: 'Nothing.',
  full: { repeats: 4, rounds: 100 },
  quick: { repeats: 3, rounds: 10 },
  worlds: () => worlds,
  repeats: ({ name }, { repeats }) => (name === 'w' ? repeats : 1),
  again: (found) => ({ worlds: found.worlds.slice(1), repeats: 2 }),
  measure: (_world, { seed, repeat, size }) => ({
    less: { regret: size.rounds + seed, ...(repeat % 2 === 0 ? { even: 1 } : {}) },
    more: { regret: size.rounds + seed + 10 },
  }),
  tables: (found) => [table('Table', found.places(), [world, arm, ...mean('regret'), ...against('regret', 'less')])],
  verdicts: (found) => [
    compared(found.place('w', 'more'), { figure: 'regret', than: 'less', target: 'less' }),
    { held: found.again?.values('v', 'less', 'regret').length === 2, sentence: 'Looked again.' },
  ],
}
const study = defineStudy(spec)

test('measures every arm in every world and repeat, and keeps the rows', async () => {
  const shares: number[] = []
  const options = { scale: 'quick', seed: 5, workers: 1, onProgress: (share: number) => shares.push(share) } as const
  const { rows, tables, settings, verdicts } = await study.run(options)
  // Three and one repeats of two arms, and the second look at one world: two repeats with other seeds.
  expect(rows).toHaveLength(8 + 4)
  expect(rows!.at(-1)).toMatchObject({ world: 'v', arm: 'more', seed: 500_006 })
  expect(rows![1]).toEqual({ world: 'w', arm: 'more', seed: 5, figures: { regret: 25 } })
  expect(settings).toMatchObject({ repeats: 3, rounds: 10, 'first seed': 5, scale: 'quick' })
  expect(tables[0]!.rows[1]).toEqual(['w', 'more', '26', '0.6', '+10 [+10, +10]', '+62.5%', '0 of 3'])
  expect(shares.at(-1)).toBe(1)
  expect(verdicts.map(({ held }) => held)).toEqual([false, true])
})

test('takes other numbers and fewer worlds, and refuses those it does not have', async () => {
  const run = (more: object) => study.run({ scale: 'full', seed: 1, workers: 1, ...more })
  expect((await run({ size: { rounds: 7 }, worlds: ['v'] })).rows!.slice(0, 2)).toEqual([
    { world: 'v', arm: 'less', seed: 1, figures: { regret: 8, even: 1 } },
    { world: 'v', arm: 'more', seed: 1, figures: { regret: 18 } },
  ])
  await expect(run({ size: { round: 7 } })).rejects.toThrow(/numbers repeats, rounds.*round=7/)
  await expect(run({ size: { rounds: 0 } })).rejects.toThrow(/above 0, got rounds=0/)
  await expect(run({ size: { repeats: 0.5 } })).rejects.toThrow(/whole and above 0, got repeats=0.5/)
  await expect(run({ policies: ['primo'] })).rejects.toThrow(/made up compares policies of its own/)
  await expect(run({ worlds: ['u'] })).rejects.toThrow(/are w; v, got "u"/)
})

test('a study without its file is passed over and says so', async () => {
  const { conclusion, verdicts } = await defineStudy({ ...spec, absent: () => 'x.csv' }).run({
    scale: 'quick',
    seed: 1,
  })
  expect(conclusion).toMatch(/^Passed over: the table x.csv .*PRIMO_DATA/)
  expect(verdicts).toEqual([])
})

const found = (figures: Readonly<Record<string, readonly number[]>>) =>
  new Found(
    [{ name: 'w' }],
    { repeats: 3 },
    true,
    Object.entries(figures).flatMap(([name, values]) =>
      values.map((value, seed) => ({ world: 'w', arm: name, seed, figures: { regret: value } })),
    ),
  )

test('a paired effect is the mean difference with Student intervals, its share, and who is smaller', () => {
  const effect = pairedEffect([8, 9, 13], [10, 10, 10])
  expect(effect.mean).toBe(0)
  // s = sqrt(7), t_{2, .975} = 4.3027.
  expect(effect.high).toBeCloseTo(4.3027 * Math.sqrt(7 / 3), 3)
  expect(effect.low).toBeCloseTo(-effect.high, 12)
  expect(effect).toMatchObject({ share: 0, smaller: 2, worlds: 3 })
  expect(effectText(pairedEffect([108, 109, 113], [90, 90, 90]))).toBe('+20 [+13, +27]')
  expect(shareText(pairedEffect([108, 109, 113], [90, 90, 90]))).toBe('+22.2%')
})

test.each([
  [-9, 'less', true],
  [0, 'less', false],
  [0, 'not more', true],
  [9, 'not more', false],
  [8, 0.1, true],
  [12, 0.1, false],
] as const)('a difference of %i held against the target %s: %s', (difference, target, held) => {
  const values = found({ one: [99, 100, 101].map((value) => value + difference), other: [100, 100.5, 99.5] })
  expect(compared(values.place('w', 'one'), { figure: 'regret', than: 'other', target }).held).toBe(held)
})

test('quoted means are reproduced within three combined standard errors', () => {
  const place = found({ one: [99, 100, 101] }).place('w', 'one')
  const verdict = (quoted: readonly [number, number | null]) => reproduced('w', [{ place, quoted }], 'regret')
  // The standard error is .577.
  expect(verdict([101.7, 0]).held).toBe(true)
  expect(verdict([101.8, 0])).toMatchObject({ held: false, sentence: expect.stringContaining('NOT: one (-3.1)') })
  expect(verdict([102.4, null]).held).toBe(true)
})

test('shares lie within limits that give way by standard errors', () => {
  const hits = Array.from({ length: 100 }, (_, k) => (k < 93 ? 1 : 0))
  expect(covers({ what: 'x', hits, least: 0.93, most: 0.97 }).held).toBe(true)
  expect(covers({ what: 'x', hits, least: 0.95 }).held).toBe(false)
  expect(covers({ what: 'x', hits, least: 0.95, slack: 1 }).held).toBe(true)
  expect(covers({ what: 'x', hits, least: 0.5, most: 0.9 }).held).toBe(false)
})
