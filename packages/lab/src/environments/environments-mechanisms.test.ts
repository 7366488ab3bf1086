// Missingness, imputer quality and delay: each dial does what it says, and nothing else.

import { describe, expect, it } from 'vitest'
import { summarise } from '../statistics/summarise.js'
import { createEnvironment } from './scenario.js'
import { scenarioFromName } from './scenario-name.js'
import { differences } from './world-blocks.fixture.js'

const ROUNDS = 4096
const BLOCKS = 5

const make = (name: string) => createEnvironment(scenarioFromName(name))

/** Missing share of the first rounds of a scenario. */
function missingShare(name: string, blocks = BLOCKS): number {
  const environment = make(name)
  let missing = 0
  for (let index = 0; index < blocks; index++) {
    for (const observed of environment.block(31, index, ROUNDS).observed) missing += 1 - observed
  }
  return missing / (blocks * ROUNDS)
}

describe('missingness', () => {
  // Three standard errors of a share over 20,480 rounds, and .005 for intercepts solved over 16,384 draws.
  const tolerance = 3 * Math.sqrt(0.25 / (BLOCKS * ROUNDS)) + 0.005

  it.each([
    ['A?mechanism=mcar&share=0.3', 0.3],
    ['dosing?mechanism=mcar&share=0.8', 0.8],
    ['A?share=0.2', 0.2],
    ['A?share=0.95', 0.95],
    ['A?share=0.6&strength=3', 0.6],
    ['A?share=0.6&strength=0', 0.6],
    ['A?mnarStrength=3&share=0.25', 0.25],
    ['MNAR-4?share=0.7', 0.7],
    ['pricing?mnarStrength=-1.5&share=0.4', 0.4],
    ['dosing?mnarStrength=2&share=0.5', 0.5],
    ['family?dimension=1&share=0.35', 0.35],
  ])('%s has the stated share', (name, share) => {
    expect(Math.abs(missingShare(name) - share)).toBeLessThan(tolerance)
  })

  it('never and always are shares too', () => {
    expect(missingShare('A?mechanism=mcar&share=0')).toBe(0)
    expect(missingShare('A?mechanism=mcar&share=1')).toBe(1)
  })

  it('at strength 0 MNAR is MAR, to the bit', () => {
    for (const name of ['A', 'pricing', 'dosing']) {
      const own = make(name).block(7, 1, 1000)
      expect(differences(make(`${name}?mnarStrength=0`).block(7, 1, 1000), own)).toEqual([])
      expect(differences(make(`${name}?mechanism=mar`).block(7, 1, 1000), own)).toEqual([])
    }
  })

  it('under MNAR the observed values are too large or too small by the sign of the dial, under MAR neither', () => {
    for (const name of ['A', 'dosing', 'pricing']) {
      const shift = (dial: string) => {
        const etas: number[] = []
        const unit = make(name).structure.covariate!.etaUnit
        make(`${name}?${dial}`).rows(8, 0, ROUNDS, (row) => {
          if (row.observed) etas.push((row.z - row.mean) / unit)
        })
        const { mean, standardError } = summarise(etas)
        return mean / standardError
      }
      expect(shift('mnarStrength=2')).toBeGreaterThan(5)
      expect(shift('mnarStrength=-2')).toBeLessThan(-5)
      expect(Math.abs(shift('mnarStrength=0'))).toBeLessThan(3)
    }
  })

  it('in blocks all rounds of a run are missing or none, whichever block of rounds is made first', () => {
    const environment = make('A?mechanism=blocks&share=0.4&length=100')
    const later = environment.block(5, 1, ROUNDS).observed
    const observed = [...environment.block(5, 0, ROUNDS).observed, ...later]
    const runs = new Map<number, Set<number>>()
    observed.forEach((seen, round) => {
      const run = Math.floor(round / 100)
      runs.set(run, (runs.get(run) ?? new Set()).add(seen))
    })
    for (const states of runs.values()) expect(states.size).toBe(1)
    // 512 runs of 40 rounds in five blocks: three standard errors are .065.
    expect(Math.abs(missingShare('A?mechanism=blocks&share=0.4&length=40') - 0.4)).toBeLessThan(0.065)
    expect(environment.block(6, 0, ROUNDS).observed).not.toEqual(environment.block(5, 0, ROUNDS).observed)
  })

  it('drift moves the share from one value to the other and leaves it there', () => {
    const environment = make('A?from=0.1&to=0.9&over=8192')
    const shareOf = (index: number) =>
      1 - environment.block(3, index, ROUNDS).observed.reduce((sum, seen) => sum + seen, 0) / ROUNDS
    const expected = [0.3, 0.7, 0.9, 0.9]
    expected.forEach((share, index) => {
      expect(Math.abs(shareOf(index) - share)).toBeLessThan(3 * Math.sqrt(0.25 / ROUNDS))
    })
  })

  it('leaves contexts, covariates and rewards as they were', () => {
    const own = make('A').block(2, 3, ROUNDS)
    const changed = (dial: string) => differences(make(`A?${dial}`).block(2, 3, ROUNDS), own)
    for (const dial of ['mnarStrength=4', 'mechanism=mcar&share=0.9', 'length=7&share=0.5']) {
      expect(changed(dial)).toEqual(['observed', 'floor'])
    }
    expect(changed('delay=3')).toEqual(['delay'])
    expect(changed('bias=0&noise=0.1')).toEqual(['pretrained'])
  })
})

