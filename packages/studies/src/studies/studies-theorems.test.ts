// The four studies of the theorems: each verdict can turn false. Numbers that obey the theorems are made by hand,
// then one of them is spoilt at a time.

import type { Verdict } from '@primo/lab/node'
import { describe, expect, test } from 'vitest'
import { curve as toCurve } from '../runner/curves.js'
import { Found } from '../runner/found.js'
import { doublings, interceptOf, rateOf } from '../runner/statistics.js'
import type { Figures } from '../runner/study-spec.js'
import { calibratedRegretVerdicts } from './calibrated-regret.js'
import { calibrationRateVerdicts } from './calibration-rate.js'
import { oracleInequality, oracleInequalityVerdicts } from './oracle-inequality.js'
import { regretElasticityVerdicts } from './regret-elasticity.js'

/** Four seeds around a curve, one per cent apart. */
function around(curve: readonly number[]): readonly (readonly number[])[] {
  return [0.99, 1.01, 0.995, 1.005].map((factor) => curve.map((value) => factor * value))
}

/** Which verdicts fail, by their place. */
function failed(verdicts: readonly Verdict[]): readonly number[] {
  return verdicts.flatMap(({ held }, index) => (held ? [] : [index]))
}

/** Rows of an arm from its curves, one per seed. */
function rowsOf(
  world: string,
  arm: string,
  x: readonly number[],
  curves: readonly (readonly number[])[],
  more: Figures = {},
  prefix = '',
) {
  return curves.map((values, seed) => {
    const figures = Object.fromEntries(x.map((at, i) => [`${prefix}${at}`, values[i]!]))
    return { world, arm, seed, figures: { ...figures, ...more } }
  })
}

describe('figures of rates', () => {
  const x = doublings(3, 8)

  test('a power of x has its exponent as rate, without error when all curves agree', () => {
    const curve = x.map((value) => 7 * value ** -0.3)
    const rate = rateOf(x, [curve, curve, curve])
    expect(rate.mean).toBeCloseTo(-0.3, 12)
    expect(rate.standardError).toBeCloseTo(0, 12)
  })

  test('the jackknife error of a rate is that of the slope of independent curves', () => {
    const exponents = [-0.4, -0.5, -0.6]
    const { standardError } = rateOf(
      x,
      exponents.map((exponent) => x.map((value) => value ** exponent)),
    )
    // Standard error of the mean of the three exponents, to first order.
    expect(standardError).toBeCloseTo(0.1 / Math.sqrt(3), 1)
    expect(standardError).toBeGreaterThan(0)
  })

  test('the intercept of an exact line is its level at 0, whatever the weights', () => {
    const scale = x.map((value) => 1 / Math.sqrt(value))
    const line = (level: number) => scale.map((value) => level + 3 * value)
    expect(interceptOf(scale, [line(0.2), line(0.4), line(0.3)]).mean).toBeCloseTo(0.3, 12)
    expect(interceptOf(scale, [line(0.2), line(0.2)]).mean).toBeCloseTo(0.2, 12)
  })
})

