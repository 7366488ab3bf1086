import { PrimoError, Random, studentQuantile } from '@primo/numeric'
import { expect, test } from 'vitest'
import { aipwMean, hajekMean, type MissingMeanInput, missingMean } from './missing-mean.js'

function sample(seed: number, rows: number) {
  const random = Random.fromSeed(seed)
  const values = new Float64Array(rows)
  const observed = new Uint8Array(rows)
  const probabilities = new Float64Array(rows)
  const regression = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    const x = random.uniform()
    probabilities[i] = 0.2 + 0.6 * x
    observed[i] = random.uniform() < probabilities[i]! ? 1 : 0
    regression[i] = 1 + x
    values[i] = observed[i] ? (1 + x) * -Math.log(1 - random.uniform()) : Number.NaN
  }
  return { values, observed, probabilities, regression }
}

test('both estimators agree with their formulas written out by hand, for both targets', () => {
  const s = sample(1, 400)
  for (const target of ['all', 'missing'] as const) {
    const weight = (e: number) => (target === 'all' ? 1 / e : (1 - e) / e)
    let top = 0
    let bottom = 0
    let missing = 0
    let regressed = 0
    let residual = 0
    for (let i = 0; i < 400; i++) {
      const e = s.probabilities[i]!
      if (s.observed[i]) {
        top += weight(e) * s.values[i]!
        bottom += weight(e)
        residual += weight(e) * (s.values[i]! - s.regression[i]!)
      } else missing += 1 / 400
      if (target === 'all' || !s.observed[i]) regressed += s.regression[i]! / 400
    }
    const share = target === 'all' ? 1 : missing
    expect(hajekMean({ ...s, target }).estimate).toBeCloseTo((share * top) / bottom, 12)
    expect(aipwMean({ ...s, target }).estimate).toBeCloseTo(regressed + (share * residual) / bottom, 12)
  }
})

test('standard errors are those of repeated samples', () => {
  // Spread over 400 samples has relative error 3.5%; tolerance is three of those.
  for (const target of ['all', 'missing'] as const) {
    for (const estimate of [hajekMean, aipwMean]) {
      const runs = Array.from({ length: 400 }, (_, k) => estimate({ ...sample(1000 + k, 600), target }))
      const mean = runs.reduce((sum, run) => sum + run.estimate, 0) / 400
      const spread = Math.sqrt(runs.reduce((sum, run) => sum + (run.estimate - mean) ** 2, 0) / 399)
      const claimed = runs.reduce((sum, run) => sum + run.standardError, 0) / 400
      expect(claimed / spread).toBeGreaterThan(0.89)
      expect(claimed / spread).toBeLessThan(1.12)
      const truth = target === 'all' ? 1.5 : 0.5 * 1.5 - 0.05
      expect(Math.abs(mean - truth)).toBeLessThan((4 * spread) / 20)
    }
  }
})

test('aipw is right when either the probabilities or the regression are', () => {
  const s = sample(7, 40000)
  const wrongRegression = aipwMean({ ...s, regression: s.regression.map(() => 0) })
  const wrongProbabilities = aipwMean({ ...s, probabilities: s.probabilities.map(() => 0.5) })
  for (const { estimate, standardError } of [wrongRegression, wrongProbabilities]) {
    expect(Math.abs(estimate - 1.5)).toBeLessThan(4 * standardError)
  }
  const both = aipwMean({ ...s, regression: s.regression.map(() => 0), probabilities: s.probabilities.map(() => 0.5) })
  expect(Math.abs(both.estimate - 1.5)).toBeGreaterThan(4 * both.standardError)
})

test('the interval is symmetric on the log scale and positive', () => {
  const result = missingMean(sample(3, 300))
  expect(result.method).toBe('aipw')
  expect(result.lower).toBeGreaterThan(0)
  expect(result.upper / result.estimate).toBeCloseTo(result.estimate / result.lower, 9)
  const { estimate, standardError, degrees } = result
  expect(degrees).toBeLessThan(300)
  expect(Math.log(result.upper / estimate)).toBeCloseTo((studentQuantile(0.975, degrees) * standardError) / estimate, 9)
  expect(Math.log(result.upperLimit / estimate)).toBeCloseTo(
    (studentQuantile(0.95, degrees) * standardError) / estimate,
    9,
  )
})

test('few observed values in effect give no interval, and a reason', () => {
  const s = sample(3, 400)
  const heavy = s.probabilities.map((e, i) => (i % 40 === 0 ? 0.001 : e))
  const result = missingMean({ ...s, probabilities: heavy })
  expect(result.effectiveRows).toBeLessThan(60)
  expect(result.unsupported!.code).toBe('few-effective-rows')
  expect(result).toMatchObject({ lower: 0, upper: Number.POSITIVE_INFINITY, upperLimit: Number.POSITIVE_INFINITY })
  expect(missingMean(s).unsupported).toBeNull()
})

test('hajek is reported where aipw is not positive', () => {
  const s = sample(3, 60)
  const result = missingMean({ ...s, regression: s.regression.map((_, i) => (s.observed[i] ? 0 : -50)) })
  expect(result.method).toBe('hajek')
  expect(result.estimate).toBeCloseTo(hajekMean(s).estimate, 12)
  expect(result.warnings.map(({ code }) => code)).toContain('augmented-not-positive')
})

test('with nothing missing the missing target is 0 and the other is the plain mean', () => {
  const values = [1, 2, 3]
  const full = { values, observed: [1, 1, 1], probabilities: [1, 1, 1], regression: [2, 2, 2] }
  expect(missingMean({ ...full, target: 'missing' })).toMatchObject({ estimate: 0, lower: 0, upper: 0 })
  expect(missingMean({ ...full, target: 'missing' }).warnings.map(({ code }) => code)).toContain('no-missing-rows')
  expect(missingMean(full).estimate).toBeCloseTo(2, 12)
})

test('bad tables are refused by code, field and value', () => {
  const good: MissingMeanInput = { values: [1, 2], observed: [1, 0], probabilities: [0.5, 0.5], regression: [1, 1] }
  const cases: [Partial<MissingMeanInput>, string, string][] = [
    [{ observed: [], values: [], probabilities: [] }, 'invalid-option', 'observed'],
    [{ observed: [0, 0] }, 'invalid-option', 'observed'],
    [{ probabilities: [0, 0.5] }, 'invalid-option', 'probabilities[0]'],
    [{ probabilities: [0.5] }, 'shape-mismatch', 'probabilities'],
    [{ values: [Number.NaN, 1] }, 'invalid-option', 'values[0]'],
    [{ level: 1 }, 'invalid-option', 'level'],
    [{ regression: [1] }, 'shape-mismatch', 'regression'],
    [{ target: 'both' as 'all' }, 'invalid-option', 'target'],
  ]
  for (const [change, code, field] of cases) {
    let error: unknown
    try {
      missingMean({ ...good, ...change })
    } catch (thrown) {
      error = thrown
    }
    expect(error, field).toBeInstanceOf(PrimoError)
    expect(error).toMatchObject({ code, facts: { field } })
  }
  expect(missingMean({ ...good, values: [1, Number.NaN] }).estimate).toBeGreaterThan(0)
})