describe('imputer quality', () => {
  /** Root mean square of g~ - g* and of z - g*. */
  function errors(name: string) {
    let model = 0
    let hidden = 0
    make(name).rows(4, 0, ROUNDS, ({ pretrained, mean, z }) => {
      model += (pretrained - mean) ** 2
      hidden += (z - mean) ** 2
    })
    return { model: Math.sqrt(model / ROUNDS), hidden: Math.sqrt(hidden / ROUNDS) }
  }

  it('bias scales the systematic error', () => {
    expect(errors('A?bias=0').model).toBe(0)
    expect(errors('A?bias=0.5').model).toBeCloseTo(errors('A').model / 2, 12)
    expect(errors('MNAR+4 mild bias').model).toBeCloseTo(0.3 * errors('MNAR+4').model, 12)
  })

  it('noise has the stated standard deviation', () => {
    // Uniform: the standard error of the root mean square is .0035 of it.
    expect(Math.abs(errors('A?bias=0&noise=0.2').model / 0.2 - 1)).toBeLessThan(0.03)
    expect(Math.abs(errors('pricing?bias=0&noise=300').model / 300 - 1)).toBeLessThan(0.03)
  })

  it('an input of its own makes the model know more than the context tells, and lowers the floor', () => {
    const { model, hidden } = errors('A?bias=0&extra=0.5')
    expect(model).toBe(0)
    expect(hidden).toBeCloseTo(errors('A').hidden / 2, 10)
    const floorOf = (name: string) =>
      make(name)
        .block(9, 0, ROUNDS)
        .floor!.reduce((sum, value) => sum + value, 0)
    expect(floorOf('A?extra=0.5')).toBeLessThan(0.5 * floorOf('A'))
  })

  it('a stale model misses a jump, or a move that takes its time', () => {
    const meanErrors = (name: string) => {
      const environment = make(name)
      return [0, 1, 2].map((index) => {
        let sum = 0
        environment.rows(4, index, ROUNDS, ({ pretrained, mean }) => {
          sum += (pretrained - mean) ** 2
        })
        return Math.sqrt(sum / ROUNDS)
      }) as [number, number, number]
    }
    const jump = meanErrors('A?bias=0&staleAt=4096')
    expect(jump[0]).toBe(0)
    expect(jump[1]).toBeGreaterThan(0.3)
    expect(Math.abs(jump[1] - jump[2])).toBeLessThan(0.03)
    const half = meanErrors('A?bias=0&staleAt=4096&staleAmount=0.5')
    expect(half[1]).toBeCloseTo(jump[1] / 2, 10)
    const drift = meanErrors('A?bias=0&staleAt=0&staleOver=12288')
    expect(drift[0]).toBeLessThan(drift[1])
    expect(drift[1]).toBeLessThan(drift[2])
  })
})

describe('delay', () => {
  it('is as declared: none, fixed, or geometric with the stated mean', () => {
    expect(make('A').block(1, 0, 10).delay).toBeNull()
    expect([...make('bandit?delay=50').block(1, 0, 4).delay!]).toEqual([50, 50, 50, 50])
    const { delay } = make('A?delayMean=20').block(1, 0, ROUNDS)
    const { mean, standardError } = summarise([...delay!])
    expect(Math.abs(mean - 20) / standardError).toBeLessThan(3)
    // Geometric: P(0) = 1/21 and a standard deviation of sqrt(20 * 21).
    expect(Math.abs(delay!.filter((rounds) => rounds === 0).length / ROUNDS - 1 / 21)).toBeLessThan(0.01)
    expect(standardError * Math.sqrt(ROUNDS)).toBeGreaterThan(18)
    expect([...make('A?delayMean=0').block(1, 0, 3).delay!]).toEqual([0, 0, 0])
  })
})
