// A short version of the reference runs. The long one (20 seeds at 2^17 rounds, against the table method#main-table) is
// `primo study reference`.

import { referenceEnvironment, runPolicy, summarise, worldOf } from '@primo/lab'
import { expect, it } from 'vitest'
import { referenceLineup } from './reference.js'

it('orders the policies as the reference runs do: the one that sees all values, then primo-cal, then primo, then theory gammas next to uniform', () => {
  const environment = referenceEnvironment('A')
  const regrets = new Map<string, number[]>()
  for (let seed = 1; seed <= 4; seed++) {
    const world = [...worldOf(environment, seed, 2 ** 15)]
    for (const spec of referenceLineup) {
      const row = runPolicy({ spec, problem: environment.problem, world, seed })
      regrets.set(spec.name, [...(regrets.get(spec.name) ?? []), row.regret!])
    }
  }
  const mean = (policy: string) => summarise(regrets.get(policy)!).mean
  // Standard errors are 4 to 10 here; differences at this size are 250, 75 and 2600.
  expect(mean('sees all values')).toBeLessThan(mean('primo-cal') - 100)
  expect(mean('primo-cal')).toBeLessThan(mean('primo') - 25)
  expect(mean('primo')).toBeLessThan(mean('uniform') / 3)
  expect(Math.abs(mean('primo, theory gamma') / mean('uniform') - 1)).toBeLessThan(0.01)
  expect(Math.abs(mean('primo-cal, theory gamma') / mean('uniform') - 1)).toBeLessThan(0.01)
})