describe('oracle-inequality', () => {
  const CLEAN = 'no noise, no bias'
  const NOISY = 'covariate noise only'

  test('is a function of the seed, and its configurations are what they say', async () => {
    const run = () =>
      oracleInequality.run({
        scale: 'quick',
        seed: 1,
        workers: 1,
        size: { lastExponent: 9, repeats: 1, fresh: 1024 },
      })
    const { rows } = await run()
    expect((await run()).rows).toEqual(rows)
    const of = (name: string) => rows!.find(({ world }) => world === name)!.figures
    expect(of(CLEAN)).toMatchObject({ printed: 0, missingOnly: 0, bias: 0 })
    expect(of(NOISY).missingOnly).toBeGreaterThan(0)
    expect(of(NOISY).bias).toBe(0)
    expect(of('bias only').missingOnly).toBe(of('bias only').bias)
    expect(of('bias and noise').missingOnly).toBeGreaterThan(of('bias and noise').bias!)
    for (const name of ['curvature (B)', 'MNAR, g = g*']) expect(of(name).bias).toBeGreaterThan(0)
  })

  const sizes = doublings(7, 17)
  interface Errors {
    readonly errors: readonly (readonly number[])[]
    readonly limit: number
  }
  const lawful = (name: string): Errors => {
    const limit = name === CLEAN || name === NOISY ? 0 : 0.02
    return { limit, errors: around(sizes.map((n) => Math.hypot(limit, 1.2 / Math.sqrt(n)))) }
  }
  const names = [CLEAN, NOISY, 'bias only', 'bias and noise', 'curvature (B)', 'MNAR, g = g*']
  const judge = (name?: string, changes: Partial<Errors> = {}) => {
    const rows = names.flatMap((one) => {
      const { errors, limit } = { ...lawful(one), ...(one === name ? changes : {}) }
      const biased = one !== CLEAN && one !== NOISY
      const constants = {
        limit,
        printed: one === CLEAN ? 0 : 0.01,
        missingOnly: one === CLEAN ? 0 : 0.004,
        bias: biased ? 0.002 : 0,
        biasUniform: biased ? 0.001 : 0,
      }
      return rowsOf(one, 'fit', sizes, errors, constants)
    })
    const worlds = names.map((one) => {
      return { name: one, environment: 'A', covariateNoise: true, filledBy: 'true mean' as const }
    })
    return oracleInequalityVerdicts(new Found(worlds, { repeats: 4, lastExponent: 17, fresh: 1 }, true, rows))
  }
  const slow = { errors: around(sizes.map((n) => 0.3 * n ** -0.25)) }

  test('holds on curves that obey the theorem', () => {
    expect(failed(judge())).toEqual([])
  })

  test('fails when the error falls too slowly without noise', () => {
    expect(failed(judge(CLEAN, slow))).toEqual([0])
  })

  test('fails when covariate noise leaves an error behind', () => {
    expect(failed(judge(NOISY, { errors: around(sizes.map((n) => 0.05 + 1 / n)) }))).toEqual([1])
  })

  test('fails when the error settles above sqrt(E_bias)', () => {
    expect(failed(judge('bias and noise', { errors: around(sizes.map((n) => 0.05 + 1 / n)), limit: 0.05 }))).toEqual([
      3,
    ])
  })

  test('fails when the error is not flat', () => {
    expect(failed(judge('bias only', { errors: lawful(CLEAN).errors }))).toEqual([2])
  })

  test('fails when the error stays above sqrt(E_miss)', () => {
    expect(failed(judge('MNAR, g = g*', { errors: around(sizes.map((n) => 0.07 + 1 / n)) }))).toEqual([5, 6])
  })

  test('fails when a bound is below an error', () => {
    expect(failed(judge('curvature (B)', { errors: around(sizes.map(() => 1000)) }))).toContain(7)
  })

  test('fails when a quoted single run is out of reach', () => {
    const world = {
      name: CLEAN,
      environment: 'A',
      covariateNoise: false,
      filledBy: 'true mean',
      quoted: { 9: 0.2 },
    } as const
    const worlds = [world, ...names.slice(1).map((name) => ({ ...world, name, quoted: {} }))]
    const rows = names.flatMap((name) =>
      rowsOf(name, 'fit', sizes, lawful(name).errors, {
        limit: 0,
        printed: 0,
        missingOnly: 0,
        bias: 0,
        biasUniform: 0,
      }),
    )
    const verdicts = oracleInequalityVerdicts(new Found(worlds, { repeats: 4, lastExponent: 17, fresh: 1 }, true, rows))
    expect(verdicts.at(-1)!).toMatchObject({ held: false, sentence: expect.stringContaining('0 of 1 quoted') })
  })
})

