import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { elasticityOfSample } from './elasticity.js'
import { basisElasticity } from './elasticity-basis.js'
import { linearElasticity, lipschitzElasticity } from './elasticity-slope.js'

/** D_a(x_i, z_i) of a model given as a function, rows x actions. */
function modelDifferences(options: {
  rows: number
  actions: number
  reward: (row: number, z: number, action: number) => number
  covariate: ArrayLike<number>
  imputed: ArrayLike<number>
  used?: ArrayLike<number>
}): Float64Array {
  const { rows, actions, reward, covariate, imputed, used } = options
  return Float64Array.from({ length: rows * actions }, (_, at) => {
    const row = Math.floor(at / actions)
    if (used !== undefined && !used[row]) return 0
    return reward(row, covariate[row]!, at % actions) - reward(row, imputed[row]!, at % actions)
  })
}

test('printed <= maxInside <= K printed, missingOnly <= maxInside, bias <= missingOnly for a conditional mean', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 6 }), (seed, actions) => {
      const random = Random.fromSeed(seed)
      const pairs = 50
      const differences = new Float64Array(2 * pairs * actions)
      const means = new Float64Array(2 * pairs * actions)
      const missing = new Float64Array(2 * pairs)
      for (let pair = 0; pair < pairs; pair++) {
        const weight = random.uniform()
        missing.fill(weight, 2 * pair, 2 * pair + 2)
        for (let a = 0; a < actions; a++) {
          // Two equally likely values around a mean: the mean is exactly E[D | x].
          const mean = random.normal()
          const spread = random.normal()
          for (const [k, sign] of [1, -1].entries()) {
            differences[(2 * pair + k) * actions + a] = mean + sign * spread
            means[(2 * pair + k) * actions + a] = mean
          }
        }
      }
      const all = elasticityOfSample({ actions, differences, missing, meanDifferences: means })
      expect(all.printed).toBeLessThanOrEqual(all.maxInside * (1 + 1e-12))
      expect(all.maxInside).toBeLessThanOrEqual(actions * all.printed * (1 + 1e-12))
      expect(all.missingOnly).toBeLessThanOrEqual(all.maxInside)
      expect(all.bias!).toBeLessThanOrEqual(all.missingOnly * (1 + 1e-12))
      expect(Math.max(...all.upsilon)).toBe(all.printed)
    }),
    { numRuns: 50 },
  )
})

test('the printed definition misses a policy that plays where the difference is: 1/K against 1 (E5)', () => {
  const K = 4
  const differences = new Float64Array(4000 * K)
  for (let row = 0; row < 4000; row++) differences[row * K + (row % K)] = 1
  const result = elasticityOfSample({ actions: K, differences })
  expect(result.printed).toBeCloseTo(0.25, 12)
  expect(result.maxInside).toBe(1)
})

test('differences of a model given as a function skip the rows that are not used', () => {
  const differences = modelDifferences({
    rows: 3,
    actions: 2,
    reward: (row, z, action) => (action + 1) * z * z + row,
    covariate: [2, Number.NaN, 3],
    imputed: [1, 1, 1],
    used: [1, 0, 1],
  })
  expect(Array.from(differences)).toEqual([3, 6, 0, 0, 8, 16])
})

test('for a class linear in z the eigenproblem gives the closed form to 1e-8 (method#theory-checks)', () => {
  const random = Random.fromSeed(12)
  const rows = 3000
  const B = 0.7
  let square = 0
  let missingSquare = 0
  const differences = new Float64Array(rows * 2)
  const missing = new Float64Array(rows)
  for (let row = 0; row < rows; row++) {
    const error = random.normal()
    missing[row] = random.uniform() < 0.4 ? 1 : 0
    square += (error * error) / rows
    missingSquare += (missing[row]! * error * error) / rows
    // phi(x, z) = (1, z): only the second feature moves.
    differences[2 * row + 1] = error
  }
  const closed = linearElasticity({ slope: B, meanSquare: square, missingMeanSquare: missingSquare })
  const eigen = basisElasticity({ differences, columns: 2, norm: B })
  expect(Math.abs(eigen.printed - closed.printed)).toBeLessThan(1e-8)
  expect(Math.abs(eigen.maxInside.upper - closed.maxInside)).toBeLessThan(1e-8)
  const onMissing = basisElasticity({ differences, columns: 2, norm: B, weights: missing })
  expect(Math.abs(onMissing.printed - closed.missingOnly)).toBeLessThan(1e-8)
  expect(Math.abs(eigen.direction[1]!)).toBeCloseTo(B, 9)
})

