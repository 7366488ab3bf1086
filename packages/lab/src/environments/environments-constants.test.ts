// The constants of every environment, and of the reference environments against the numbers of the reference file.

import { describe, expect, it } from 'vitest'
import { environmentConstants } from './constants.js'
import { referenceEnvironment } from './reference.js'
import { type ReferenceConstants, referenceEnvironments } from './reference-data.js'
import { createEnvironment } from './scenario.js'
import { scenarioFromName } from './scenario-name.js'
import { largest } from './structure.js'

const DRAWS = 60_000
// The reference file's own numbers have an error as well.
const REFERENCE_DRAWS = 400_000

describe('environmentConstants', () => {
  // 6 x 11 comparisons at three standard errors, many of them of the same draws: a false alarm in up to 16% of fresh seeds.
  it.each(referenceEnvironments)('agrees with the reference file on $name', ({ name, constants, mnarStrength }) => {
    const measured = environmentConstants(referenceEnvironment(name), { draws: DRAWS, seed: 11 })
    for (const key of Object.keys(constants) as (keyof ReferenceConstants)[]) {
      const { value, standardError } = measured[key]
      if (key === 'lipschitzInCovariate') {
        // The largest slope met in a sample: a little below the supremum in both.
        expect(Math.abs(value / constants[key] - 1), key).toBeLessThan(0.04)
      } else if (key === 'bestIgnoringCovariate' && mnarStrength !== 0) {
        // The file plays the action that is best given b = 0 in every round; the best policy that ignores z does better.
        expect(value, key).toBeLessThan(0.8 * constants[key])
      } else {
        const error = standardError! * Math.sqrt(1 + DRAWS / REFERENCE_DRAWS)
        expect(Math.abs(value - constants[key]) / error, key).toBeLessThan(3)
      }
    }
  })

  it('finds that the file plays the action best given b = 0 everywhere, where it ignores z under MNAR', () => {
    const environment = referenceEnvironment('MNAR+4')
    const given = environment.conditional
    const expected = new Float64Array(5)
    let lost = 0
    let rounds = 0
    for (let index = 0; index < 25; index++) {
      environment.rows(11, index, 4096, (row) => {
        given(row, 'missing', expected)
        rounds++
        lost += Math.max(...row.means) - row.means[largest(expected)]!
      })
    }
    // Not to three standard errors: its quadrature included the ends of eta's range (.0255 instead of .0251).
    expect(lost / rounds / 0.025473).toBeGreaterThan(0.96)
    expect(lost / rounds / 0.025473).toBeLessThan(1.02)
  })

  it.each(['dosing', 'dosing?grading=graded', 'pricing'])('%s leaves calibration something to earn', (name) => {
    const constants = environmentConstants(createEnvironment(scenarioFromName(name)), { draws: 30_000 })
    const floor = constants.floorPerRound.value
    expect(constants.trueRewardWithPretrainedPlugin.value).toBeGreaterThan(1.7 * floor)
    expect(constants.trueRewardWithTrueMeanPlugin.value).toBeLessThan(1.1 * floor)
    expect(constants.bestIgnoringCovariate.value).toBeGreaterThan(1.5 * floor)
    expect(constants.uniformPerRound.value).toBeGreaterThan(4 * floor)
  })

  it('gives nothing but the gap and uniform play where there is no covariate', () => {
    const constants = environmentConstants(createEnvironment(scenarioFromName('bandit?actions=10&gap=0.05')), {
      draws: 100,
    })
    expect(constants.uniformPerRound.value).toBeCloseTo(0.9 * 0.05, 12)
    expect(constants.meanGapBestToSecond.value).toBeCloseTo(0.05, 12)
    expect(constants.floorPerRound).toEqual({ value: 0, standardError: 0 })
    expect(constants.delta0.value).toBe(0)
  })

  it('says the same delta0 as the environment', () => {
    for (const name of ['A', 'A?bias=0.5', 'A?bias=0&noise=0.2', 'pricing', 'family?misspecifiedImputer=0.3']) {
      const environment = createEnvironment(scenarioFromName(name))
      const { value, standardError } = environmentConstants(environment, { draws: 20_000, seed: 5 }).delta0
      expect(Math.abs(environment.delta0! - value) / standardError!, name).toBeLessThan(4.5)
    }
    expect(createEnvironment(scenarioFromName('A?staleAt=10')).delta0).toBeUndefined()
  })
})