describe('regret-elasticity', () => {
  const biases = [0, 1, 2, 3]
  const jitter = [-1, 1, -0.5, 0.5].map((value) => 1e-5 * value)
  const points = (cost: (bias: number, mechanism: string) => number) => {
    const worlds = ['MCAR', 'MNAR'].flatMap((mechanism) =>
      biases.map((bias) => {
        const name = `${mechanism} ${bias}`
        return { name, mechanism, bias, scenario: { kind: 'reference', environment: 'A', name } as const }
      }),
    )
    const rows = worlds.flatMap(({ name, mechanism, bias }) =>
      jitter.map((more, seed) => {
        const elasticities = { printed: 0.006 + 0.01 * bias, missingOnly: 0.003 + 0.005 * bias, bias: 0.005 * bias }
        const regret = 0.001 + cost(bias, mechanism) + more
        return { world: name, arm: 'primo', seed, figures: { regret, floor: 0.005, ...elasticities } }
      }),
    )
    const seeing = jitter.map((_, seed) => {
      return { world: worlds[0]!.name, arm: 'sees all values', seed, figures: { regret: 0.001 } }
    })
    return new Found(worlds, { repeats: 4, rounds: 1, draws: 1 }, true, [...rows, ...seeing])
  }

  test('holds when the cost grows from the floor', () => {
    expect(failed(regretElasticityVerdicts(points((bias) => 0.005 + 0.005 * bias)))).toEqual([])
  })

  test('fails for the mechanism under which the cost does not grow', () => {
    const verdicts = regretElasticityVerdicts(
      points((bias, mechanism) => 0.005 + (mechanism === 'MNAR' ? 0 : 0.005 * bias)),
    )
    expect(failed(verdicts)).toEqual([1])
  })

  test('fails when the cost falls on the way, for growth and for the order', () => {
    const verdicts = regretElasticityVerdicts(
      points((bias, mechanism) => 0.005 + (mechanism === 'MCAR' && bias === 2 ? 0.001 : 0.005 * bias)),
    )
    expect(failed(verdicts)).toEqual([0, 3])
  })

  test('fails when regret exceeds the linear term', () => {
    // sqrt(K) sqrt(E_miss) is .122 without bias: so is the term of the unbiased imputer that the floor alone should
    // leave.
    expect(failed(regretElasticityVerdicts(points((bias) => 0.2 + 0.005 * bias)))).toEqual([2, 4])
  })

  test('fails when something beyond the floor stays without bias', () => {
    expect(failed(regretElasticityVerdicts(points((bias) => 0.02 + 0.005 * bias)))).toEqual([4])
  })
})

describe('calibration-rate', () => {
  const sizes = doublings(8, 14)
  const sobolevSizes = doublings(8, 13)
  const radii = { complexity: [0.5, 1, 2, 4], l2: [0.08, 0.16, 0.32, 0.64] }
  const curve = (x: readonly number[], y: (value: number) => number) => toCurve(x, around(x.map(y)))
  const parametric = curve(sizes, (n) => 0.8 / Math.sqrt(n))
  const lawful = {
    'right ball': parametric,
    'half ball': curve(sizes, () => 0.15),
    'constant e': parametric,
    'true e': parametric,
    'wrong e': curve(sizes, (n) => 1 / Math.sqrt(n)),
    error: curve(sobolevSizes, (n) => 0.3 * n ** (-1 / 3)),
    complexity: curve(radii.complexity, (delta0) => 0.1 * delta0 ** (1 / 3)),
    L2: curve(radii.l2, () => 0.03),
  }
  const worldOf = (arm: string) =>
    arm === 'error' ? 'Sobolev' : arm === 'complexity' || arm === 'L2' ? 'ball' : 'linear'
  const verdictsOf = (changes: Partial<typeof lawful> = {}) => {
    const size = { repeats: 4, linearExponent: 14, sobolevExponent: 13, sobolevRepeats: 4, ballRows: 1024 }
    const rows = Object.entries({ ...lawful, ...changes }).flatMap(([arm, { x, values }]) =>
      rowsOf(worldOf(arm), arm, x, values),
    )
    const worlds = ['linear', 'Sobolev', 'ball'].map((name) => ({ name }))
    return calibrationRateVerdicts(new Found(worlds, size, true, rows))
  }
  const judge = (changes: Partial<typeof lawful> = {}) => failed(verdictsOf(changes))

  test('holds on errors that obey the theorem', () => {
    expect(judge()).toEqual([])
  })

  test('fails outside [-0.6, -0.4]', () => {
    expect(judge({ 'right ball': curve(sizes, (n) => 0.3 * n ** -0.35) })).toEqual([0])
    expect(judge({ 'right ball': curve(sizes, (n) => 3 * n ** -0.65) })).toEqual([0])
  })

  test('fails when half the ball is no worse', () => {
    expect(judge({ 'half ball': parametric })).toEqual([1])
  })

  test('fails at another rate of the Sobolev class', () => {
    expect(judge({ error: curve(sobolevSizes, (n) => 0.3 * n ** -0.5) })).toEqual([2])
  })

  test('fails when the L2 ball matters as printed, and says so', () => {
    const verdicts = verdictsOf({ L2: curve(radii.l2, (delta0) => 0.1 * delta0 ** (1 / 3)) })
    expect(failed(verdicts)).toEqual([3])
    expect(verdicts[3]!.sentence).toContain('the printed dependence is there')
    expect(verdictsOf()[3]!.sentence).toContain('the printed dependence is NOT there')
  })

  test('fails when the complexity ball does not matter', () => {
    expect(judge({ complexity: curve(radii.complexity, () => 0.03) })).toEqual([4])
  })

  test('fails when a wrong observation model leaves a bias', () => {
    expect(judge({ 'wrong e': curve(sizes, () => 0.05) })).toEqual([5])
  })

  test('fails when an error exceeds what the ball alone allows', () => {
    expect(judge({ 'right ball': curve(sizes, (n) => 80 / Math.sqrt(n)) })).toContain(6)
  })
})