test('the generalised eigenvalue is the largest quadratic form found by search; bounds hold for every theta', () => {
  const random = Random.fromSeed(5)
  const rows = 400
  const differences = Float64Array.from({ length: rows * 2 }, () => random.normal() * (random.uniform() + 0.3))
  const metric = Float64Array.of(2, 0.5, 0.5, 1)
  const answer = basisElasticity({ differences, columns: 2, norm: 1.3, metric, actions: 3 })
  let best = 0
  const thetas: [number, number][] = []
  for (let k = 0; k < 3600; k++) {
    const c = Math.cos((Math.PI * k) / 3600)
    const s = Math.sin((Math.PI * k) / 3600)
    const scale = 1.3 / Math.sqrt(2 * c * c + c * s + s * s)
    thetas.push([scale * c, scale * s])
    best = Math.max(best, meanSquare(differences, [[scale * c, scale * s]]))
  }
  expect(answer.printed / best).toBeCloseTo(1, 6)
  expect(meanSquare(differences, [answer.direction as [number, number]]) / answer.printed).toBeCloseTo(1, 9)
  for (let trial = 0; trial < 200; trial++) {
    const three = [0, 1, 2].map(() => thetas[random.integer(thetas.length)]!)
    expect(meanSquare(differences, three)).toBeLessThanOrEqual(answer.maxInside.upper * (1 + 1e-12))
  }
  expect(answer.maxInside.lower).toBe(answer.printed)
})

/** (1/n) sum max_a (theta_a'Delta)^2. */
function meanSquare(differences: Float64Array, thetas: readonly [number, number][]): number {
  let sum = 0
  for (let at = 0; at < differences.length; at += 2) {
    sum += Math.max(...thetas.map(([a, b]) => (a * differences[at]! + b * differences[at + 1]!) ** 2))
  }
  return sum / (differences.length / 2)
}

test('the Lipschitz bound is above the plug-in of every function with that slope', () => {
  const random = Random.fromSeed(9)
  const rows = 500
  const z = Float64Array.from({ length: rows }, () => random.normal())
  const g = z.map((value) => value + 0.3 * random.normal())
  let meanSquareError = 0
  for (let i = 0; i < rows; i++) meanSquareError += (z[i]! - g[i]!) ** 2 / rows
  const bound = lipschitzElasticity({ slope: 2, meanSquare: meanSquareError })
  for (const reward of [(value: number) => Math.sin(2 * value), (value: number) => 2 * Math.abs(value - 0.1)]) {
    const differences = modelDifferences({
      rows,
      actions: 1,
      reward: (_, value) => reward(value),
      covariate: z,
      imputed: g,
    })
    expect(elasticityOfSample({ actions: 1, differences }).maxInside).toBeLessThanOrEqual(bound.maxInside)
  }
  expect(bound.kind).toBe('upper bound')
})

test('empty tables, odd shapes and values that are not numbers are refused by field', () => {
  const cases: [() => unknown, string, string][] = [
    [() => elasticityOfSample({ actions: 2, differences: new Float64Array(0) }), 'invalid-option', 'differences'],
    [() => elasticityOfSample({ actions: 0, differences: new Float64Array(2) }), 'invalid-option', 'actions'],
    [() => elasticityOfSample({ actions: 2, differences: new Float64Array(3) }), 'shape-mismatch', 'differences'],
    [
      () => elasticityOfSample({ actions: 1, differences: Float64Array.of(1, Number.NaN) }),
      'not-finite',
      'differences[1]',
    ],
    [
      () => elasticityOfSample({ actions: 1, differences: new Float64Array(2), missing: [1] }),
      'shape-mismatch',
      'missing',
    ],
    [() => basisElasticity({ differences: new Float64Array(0), columns: 1, norm: 1 }), 'invalid-option', 'differences'],
    [() => basisElasticity({ differences: new Float64Array(1), columns: 1, norm: 0 }), 'invalid-option', 'norm'],
    [() => linearElasticity({ slope: -1, meanSquare: 1 }), 'invalid-option', 'slope'],
    [() => lipschitzElasticity({ slope: 1, meanSquare: -1 }), 'invalid-option', 'meanSquare'],
  ]
  for (const [call, code, field] of cases) {
    expect(errorOf(call), field).toMatchObject({ code, facts: { field } })
  }
})
