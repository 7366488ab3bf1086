import { PrimoError, Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import { estimateBasisElasticity } from './basis-elasticity-estimate.js'
import { estimateCovariateConstants } from './covariate-constants.js'
import { crossFitProbabilities, crossFitRegression, makeFolds } from './cross-fit.js'
import { type ElasticityEstimateInput, estimateElasticities, estimateElasticity } from './elasticity-estimate.js'

// x uniform on [-1,1]^2, g~ - g* = 0.3 + 0.2 x1, eta uniform on [-0.5, 0.5], e(x) = logistic(1.2 x1 - 0.8 x2).
function draw(seed: number, rows: number) {
  const random = Random.fromSeed(seed)
  const context = new Float64Array(rows * 2)
  const observed = new Uint8Array(rows)
  const pretrained = new Float64Array(rows)
  const covariate = new Float64Array(rows).fill(Number.NaN)
  const error = new Float64Array(rows).fill(Number.NaN)
  for (let i = 0; i < rows; i++) {
    const x1 = 2 * random.uniform() - 1
    const x2 = 2 * random.uniform() - 1
    context.set([x1, x2], 2 * i)
    const mean = 0.4 * x1 * x2
    const eta = random.uniform() - 0.5
    pretrained[i] = mean + 0.3 + 0.2 * x1
    if (random.uniform() >= 1 / (1 + Math.exp(-(1.2 * x1 - 0.8 * x2)))) continue
    observed[i] = 1
    covariate[i] = mean + eta
    error[i] = covariate[i]! - pretrained[i]!
  }
  return { context, contextWidth: 2, observed, pretrained, covariate, error, random: random.split('estimate') }
}

const MEAN_SQUARE = 0.09 + 0.04 / 3 + 1 / 12

test('intervals for E(z-g)^2 and its missing part cover at 500 rows in 92% to 98% of 400 samples', () => {
  // True coverage 0.95 leaves the band with probability below 1%: the standard error over 400 samples is 0.011.
  const missingSquare = missingTruth()
  let all = 0
  let missing = 0
  for (let k = 0; k < 400; k++) {
    const s = draw(k, 500)
    const estimate = estimateElasticity({ ...s, actions: 1, differences: s.error })
    if (estimate.maxInside.lower <= MEAN_SQUARE && MEAN_SQUARE <= estimate.maxInside.upper) all++
    if (estimate.missingOnly.lower <= missingSquare && missingSquare <= estimate.missingOnly.upper) missing++
  }
  for (const share of [all / 400, missing / 400]) {
    expect(share).toBeGreaterThanOrEqual(0.92)
    expect(share).toBeLessThanOrEqual(0.98)
  }
})

/** E[(1-e(x)) ((0.3 + 0.2 x1)^2 + 1/12)] on a fine grid. */
function missingTruth(): number {
  let sum = 0
  const steps = 400
  for (let i = 0; i < steps; i++) {
    for (let j = 0; j < steps; j++) {
      const x1 = (2 * (i + 0.5)) / steps - 1
      const x2 = (2 * (j + 0.5)) / steps - 1
      sum += ((0.3 + 0.2 * x1) ** 2 + 1 / 12) / (1 + Math.exp(1.2 * x1 - 0.8 * x2)) / steps ** 2
    }
  }
  return sum
}

test('per action, max inside and bias are near the truth of a reward with two slopes', () => {
  const s = draw(77, 20000)
  const slopes = [0.5, -1]
  const differences = Float64Array.from({ length: 40000 }, (_, at) => slopes[at % 2]! * s.error[Math.floor(at / 2)]!)
  const estimate = estimateElasticity({ ...s, actions: 2, differences, name: 'genotype' })
  expect(estimate.name).toBe('genotype')
  for (const [a, slope] of slopes.entries()) {
    const { estimate: value, standardError } = estimate.upsilon[a]!
    expect(Math.abs(value - slope ** 2 * MEAN_SQUARE)).toBeLessThan(4 * standardError)
  }
  expect(estimate.printed.action).toBe(1)
  expect(estimate.printed.upperLimit).toBeGreaterThan(estimate.upsilon[1]!.upperLimit)
  expect(estimate.maxInside.estimate).toBeCloseTo(estimate.upsilon[1]!.estimate, 12)
  let truth = 0
  for (let i = 0; i < 300; i++) {
    for (let j = 0; j < 300; j++) {
      const x1 = (2 * (i + 0.5)) / 300 - 1
      const x2 = (2 * (j + 0.5)) / 300 - 1
      truth += (0.3 + 0.2 * x1) ** 2 / (1 + Math.exp(1.2 * x1 - 0.8 * x2)) / 300 ** 2
    }
  }
  expect(Math.abs(estimate.bias.estimate - truth)).toBeLessThan(4 * estimate.bias.standardError)
  expect(estimate.bias.estimate).toBeLessThan(estimate.missingOnly.estimate)
})

test('without bias the bias estimate is 0 within its error although the elasticity is not', () => {
  const s = draw(5, 8000)
  const exact = s.covariate.map((z, i) => z - 0.4 * s.context[2 * i]! * s.context[2 * i + 1]!)
  const estimate = estimateElasticity({ ...s, actions: 1, differences: exact })
  expect(estimate.bias.lower).toBe(0)
  expect(estimate.bias.upper).toBeLessThan(0.01)
  expect(estimate.missingOnly.lower).toBeGreaterThan(0.02)
})

test('one estimate per covariate, each with its own observed rows', () => {
  const first = draw(1, 400)
  const second = draw(2, 300)
  const both = estimateElasticities([
    { ...first, actions: 1, differences: first.error, name: 'a' },
    { ...second, actions: 1, differences: second.error, name: 'b' },
  ])
  expect(both.map(({ name, rows }) => [name, rows])).toEqual([
    ['a', 400],
    ['b', 300],
  ])
})

test('the same table and seed give an equal estimate, JSON-safe', () => {
  const s = draw(3, 200)
  const run = () => estimateElasticity({ ...s, actions: 1, differences: s.error, random: Random.fromSeed(4) })
  expect(run()).toEqual(run())
  expect(JSON.parse(JSON.stringify(run()))).toEqual(run())
})

test('tiny tables and tables without missing rows work', () => {
  const s = draw(8, 6)
  const observed = Uint8Array.of(1, 1, 1, 1, 1, 1)
  const differences = Float64Array.of(0.1, 0.2, 0.1, 0.3, 0.2, 0.1)
  const estimate = estimateElasticity({ ...s, observed, actions: 1, differences })
  expect(estimate.missingOnly.estimate).toBe(0)
  expect(estimate.maxInside.estimate).toBeGreaterThan(0)
  const zero = estimateElasticity({ ...s, observed, actions: 1, differences: new Float64Array(6) })
  expect(zero.maxInside).toMatchObject({ estimate: 0, lower: 0, upper: 0 })
})

test('lambda_max of a two-column class is covered, with a bootstrap only when the gap is small', () => {
  const s = draw(21, 6000)
  const differences = new Float64Array(12000)
  for (let i = 0; i < 6000; i++) differences.set([s.error[i]!, s.error[i]! * s.context[2 * i]!], 2 * i)
  const estimate = estimateBasisElasticity({ ...s, differences, columns: 2, norm: 2 })
  const big = draw(22, 200000)
  const moments = [0, 0, 0]
  for (let i = 0; i < 200000; i++) {
    const x1 = big.context[2 * i]!
    const square = (0.3 + 0.2 * x1) ** 2 + 1 / 12
    moments[0]! += square / 200000
    moments[1]! += (square * x1) / 200000
    moments[2]! += (square * x1 * x1) / 200000
  }
  const [a, b, c] = moments as [number, number, number]
  const truth = 4 * ((a + c) / 2 + Math.sqrt(((a - c) / 2) ** 2 + b * b))
  expect(Math.abs(estimate.split.estimate - truth)).toBeLessThan(4 * estimate.split.standardError)
  expect(Math.abs(estimate.plugIn.printed / truth - 1)).toBeLessThan(0.1)
  expect(estimate.bootstrap).toBeNull()
  const forced = estimateBasisElasticity({ ...s, differences, columns: 2, norm: 2, smallGap: 1, bootstrapDraws: 60 })
  expect(forced.bootstrap!.lower).toBeLessThan(truth)
  expect(forced.bootstrap!.upper).toBeGreaterThan(truth)
  expect(forced.warnings.map(({ code }) => code)).toContain('eigenvalue-gap-small')
})

test('omega0, tau and delta0 are near the truth and delta0 is below its upper limit', () => {
  const s = draw(31, 8000)
  const constants = estimateCovariateConstants(s)
  expect(constants.omega0.lower).toBeLessThan(Math.sqrt(1 / 12) + 0.003)
  expect(constants.omega0.upper).toBeGreaterThan(Math.sqrt(1 / 12))
  expect(constants.etaBound).toBeGreaterThan(0.48)
  expect(constants.etaBound).toBeLessThan(0.6)
  const delta0 = Math.sqrt(0.09 + 0.04 / 3)
  expect(constants.delta0.lower).toBeLessThan(delta0)
  expect(constants.delta0.upper).toBeGreaterThan(delta0)
  expect(constants.delta0.upperLimit).toBeLessThan(constants.delta0.upper)
})

test('a pretrained model that needs no correction has delta0 near 0', () => {
  const s = draw(41, 3000)
  const perfect = s.pretrained.map((_, i) => 0.4 * s.context[2 * i]! * s.context[2 * i + 1]!)
  const constants = estimateCovariateConstants({ ...s, pretrained: perfect })
  expect(constants.delta0.lower).toBe(0)
  expect(constants.delta0.upperLimit).toBeLessThan(0.1)
})

test('cross-fitting leaves a row out of the fit that predicts it', () => {
  const s = draw(9, 200)
  const folds = makeFolds(s, { random: Random.fromSeed(1), folds: 4 })
  const before = crossFitRegression(s, folds, s.error)
  const row = s.observed.indexOf(1)
  const changed = s.error.slice()
  changed[row] = 1000
  const after = crossFitRegression(s, folds, changed)
  for (let i = 0; i < 200; i++) {
    if (folds.of[i] === folds.of[row]) expect(after[i]).toBe(before[i])
  }
  expect(after.some((value, i) => value !== before[i])).toBe(true)
  const e = crossFitProbabilities(s, folds, 0.05)
  expect(e.every((value) => value >= 0.05 && value <= 1)).toBe(true)
})

test('empty and all-missing tables, wrong shapes and bad options are refused by field', () => {
  const s = draw(1, 50)
  const good: ElasticityEstimateInput = { ...s, actions: 1, differences: s.error }
  const none = { context: new Float64Array(0), observed: new Uint8Array(0), differences: new Float64Array(0) }
  const cases: [Partial<ElasticityEstimateInput>, string][] = [
    [none, 'observed'],
    [{ observed: new Uint8Array(50) }, 'observed'],
    [{ actions: 2 }, 'differences'],
    [{ actions: 0 }, 'actions'],
    [{ folds: 1 }, 'folds'],
    [{ floor: 0 }, 'floor'],
    [{ level: 2 }, 'level'],
    [{ contextWidth: 3 }, 'context'],
  ]
  for (const [change, field] of cases) {
    let error: unknown
    try {
      estimateElasticity({ ...good, ...change })
    } catch (thrown) {
      error = thrown
    }
    expect(error, field).toBeInstanceOf(PrimoError)
    expect(error).toMatchObject({ facts: { field } })
  }
  expect(() => estimateElasticities([])).toThrow('covariates must be a list with at least one covariate')
})