describe('calibrated-regret', () => {
  const rounds = doublings(12, 17)
  const floorPerRound = 0.006
  const settings = ['all data, c = 100', 'as printed, c = 10'] as const
  const [practical, printed] = settings
  /**
   * Regret floor T + linear T + 2 sqrt(T) with a jitter by seed; the policy that sees all values pays the last part
   * alone.
   */
  const rowsWith = (world: string, arm: string, linear: number | null, power = 0.5) => {
    const floor = rounds.map((t) => floorPerRound * t)
    const regret = around(rounds.map((t) => 2 * t ** power)).map((values) =>
      values.map((value, i) => value + (linear === null ? 0 : floor[i]! + linear * rounds[i]!)),
    )
    const floors = Object.fromEntries(rounds.map((t, i) => [`floor ${t}`, floor[i]!]))
    return rowsOf(world, arm, rounds, regret, floors, 'regret ')
  }
  const verdictsOf = (replaced: Readonly<Record<string, readonly [linear: number, power?: number]>> = {}) => {
    const rows = ['A', 'B'].flatMap((world) =>
      settings.flatMap((setting) => {
        const learnt = Object.entries({ PRIMO: 0.003, 'PRIMO-Cal': world === 'A' ? 0 : 0.001 })
        return [
          ...learnt.flatMap(([learner, linear]) => {
            const own = replaced[`${world} ${setting} ${learner}`] ?? [linear]
            return rowsWith(world, `${learner}, ${setting}`, own[0], own[1])
          }),
          ...rowsWith(world, `sees all values, ${setting}`, null),
        ]
      }),
    )
    return calibratedRegretVerdicts(
      new Found([{ name: 'A' }, { name: 'B' }], { repeats: 4, lastExponent: 17 }, true, rows),
    )
  }
  const judge = (replaced?: Parameters<typeof verdictsOf>[0]) => failed(verdictsOf(replaced))

  test('holds on curves that obey the theorem', () => {
    expect(judge()).toEqual([])
    expect(verdictsOf()).toHaveLength(8)
  })

  test('fails when nothing linear is left without calibration', () => {
    expect(judge({ [`B ${practical} PRIMO`]: [0] })).toEqual([1, 3])
  })

  test('fails when a linear part is left with calibration', () => {
    expect(judge({ [`A ${practical} PRIMO-Cal`]: [0.002] })).toEqual([2])
  })

  test('fails when the calibrated excess hardly falls', () => {
    expect(judge({ [`A ${practical} PRIMO-Cal`]: [0, 0.9] })).toContain(2)
  })

  test('fails when more than the curvature is left in B', () => {
    expect(judge({ [`B ${practical} PRIMO-Cal`]: [0.0027] })).toEqual([3])
  })

  test('fails when calibration earns nothing as printed', () => {
    expect(judge({ [`A ${printed} PRIMO-Cal`]: [0.003] })).toEqual([4])
  })

  test('fails when regret exceeds L_Z omega0', () => {
    expect(judge({ [`A ${printed} PRIMO-Cal`]: [0.2] })).toEqual([4, 6])
  })
})
