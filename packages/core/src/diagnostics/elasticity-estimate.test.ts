import { PrimoError, Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import { estimateCovariateConstants } from './covariate-constants.js'
import { crossFit } from './cross-fit.js'
import { type ElasticityEstimateInput, estimateElasticity } from './elasticity-estimate.js'
import { missingMean } from './missing-mean.js'

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

test('intervals for E(z-g)^2, its missing part and the upper limit of E_bias cover at 500 rows in 86% or more of 60 samples', () => {
  // True coverage 0.95 falls below with probability under 1%: the standard error over 60 samples is 0.028.
  const missingSquare = missingTruth(1 / 12)
  const biasTruth = missingTruth(0)
  let all = 0
  let missing = 0
  let bias = 0
  for (let k = 0; k < 60; k++) {
    const s = draw(k, 500)
    const estimate = estimateElasticity({ ...s, actions: 1, differences: s.error })
    if (estimate.maxInside.lower <= MEAN_SQUARE && MEAN_SQUARE <= estimate.maxInside.upper) all++
    if (estimate.missingOnly.lower <= missingSquare && missingSquare <= estimate.missingOnly.upper) missing++
    if (biasTruth <= estimate.bias.upperLimit) bias++
  }
  for (const share of [all / 60, missing / 60, bias / 60]) {
    expect(share).toBeGreaterThanOrEqual(0.86)
  }
})

/** E[(1-e(x)) ((0.3 + 0.2 x1)^2 + variance)] on a fine grid. */
function missingTruth(variance: number): number {
  let sum = 0
  const steps = 400
  for (let i = 0; i < steps; i++) {
    for (let j = 0; j < steps; j++) {
      const x1 = (2 * (i + 0.5)) / steps - 1
      const x2 = (2 * (j + 0.5)) / steps - 1
      sum += ((0.3 + 0.2 * x1) ** 2 + variance) / (1 + Math.exp(1.2 * x1 - 0.8 * x2)) / steps ** 2
    }
  }
  return sum
}

test('max inside and bias are near the truth of a reward with two slopes', () => {
  const s = draw(77, 20000)
  const slopes = [0.5, -1]
  const differences = Float64Array.from({ length: 40000 }, (_, at) => slopes[at % 2]! * s.error[Math.floor(at / 2)]!)
  const estimate = estimateElasticity({ ...s, actions: 2, differences, name: 'genotype' })
  expect(estimate.name).toBe('genotype')
  expect(Math.abs(estimate.maxInside.estimate - MEAN_SQUARE)).toBeLessThan(4 * estimate.maxInside.standardError)
  const truth = missingTruth(0)
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
  expect(zero.maxInside).toMatchObject({ estimate: 0, lower: 0 })
  expect(zero.maxInside.unsupported!.code).toBe('few-effective-rows')
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
  const { regression, folds, probabilities } = crossFit(s, { random: Random.fromSeed(1), folds: 4 })
  const row = s.observed.indexOf(1)
  const changed = s.error.slice()
  changed[row] = 1000
  for (const kind of ['constant', 'columns', 'basis', 'trees'] as const) {
    const before = regression(s.error, kind).fitted
    const after = regression(changed, kind).fitted
    for (let i = 0; i < 200; i++) if (folds.of[i] === folds.of[row]) expect(after[i]).toBe(before[i])
    expect(after.some((value, i) => value !== before[i])).toBe(true)
  }
  expect(probabilities.every((value) => value > 0 && value <= 1)).toBe(true)
})

test('a long table with hardly a value observed has constants for nuisances', () => {
  const rows = 30_000
  const context = Float64Array.from({ length: rows }, (_, i) => ((i * 7919) % 2001) / 1000 - 1)
  const observed = Uint8Array.from({ length: rows }, (_, i) => (i % 5000 === 7 ? 1 : 0))
  const nuisances = crossFit({ context, contextWidth: 1, observed }, { random: Random.fromSeed(1) })
  expect(nuisances.observationClass).toBe('constant')
  expect(nuisances.regression(context).class).toBe('constant')
  expect(missingMean({ values: context, observed, probabilities: nuisances.probabilities }).unsupported).not.toBeNull()
})

test('nuisances that bend are found: e(x) and E[v | x] of sine shape', () => {
  const random = Random.fromSeed(3)
  const rows = 3000
  const context = Float64Array.from({ length: rows }, () => 2 * random.uniform() - 1)
  const odds = (x: number) => 1.5 * Math.sin(Math.PI * x)
  const observed = Uint8Array.from(context, (x) => (random.uniform() < 1 / (1 + Math.exp(-odds(x))) ? 1 : 0))
  const values = context.map((x, i) => (observed[i] ? Math.sin(Math.PI * x) + 0.3 * random.normal() : Number.NaN))
  const nuisances = crossFit({ context, contextWidth: 1, observed }, { random: Random.fromSeed(1) })
  const { fitted } = nuisances.regression(values)
  let mean = 0
  let probability = 0
  context.forEach((x, i) => {
    mean += (fitted[i]! - Math.sin(Math.PI * x)) ** 2 / rows
    probability += (nuisances.probabilities[i]! - 1 / (1 + Math.exp(-odds(x)))) ** 2 / rows
  })
  expect(Math.sqrt(mean)).toBeLessThan(0.05)
  expect(Math.sqrt(probability)).toBeLessThan(0.05)
})

test('where almost nothing is seen in a tenth of the contexts there is no interval, and a reason', () => {
  const random = Random.fromSeed(8)
  const rows = 2000
  const context = Float64Array.from({ length: rows }, () => 2 * random.uniform() - 1)
  const observed = Uint8Array.from(context, (x) => (random.uniform() < 1 / (1 + Math.exp(12 * x)) ? 1 : 0))
  const differences = context.map((x) => (x > 0 ? 1 : 0.1) * random.normal())
  const input = { context, contextWidth: 1, observed, actions: 1, differences, random: Random.fromSeed(1) }
  const { maxInside, bias } = estimateElasticity(input)
  expect(maxInside.unsupported!.code).toBe('nothing-where-rarest')
  expect(maxInside).toMatchObject({ lower: 0, upper: Number.POSITIVE_INFINITY })
  expect(bias.upperLimit).toBe(Number.POSITIVE_INFINITY)
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
})

test('a class that bends, chosen on some of the rows, is the plain one where all of the rows have nothing to bend', () => {
  const random = Random.fromSeed(5)
  const context = Float64Array.from({ length: 400 }, () => (random.uniform() < 0.5 ? 0 : 1))
  const observed = Uint8Array.from({ length: 200 }, () => (random.uniform() < 0.5 ? 0 : 1))
  const table = { context, contextWidth: 2, observed }
  const by = (observationClass: 'basis' | 'columns') =>
    crossFit(table, { random: Random.fromSeed(6), observationClass }).probabilities
  expect(by('basis')).toEqual(by('columns'))
})
