// The four studies of the theorems: each runs at a tiny size and gives finite figures; each verdict can turn false. Numbers that
// obey the theorems are made by hand, then one of them is spoilt at a time.

import type { StudyResult, Verdict } from '@primo/lab/node'
import { describe, expect, test } from 'vitest'
import { runCalibratedRegret } from './calibrated-regret.js'
import type { RegretCurve } from './calibrated-regret-curves.js'
import { calibratedRegretVerdicts } from './calibrated-regret-verdicts.js'
import { runCalibrationRate } from './calibration-rate.js'
import type { CalibrationRates, Curves } from './calibration-rate-curves.js'
import { calibrationRateVerdicts } from './calibration-rate-verdicts.js'
import { runOracleInequality } from './oracle-inequality.js'
import { type ConfigurationName, type ErrorCurve, oracleInequalityCurves } from './oracle-inequality-curves.js'
import { oracleInequalityVerdicts } from './oracle-inequality-verdicts.js'
import { doublings, interceptOf, rateOf } from './rate-figures.js'
import { runRegretElasticity } from './regret-elasticity.js'
import type { ElasticityPoint } from './regret-elasticity-points.js'
import { regretElasticityVerdicts } from './regret-elasticity-verdicts.js'

const options = { scale: 'quick', seed: 1, workers: 1 } as const

/** Four seeds around a curve, one per cent apart. */
function around(curve: readonly number[]): readonly (readonly number[])[] {
  return [0.99, 1.01, 0.995, 1.005].map((factor) => curve.map((value) => factor * value))
}

function expectFinite(result: StudyResult): void {
  expect(result.tables.length).toBeGreaterThan(0)
  for (const { header, rows } of result.tables) {
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(row).toHaveLength(header.length)
      expect(row.join(' ')).not.toMatch(/NaN|Infinity|undefined|∞/)
    }
  }
  for (const { series } of result.plots) {
    for (const { points } of series) {
      expect(points.length).toBeGreaterThan(1)
      for (const point of points) for (const value of Object.values(point)) expect(value).toSatisfy(Number.isFinite)
    }
  }
  expect(result.verdicts.length).toBeGreaterThan(0)
  for (const { sentence } of result.verdicts) {
    expect(sentence).not.toMatch(/NaN|Infinity|undefined|∞/)
    expect(sentence).toMatch(/\.$/)
  }
}

const heldOf = (verdicts: readonly Verdict[]) => verdicts.map(({ held }) => held)

/** Which verdicts fail, by their place. */
function failed(verdicts: readonly Verdict[]): readonly number[] {
  return verdicts.flatMap(({ held }, index) => (held ? [] : [index]))
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
  test('runs at a tiny size', () => {
    expectFinite(runOracleInequality({ lastExponent: 10, repeats: 2, fresh: 4096 }, options))
  })

  test('is a function of the seed, and its configurations are what they say', () => {
    const size = { lastExponent: 9, repeats: 1, fresh: 1024 }
    const curves = oracleInequalityCurves(size, options)
    expect(oracleInequalityCurves(size, options)).toEqual(curves)
    const of = (name: ConfigurationName) => curves.find((curve) => curve.name === name)!.elasticities
    expect(of('no noise, no bias')).toMatchObject({ printed: 0, missingOnly: 0, bias: 0 })
    expect(of('covariate noise only').missingOnly).toBeGreaterThan(0)
    expect(of('covariate noise only').bias).toBe(0)
    expect(of('bias only').missingOnly).toBe(of('bias only').bias)
    expect(of('bias and noise').missingOnly).toBeGreaterThan(of('bias and noise').bias)
    for (const name of ['curvature (B)', 'MNAR, g = g*'] as const) expect(of(name).bias).toBeGreaterThan(0)
  })

  const sizes = doublings(7, 17)
  const clean: ConfigurationName = 'no noise, no bias'
  const noisy: ConfigurationName = 'covariate noise only'
  const lawful = (name: ConfigurationName, changes: Partial<ErrorCurve> = {}): ErrorCurve => {
    const biased = name !== clean && name !== noisy
    const limit = biased ? 0.02 : 0
    return {
      name,
      environment: 'A',
      sizes,
      errors: around(sizes.map((n) => Math.hypot(limit, 1.2 / Math.sqrt(n)))),
      limit,
      elasticities: {
        printed: name === clean ? 0 : 0.01,
        missingOnly: name === clean ? 0 : 0.004,
        bias: biased ? 0.002 : 0,
        biasUniform: biased ? 0.001 : 0,
        delta0: 0.3,
        missingShare: 0.5,
      },
      printed: sizes.map(() => (name === clean ? null : 2)),
      corrected: sizes.map(() => 3),
      ...changes,
    }
  }
  const names: readonly ConfigurationName[] = [
    clean,
    noisy,
    'bias only',
    'bias and noise',
    'curvature (B)',
    'MNAR, g = g*',
  ]
  const judge = (name?: ConfigurationName, changes: Partial<ErrorCurve> = {}) =>
    oracleInequalityVerdicts(names.map((one) => lawful(one, one === name ? changes : {})))
  const slow = { errors: around(sizes.map((n) => 0.3 * n ** -0.25)) }

  test('holds on curves that obey the theorem', () => {
    expect(failed(judge())).toEqual([])
  })

  test('fails when the error falls too slowly without noise', () => {
    expect(failed(judge(clean, slow))).toEqual([0])
  })

  test('fails when covariate noise leaves an error behind', () => {
    expect(failed(judge(noisy, { errors: around(sizes.map((n) => 0.05 + 1 / n)) }))).toEqual([1])
  })

  test('fails when the error settles above sqrt(E_bias)', () => {
    expect(failed(judge('bias and noise', { errors: around(sizes.map((n) => 0.05 + 1 / n)), limit: 0.05 }))).toEqual([
      3,
    ])
  })

  test('fails when the error is not flat', () => {
    expect(failed(judge('bias only', { errors: lawful(clean).errors }))).toEqual([2])
  })

  test('fails when the error stays above sqrt(E_miss)', () => {
    expect(failed(judge('MNAR, g = g*', { errors: around(sizes.map((n) => 0.07 + 1 / n)) }))).toEqual([5, 6])
  })

  test('fails when a bound is below an error', () => {
    expect(failed(judge('curvature (B)', { corrected: sizes.map(() => 0.01) }))).toEqual([7])
  })
})

