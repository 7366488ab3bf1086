import { describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../engine/engine.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { gammaOf } from './gamma.js'

const problem: Problem = {
  context: Object.fromEntries(['x1', 'x2', 'x3', 'x4', 'x5'].map((name) => [name, number({ min: -1, max: 1 })])),
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c', 'd', 'e'],
  reward: { min: -0.3, max: 1.3, mean: { min: 0, max: 1 } },
}
const oracle = {
  interactions: [
    ['z', 'x1'],
    ['z', 'x2'],
  ],
} as const
const calibration = { class: 'basis', delta0: 0.28737, observation: { floor: 0.1 } } as const
const constants = {
  elasticity: 0.012262,
  lambda: 0.3,
  lipschitz: 0.38764,
  omega0: 0.288722,
  etaBound: 0.5,
  delta0: 0.28737,
}

// Epoch 17 of the doubling schedule: its fit has 2^15 rows, the one before 2^14.
const atEpoch17 = (options: EngineOptions) =>
  gammaOf(createEngine(problem, { oracle, ...options }), {
    epoch: 17,
    rows: 2 ** 15,
    rowsBefore: 2 ** 14,
    sigma: 0.2,
    degreesOfFreedom: 40,
  })

describe('gamma', () => {
  it('is c sqrt(K n / dim) in its practical form, dim counting all reward parameters', () => {
    expect(atEpoch17({ profile: 'primo', gamma: { kind: 'practical', c: 3 } })).toBeCloseTo(
      3 * Math.sqrt((5 * 2 ** 15) / 45),
      12,
    )
    expect(atEpoch17({ profile: 'primo' })).toBeCloseTo(10 * Math.sqrt((5 * 2 ** 15) / 45), 12)
  })

  it('is the given number in its fixed form, also written as a bare number', () => {
    expect(atEpoch17({ profile: 'primo', gamma: { kind: 'fixed', value: 12 } })).toBe(12)
    expect(atEpoch17({ profile: 'primo', gamma: 12 })).toBe(12)
  })

  // The independent prototype measured .27 and .14 (two digits) with the same constants.
  it('reproduces the printed theory gamma of the reference runs at epoch 17', () => {
    const gamma = { kind: 'theory', formulas: 'printed', ...constants, entropyExponent: 1 } as const
    expect(atEpoch17({ profile: 'primo', gamma })).toBeCloseTo(0.27, 2)
    expect(atEpoch17({ profile: 'primo-cal', calibration, gamma })).toBeCloseTo(0.14, 2)
  })

  it('does not depend on the unit in which the covariate is written', () => {
    const metres = { kind: 'theory', formulas: 'corrected', ...constants } as const
    const scaled: Problem = {
      ...problem,
      covariates: { z: { ...number({ min: -100, max: 100 }), imputer: { kind: 'column' } } },
    }
    const centimetres = {
      ...metres,
      lipschitz: constants.lipschitz / 100,
      omega0: constants.omega0 * 100,
      etaBound: constants.etaBound * 100,
      delta0: constants.delta0 * 100,
    }
    const inCentimetres = gammaOf(
      createEngine(scaled, {
        oracle,
        profile: 'primo-cal',
        calibration: { ...calibration, delta0: 28.737 },
        gamma: centimetres,
      }),
      { epoch: 17, rows: 2 ** 15, rowsBefore: 2 ** 14, sigma: 0.2, degreesOfFreedom: 40 },
    )
    expect(inCentimetres).toBeCloseTo(atEpoch17({ profile: 'primo-cal', calibration, gamma: metres }), 12)
  })

  it('takes "theory" alone, bounding what is not known by the ranges of the problem', () => {
    for (const formulas of ['printed', 'corrected'] as const) {
      for (const profile of ['primo', 'primo-cal'] as const) {
        const gamma = atEpoch17({ profile, gamma: { kind: 'theory', formulas } })
        expect(gamma).toBeGreaterThan(0)
        expect(gamma).toBeLessThan(10)
      }
    }
    expect(atEpoch17({ profile: 'primo', gamma: 'theory' })).toBe(
      atEpoch17({ profile: 'primo', gamma: { kind: 'theory', formulas: 'printed' } }),
    )
  })

  it('refuses what is not a gamma with the field and the value', () => {
    expect(() => atEpoch17({ gamma: -1 })).toThrow('gamma must be >= 0, got -1')
    expect(() => atEpoch17({ gamma: { kind: 'practical', c: Number.NaN } })).toThrow(
      'gamma.c must be a finite number >= 0, got NaN',
    )
    expect(() => atEpoch17({ gamma: 'theoretical' as 'theory' })).toThrow('gamma must be')
  })
})
