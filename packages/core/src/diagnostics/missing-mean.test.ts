import { PrimoError, Random } from '@primo/numeric'
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
    const weight = (e: number) => Math.min(20, target === 'all' ? 1 / e : (1 - e) / e)
    let top = 0
    let bottom = 0
    let missing = 0
    let psi = 0
    for (let i = 0; i < 400; i++) {
      const e = s.probabilities[i]!
      if (s.observed[i]) {
        top += weight(e) * s.values[i]!
        bottom += weight(e)
        psi += weight(e) * (s.values[i]! - s.regression[i]!)
      } else missing += 1 / 400
      if (target === 'all' || !s.observed[i]) psi += s.regression[i]!
    }
    expect(hajekMean({ ...s, target }).estimate).toBeCloseTo(((target === 'all' ? 1 : missing) * top) / bottom, 12)
    expect(aipwMean({ ...s, target }).estimate).toBeCloseTo(psi / 400, 12)
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
  const result = missingMean(sample(3, 100))
  expect(result.method).toBe('aipw')
  expect(result.lower).toBeGreaterThan(0)
  expect(result.upper / result.estimate).toBeCloseTo(result.estimate / result.lower, 9)
  expect(Math.log(result.upper / result.estimate)).toBeCloseTo((1.959964 * result.standardError) / result.estimate, 6)
  expect(Math.log(result.upperLimit / result.estimate)).toBeCloseTo(
    (1.644854 * result.standardError) / result.estimate,
    6,
  )
})

test('an estimate far below its standard error has a finite interval, so that it stays JSON', () => {
  const wide = hajekMean({ values: [1e-12, 1e-12, -1, 1], observed: [1, 1, 1, 1], probabilities: [1, 1, 1, 1] })
  expect(wide.standardError / wide.estimate).toBeGreaterThan(1e6)
  expect(JSON.parse(JSON.stringify(wide))).toEqual(wide)
})

test('hajek is reported where aipw is not positive', () => {
  const s = sample(3, 60)
  const result = missingMean({ ...s, regression: s.regression.map((_, i) => (s.observed[i] ? 0 : -50)) })
  expect(result.method).toBe('hajek')
  expect(result.estimate).toBeCloseTo(hajekMean(s).estimate, 12)
  expect(result.warnings.map(({ code }) => code)).toContain('augmented-not-positive')
})

test('weights are capped at 1/floor, counted, and lower the effective rows', () => {
  const s = sample(5, 500)
  const result = hajekMean({ ...s, floor: 0.5 })
  const expected = s.probabilities.filter((e, i) => s.observed[i] === 1 && e < 0.5).length
  expect(result.capped).toBe(expected)
  expect(expected).toBeGreaterThan(0)
  expect(result.warnings.map(({ code }) => code)).toContain('weights-capped')
  expect(hajekMean(s).effectiveRows).toBeLessThan(hajekMean(s).observed)
  expect(result.effectiveRows).toBeGreaterThan(hajekMean(s).effectiveRows)
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
    [{ floor: 0 }, 'invalid-option', 'floor'],
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