describe('regret-elasticity', () => {
  test('runs at a tiny size', async () => {
    expectFinite(await runRegretElasticity({ rounds: 256, repeats: 2, draws: 2048 }, options))
  })

  const biases = [0, 1, 2, 3]
  const jitter = [-1, 1, -0.5, 0.5].map((value) => 1e-5 * value)
  const point = (mechanism: string, bias: number, cost: number): ElasticityPoint => ({
    mechanism,
    bias,
    elasticities: {
      printed: 0.006 + 0.01 * bias,
      missingOnly: 0.003 + 0.005 * bias,
      bias: 0.005 * bias,
      biasUniform: 0.002 * bias,
      delta0: 0.3 * bias,
      missingShare: 0.5,
    },
    regret: jitter.map((more) => 0.001 + cost + more),
    seeing: jitter.map(() => 0.001),
    floor: jitter.map(() => 0.005),
  })
  const points = (cost: (bias: number, mechanism: string) => number) =>
    ['MCAR', 'MNAR'].flatMap((mechanism) => biases.map((bias) => point(mechanism, bias, cost(bias, mechanism))))

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
    // sqrt(K) sqrt(E_miss) is .122 without bias: so is the term of the unbiased imputer that the floor alone should leave.
    expect(failed(regretElasticityVerdicts(points((bias) => 0.2 + 0.005 * bias)))).toEqual([2, 4])
  })

  test('fails when something beyond the floor stays without bias', () => {
    expect(failed(regretElasticityVerdicts(points((bias) => 0.02 + 0.005 * bias)))).toEqual([4])
  })
})

describe('calibration-rate', () => {
  test('runs at a tiny size', () => {
    const size = { linearExponent: 10, linearRepeats: 2, sobolevExponent: 10, sobolevRepeats: 2, ballRows: 256 }
    expectFinite(runCalibrationRate(size, options))
  })

  const sizes = doublings(8, 14)
  const sobolevSizes = doublings(8, 13)
  const radii = [0.1, 0.2, 0.4]
  const curve = (x: readonly number[], y: (value: number) => number): Curves => ({ x, errors: around(x.map(y)) })
  const parametric = curve(sizes, (n) => 0.8 / Math.sqrt(n))
  const lawful: CalibrationRates = {
    right: parametric,
    half: curve(sizes, () => 0.15),
    weighted: { 'constant e': parametric, 'true e': parametric, 'wrong e': curve(sizes, (n) => 1 / Math.sqrt(n)) },
    sobolev: curve(sobolevSizes, (n) => 0.3 * n ** (-1 / 3)),
    complexityBall: curve(radii, (delta0) => 0.1 * delta0 ** (1 / 3)),
    l2Ball: curve(radii, () => 0.03),
    ballRows: 1024,
    radiusExponents: { complexity: 0.333, l2: 0 },
  }
  const judge = (changes: Partial<CalibrationRates> = {}) => failed(calibrationRateVerdicts({ ...lawful, ...changes }))

  test('holds on errors that obey the theorem', () => {
    expect(judge()).toEqual([])
  })

  test('fails outside [-0.6, -0.4]', () => {
    expect(judge({ right: curve(sizes, (n) => 0.3 * n ** -0.35) })).toEqual([0])
    expect(judge({ right: curve(sizes, (n) => 3 * n ** -0.65) })).toEqual([0])
  })

  test('fails when half the ball is no worse', () => {
    expect(judge({ half: parametric })).toEqual([1])
  })

  test('fails at another rate of the Sobolev class', () => {
    expect(judge({ sobolev: curve(sobolevSizes, (n) => 0.3 * n ** -0.5) })).toEqual([2])
  })

  test('fails when the L2 ball matters as printed, and says so', () => {
    const verdicts = calibrationRateVerdicts({ ...lawful, l2Ball: lawful.complexityBall })
    expect(failed(verdicts)).toEqual([3])
    expect(verdicts[3]!.sentence).toContain('the printed dependence is there')
    expect(calibrationRateVerdicts(lawful)[3]!.sentence).toContain('the printed dependence is NOT there')
  })

  test('fails when the complexity ball does not matter', () => {
    expect(judge({ complexityBall: lawful.l2Ball })).toEqual([4])
  })

  test('fails when a wrong observation model leaves a bias', () => {
    expect(judge({ weighted: { ...lawful.weighted, 'wrong e': curve(sizes, () => 0.05) } })).toEqual([5])
  })

  test('fails when an error exceeds what the ball alone allows', () => {
    expect(judge({ right: curve(sizes, (n) => 80 / Math.sqrt(n)) })).toContain(6)
  })
})

