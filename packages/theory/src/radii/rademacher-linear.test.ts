import { PrimoError, Random, whiten } from '@primo/numeric'
import { expect, test } from 'vitest'
import { ellipsoidComplexity } from './ellipsoid-radius.js'
import { complexityAt, monteCarloRadius } from './local-complexity.js'
import { linearComplexity, secondMoments } from './rademacher-linear.js'

function normalRows(random: Random, rows: number, columns: number): Float64Array {
  return Float64Array.from({ length: rows * columns }, () => random.normal())
}

test('the linear class has R(t) = t sqrt(p/N) up to the mean of a chi variable, and r = 16 sqrt(p/N)', () => {
  for (const rows of [50, 500]) {
    const random = Random.fromSeed(rows)
    const complexity = linearComplexity({ features: normalRows(random, rows, 5), columns: 5, random, draws: 2000 })
    const { value, standardError } = complexityAt(complexity, 0.3)
    const scale = 0.3 * Math.sqrt(5 / rows)
    // E sqrt(chi2_5 / 5) = 0.9515; three standard errors, false alarm 0.3%.
    expect(Math.abs(value / scale - 0.9515)).toBeLessThan((3 * standardError) / scale + 0.004)
    const radius = monteCarloRadius(complexity)
    expect(radius.radius / (16 * Math.sqrt(5 / rows))).toBeCloseTo(value / scale, 9)
    expect(radius.standardError / radius.radius).toBeCloseTo(standardError / value, 3)
  }
})

test('with two constraints the dual value equals the best point found by primal search', () => {
  const random = Random.fromSeed(21)
  const features = normalRows(random, 30, 2)
  const metric = Float64Array.of(2, 0.3, 0.3, 0.7)
  const norm = 0.4
  const options = { features, columns: 2, metric, norm, draws: 12 }
  const complexity = linearComplexity({ ...options, random: Random.fromSeed(33) })
  const sigma = secondMoments(features, 2)
  const signs = Random.fromSeed(33)
  for (let draw = 0; draw < 12; draw++) {
    const w = [0, 0]
    for (let row = 0; row < 30; row++) {
      const sign = signs.sign()
      w[0]! += (sign * features[row * 2]!) / 30
      w[1]! += (sign * features[row * 2 + 1]!) / 30
    }
    for (const t of [0.05, 0.3, 0.42, 0.6, 5]) {
      expect(complexity.supremum(draw, t)).toBeCloseTo(primal(w as [number, number], sigma, metric, t, norm), 6)
    }
  }
})

/**
 * The supremum of w'theta over both ellipses by a fine search over directions: each direction is scaled to the
 * boundary.
 */
function primal(w: [number, number], sigma: Float64Array, metric: Float64Array, t: number, norm: number): number {
  let best = 0
  const steps = 200000
  for (let k = 0; k < steps; k++) {
    const angle = (2 * Math.PI * k) / steps
    const c = Math.cos(angle)
    const s = Math.sin(angle)
    const length = Math.min(t / Math.sqrt(quadratic(sigma, c, s)), norm / Math.sqrt(quadratic(metric, c, s)))
    best = Math.max(best, length * (w[0] * c + w[1] * s))
  }
  return best
}

function quadratic(matrix: Float64Array, c: number, s: number): number {
  return matrix[0]! * c * c + 2 * matrix[1]! * c * s + matrix[3]! * s * s
}

test('the eigenvalue bound is above the Monte-Carlo complexity of the same ellipsoid and below twice it', () => {
  const random = Random.fromSeed(6)
  const columns = 12
  const rows = 400
  const eigenvalues = Array.from({ length: columns }, (_, j) => (j + 1) ** -2)
  const features = normalRows(random, rows, columns)
  for (let i = 0; i < features.length; i++) features[i] = features[i]! * Math.sqrt(eigenvalues[i % columns]!)
  const complexity = linearComplexity({ features, columns, norm: 0.7, random, draws: 300 })
  for (const t of [0.05, 0.2, 0.5]) {
    const bound = ellipsoidComplexity({ eigenvalues, rows, norm: 0.7 }, t)
    const { value } = complexityAt(complexity, t)
    expect(value).toBeLessThan(bound)
    expect(value).toBeGreaterThan(bound / 2)
  }
})

test('a column of zeros changes nothing', () => {
  const random = Random.fromSeed(17)
  const plain = normalRows(random, 40, 2)
  const padded = new Float64Array(120)
  for (let row = 0; row < 40; row++) padded.set(plain.subarray(2 * row, 2 * row + 2), 3 * row)
  const narrow = linearComplexity({ features: plain, columns: 2, random: Random.fromSeed(1), draws: 10 })
  const wide = linearComplexity({ features: padded, columns: 3, random: Random.fromSeed(1), draws: 10 })
  for (let k = 0; k < 10; k++) expect(wide.supremum(k, 0.5)).toBeCloseTo(narrow.supremum(k, 0.5), 9)
})

test('whitening by the factor of a matrix turns it into the identity', () => {
  const a = Float64Array.of(4, 2, 2, 5)
  const lower = Float64Array.of(2, 0, 1, 2)
  const white = whiten(a, lower, 2)
  for (const [i, value] of [1, 0, 0, 1].entries()) expect(white[i]!).toBeCloseTo(value, 12)
})

test('an empty table is refused', () => {
  const call = () => linearComplexity({ features: new Float64Array(0), columns: 3, random: Random.fromSeed(1) })
  expect(call).toThrow(PrimoError)
  expect(call).toThrow('rows must be a whole number >= 1, got 0')
})
