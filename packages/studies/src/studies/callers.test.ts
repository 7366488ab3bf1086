import { expect, test } from 'vitest'
import { runCallers } from './callers.js'
import { callersOf } from './callers-world.js'

test('the older the policies the more regret, and restarts lose records', async () => {
  const { tables } = await runCallers({ scale: 'quick', seed: 1 }, { rounds: 2048, draws: 2, callers: 1000 })
  const rows = new Map(tables[0]!.rows.map(([name, ...rest]) => [name, rest]))
  const regret = (name: string) => Number(rows.get(name)![0])
  expect(regret('age and uploads T/4')).toBeGreaterThan(1.3 * regret('always up to date'))
  expect(Number.parseFloat(rows.get('T/64, restarts lose')![4]!)).toBeGreaterThan(1)
  expect(rows.get('age and uploads T/64')![4]).toBe('0.0%')
})

test('a caller decides with a policy that is as old as it may be, and no older', () => {
  const { keeps } = callersOf({ callers: 50, policyAge: 100, uploadEvery: 10 }, 7)
  // A new policy every 40 rounds.
  const ages = Array.from({ length: 2000 }, (_, round) => {
    const newest = Math.floor(round / 40)
    return newest - keeps(round, newest)
  })
  expect(Math.max(...ages)).toBe(3)
  expect(Math.min(...ages)).toBe(0)
  expect(keeps(2000, 50)).toBeLessThanOrEqual(50)
})