describe('calibrated-regret', () => {
  test('runs at a tiny size', async () => {
    expectFinite(await runCalibratedRegret({ lastExponent: 11, repeats: 2 }, options))
  })

  const rounds = doublings(12, 17)
  const floorPerRound = 0.006
  /** Regret floor T + linear T + 2 sqrt(T) with a jitter by seed; the policy that sees all values pays the last part alone. */
  const curve = (
    environment: RegretCurve['environment'],
    setting: RegretCurve['setting'],
    learner: RegretCurve['learner'],
    linear: number,
    power = 0.5,
  ): RegretCurve => {
    const floor = rounds.map((t) => floorPerRound * t)
    const excess = around(rounds.map((t) => 2 * t ** power))
    return {
      environment,
      setting,
      learner,
      rounds,
      regret: excess.map((values) =>
        values.map((value, i) => value + (learner === 'sees all values' ? 0 : floor[i]! + linear * rounds[i]!)),
      ),
      floor: excess.map(() => floor),
    }
  }
  const settings = ['all data, c = 100', 'as printed, c = 10'] as const
  const curves = (replace: Partial<Record<string, RegretCurve>> = {}) =>
    (['A', 'B'] as const).flatMap((environment) =>
      settings.flatMap((setting) => [
        replace[`${environment} ${setting} PRIMO`] ?? curve(environment, setting, 'PRIMO', 0.003),
        replace[`${environment} ${setting} PRIMO-Cal`] ??
          curve(environment, setting, 'PRIMO-Cal', environment === 'A' ? 0 : 0.001),
        curve(environment, setting, 'sees all values', 0),
        ...(environment === 'B' && setting === settings[0]
          ? [replace.distributional ?? curve('B', setting, 'PRIMO-Cal, distributional', 0)]
          : []),
      ]),
    )
  const judge = (replace: Partial<Record<string, RegretCurve>> = {}) =>
    failed(calibratedRegretVerdicts(curves(replace)))
  const [practical, printed] = settings

  test('holds on curves that obey the theorem', () => {
    expect(judge()).toEqual([])
    expect(heldOf(calibratedRegretVerdicts(curves()))).toHaveLength(9)
  })

  test('fails when nothing linear is left without calibration', () => {
    expect(judge({ [`B ${practical} PRIMO`]: curve('B', practical, 'PRIMO', 0) })).toEqual([1, 3])
  })

  test('fails when a linear part is left with calibration', () => {
    expect(judge({ [`A ${practical} PRIMO-Cal`]: curve('A', practical, 'PRIMO-Cal', 0.002) })).toEqual([2])
  })

  test('fails when the calibrated excess hardly falls', () => {
    expect(judge({ [`A ${practical} PRIMO-Cal`]: curve('A', practical, 'PRIMO-Cal', 0, 0.9) })).toContain(2)
  })

  test('fails when more than the curvature is left in B', () => {
    expect(judge({ [`B ${practical} PRIMO-Cal`]: curve('B', practical, 'PRIMO-Cal', 0.0027) })).toEqual([3])
  })

  test('fails when the distribution of the missing value leaves a linear part', () => {
    expect(judge({ distributional: curve('B', practical, 'PRIMO-Cal, distributional', 0.0005) })).toEqual([4])
  })

  test('fails when calibration earns nothing as printed', () => {
    expect(judge({ [`A ${printed} PRIMO-Cal`]: curve('A', printed, 'PRIMO-Cal', 0.003) })).toEqual([5])
  })

  test('fails when regret exceeds L_Z omega0', () => {
    expect(judge({ [`A ${printed} PRIMO-Cal`]: curve('A', printed, 'PRIMO-Cal', 0.2) })).toEqual([5, 7])
  })
})
