// The study of classes: worlds fit their problems, a small run gives finite figures and says which tables are absent, verdicts can turn false.

import { encodingOf } from '@primo/core/engine'
import { worldOf } from '@primo/lab'
import { afterEach, expect, test, vi } from 'vitest'
import { classTables, mailTable } from './class-tables.js'
import { drawnTables, twoActionWorlds } from './class-worlds.js'
import { classVerdicts, runClasses } from './classes.js'

afterEach(() => vi.unstubAllEnvs())

test.each([...twoActionWorlds, ...drawnTables].map((world) => [world.name, world] as const))(
  '%s gives rounds that fit its problem, and neither action is best everywhere or nowhere near',
  (_name, environment) => {
    const [block] = [...worldOf(environment, 3, 500)]
    expect(block!.context).toHaveLength(500 * encodingOf(environment.problem).contextWidth)
    for (const value of [...block!.means!, ...block!.rewards]) {
      expect(value).toBeGreaterThanOrEqual(0)
      expect(value).toBeLessThanOrEqual(1)
    }
    expect(block!.means!.some((mean, i) => i % 2 === 1 && mean > block!.means![i - 1]!)).toBe(true)
  },
)

test('runs small; tables that are not there are passed over by name', async () => {
  vi.stubEnv('PRIMO_DATA', '/no/such/folder')
  expect(classTables().tables.map(({ name }) => name)).toEqual(['steps', 'lines'])
  const result = await runClasses(
    { scale: 'quick', seed: 1 },
    { rounds: 100, runs: 4, rows: 150, orders: 1, classes: ['linear', 'select'] },
  )
  expect(result.settings['tables passed over']).toContain('warfarin/warfarin.csv')
  expect(result.tables.map(({ rows }) => rows.length)).toEqual([8, 2])
  for (const { rows } of result.tables) {
    for (const row of rows) for (const cell of row) expect(cell).not.toMatch(/NaN|Infinity/)
  }
  expect(result.verdicts).toHaveLength(4)
})

test('a mail pays for a visit, none pays its cost', () => {
  const customers = Array.from({ length: 60 }, (_, k) => ({
    recency: 1 + (k % 12),
    history: 10 * k,
    mens: k % 2,
    womens: (k + 1) % 2,
    zip: 'Rural',
    newbie: k % 3 === 0 ? 1 : 0,
    channel: k % 4 === 0 ? 'Web' : 'Phone',
    arm: k % 3 === 0 ? 'Mens E-Mail' : 'No E-Mail',
    visit: k % 2,
  }))
  const { table, spec } = mailTable(customers, 1, 1000)
  expect(table.rows).toBe(18)
  expect(spec.rewards).toEqual(['none', 'mail'])
})

test('a run that stays on the worse action is locked in, and a selector behind by more than 1% is said to be', () => {
  const lock = { world: 'w', name: 'trees', all: [0.2, 0.5], last: [0.1, 1.9] }
  const held = (last: number, selected: number) =>
    classVerdicts(
      [{ ...lock, last: [0.1, last] }],
      [{ table: 't', rewards: { linear: [0.5, 0.52], trees: [0.6, 0.61], select: [selected, selected] } }],
    ).map((verdict) => verdict.held)
  expect(held(0.3, 0.605)).toEqual([true, true])
  expect(held(1.9, 0.59)).toEqual([false, false])
  expect(classVerdicts([{ ...lock, all: [0.7, 0.2], last: [0, 0] }], [])[0]!.held).toBe(false)
})
