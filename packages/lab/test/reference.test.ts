// A short version of the reference runs. The long one (20 seeds at 2^17 rounds, against the table of SPEC D2) is
// `npm run reference`.

import { expect, it } from 'vitest'
import { referenceEnvironment } from '../src/environments/reference.js'
import { referenceEnvironments } from '../src/environments/reference-data.js'
import { summarise } from '../src/report/statistics.js'
import { referencePolicies } from '../src/simulation/reference-policies.js'
import { simulate, worldOf } from '../src/simulation/simulate.js'

it('agrees with the stored constants of every reference environment within three standard errors', () => {
  for (const { name, constants } of referenceEnvironments) {
    const environment = referenceEnvironment(name)
    const uniform: number[] = []
    const missing: number[] = []
    for (let index = 0; index < 10; index++) {
      const block = environment.block(77, index, 4096)
      for (let row = 0; row < 4096; row++) {
        const means = block.means.subarray(row * 5, row * 5 + 5)
        uniform.push(Math.max(...means) - means.reduce((sum, mean) => sum + mean, 0) / 5)
        missing.push(1 - block.observed[row]!)
      }
    }
    // 2 x 6 comparisons at three standard errors: a false alarm in 3% of fresh seeds; this one is fixed.
    const regret = summarise(uniform)
    expect(Math.abs(regret.mean - constants.uniformPerRound)).toBeLessThan(3 * regret.standardError)
    const share = summarise(missing)
    expect(Math.abs(share.mean - constants.missingShare)).toBeLessThan(3 * share.standardError)
  }
})

it('orders the policies as SPEC D2 does: oracle, then primo-cal, then primo, then theory gammas next to uniform', () => {
  const rounds = 2 ** 15
  const environment = referenceEnvironment('A')
  const policies = referencePolicies('A')
  const regrets = policies.map(() => [] as number[])
  for (let seed = 1; seed <= 4; seed++) {
    const world = [...worldOf(environment, seed, rounds)]
    policies.forEach(({ engine, seesCovariate }, i) => {
      regrets[i]!.push(simulate({ engine, world, seed, seesCovariate }).regret)
    })
  }
  const [uniform, oracle, primo, primoCal, primoTheory, primoCalTheory] = regrets.map(
    (values) => summarise(values).mean,
  )
  expect(oracle!).toBeLessThan(primoCal! - 100)
  expect(primoCal!).toBeLessThan(primo! - 25)
  expect(primo!).toBeLessThan(uniform! / 3)
  expect(Math.abs(primoTheory! / uniform! - 1)).toBeLessThan(0.01)
  expect(Math.abs(primoCalTheory! / uniform! - 1)).toBeLessThan(0.01)
})
