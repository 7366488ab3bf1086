import { readFileSync } from 'node:fs'
import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BallProblem, ballSize, solveInBall } from './ball.js'

interface Case {
  readonly name: string
  readonly normal: readonly number[]
  readonly target: readonly number[]
  readonly norm: readonly number[]
  readonly radius: number | null
  readonly multiplier: number
  readonly coefficients: readonly number[]
}

const fixture: { ball: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../../numeric/fixtures/numeric.json', import.meta.url), 'utf8'),
)

/** S with the diagonal addition of method#ball; the conditions hold for it. */
function withAddition(norm: Float64Array, p: number): Float64Array {
  let trace = 0
  for (let i = 0; i < p; i++) trace += norm[i * p + i]!
  return norm.map((value, at) => (at % (p + 1) === 0 ? value + (1e-8 * trace) / p : value))
}

/** beta'A beta - 2 c'beta. */
function objective({ normal, target }: BallProblem, beta: ArrayLike<number>): number {
  const p = target.length
  let sum = 0
  for (let i = 0; i < p; i++) {
    sum -= 2 * target[i]! * beta[i]!
    for (let j = 0; j < p; j++) sum += beta[i]! * normal[i * p + j]! * beta[j]!
  }
  return sum
}

const SHAPES = [
  'plain',
  'few known rows',
  'repeated column',
  'two constant columns',
  'zero column',
  'nearly repeated column',
] as const
type Shape = (typeof SHAPES)[number]

/** A and c from weighted known rows with a ridge, S from all rows. */
function ballProblem(random: Random, p: number, shape: Shape, ridge: number, radius: number | undefined): BallProblem {
  const all = p + 3 + random.integer(40)
  const known = shape === 'few known rows' ? 1 + random.integer(p) : 1 + random.integer(all)
  const normal = new Float64Array(p * p)
  const norm = new Float64Array(p * p)
  const target = new Float64Array(p)
  for (let row = 0; row < all; row++) {
    const b = Float64Array.from({ length: p }, (_, k) => (k === 0 ? 1 : random.normal()))
    if (p > 1 && shape === 'repeated column') b[p - 1] = b[p > 2 ? 1 : 0]!
    if (p > 1 && shape === 'two constant columns') b[p - 1] = 3
    if (p > 1 && shape === 'zero column') b[p - 1] = 0
    if (p > 1 && shape === 'nearly repeated column') b[p - 1] = b[p - 2]! + 1e-6 * random.normal()
    const weight = 1 + 4 * random.uniform()
    const y = 3 * random.normal()
    for (let i = 0; i < p; i++) {
      if (row < known) target[i]! += weight * y * b[i]!
      for (let j = 0; j < p; j++) {
        norm[i * p + j]! += (b[i]! * b[j]!) / all
        if (row < known) normal[i * p + j]! += weight * b[i]! * b[j]!
      }
    }
  }
  for (let i = 0; i < p; i++) normal[i * p + i]! += ridge
  return { normal, target, norm, radius }
}

const power = (low: number, high: number) =>
  fc.double({ min: low, max: high, noNaN: true }).map((exponent) => 10 ** exponent)
const settings = fc.record({
  seed: fc.nat(),
  p: fc.integer({ min: 1, max: 8 }),
  ridge: power(-6, 2),
  radius: power(-4, 0.5),
})

describe('solveInBall', () => {
  test.each(fixture.ball)(
    'agrees with scipy to 1e-8: $name',
    ({ normal, target, norm, radius, multiplier, coefficients }) => {
      const fit = solveInBall({
        normal: Float64Array.from(normal),
        target: Float64Array.from(target),
        norm: Float64Array.from(norm),
        radius: radius ?? undefined,
      })
      const largest = Math.max(...coefficients.map(Math.abs))
      coefficients.forEach((value, k) => {
        expect(Math.abs(fit.coefficients[k]! - value)).toBeLessThanOrEqual(1e-8 * largest)
      })
      expect(Math.abs(fit.multiplier - multiplier)).toBeLessThanOrEqual(1e-8 * multiplier)
    },
  )

  test.each(SHAPES)('meets the KKT conditions: %s', (shape) => {
    let bound = 0
    fc.assert(
      fc.property(settings, ({ seed, p, ridge, radius }) => {
        const problem = ballProblem(Random.fromSeed(seed), p, shape, ridge, radius)
        const { coefficients, multiplier, size } = solveInBall(problem)
        // Primal and dual feasibility.
        expect(size ** 2).toBeLessThanOrEqual(radius ** 2 * (1 + 1e-8))
        expect(multiplier).toBeGreaterThanOrEqual(0)
        // Complementarity: a positive multiplier only on the border.
        const added = withAddition(problem.norm, p)
        if (multiplier > 0) {
          bound++
          expect(Math.abs(ballSize(added, coefficients) ** 2 / radius ** 2 - 1)).toBeLessThanOrEqual(1e-8)
        }
        // Stationarity: (A + mu S) beta = c, relative to the terms that cancel.
        for (let i = 0; i < p; i++) {
          let slope = -problem.target[i]!
          let scale = Math.abs(problem.target[i]!)
          for (let j = 0; j < p; j++) {
            const term = (problem.normal[i * p + j]! + multiplier * added[i * p + j]!) * coefficients[j]!
            slope += term
            scale += Math.abs(term)
          }
          expect(Math.abs(slope)).toBeLessThanOrEqual(1e-7 * scale)
        }
      }),
      { numRuns: 200 },
    )
    expect(bound).toBeGreaterThan(100)
  })

  test('is at least as good as any other point of the ball', () => {
    fc.assert(
      fc.property(
        settings,
        fc.constantFrom(...SHAPES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ seed, p, ridge, radius }, shape, share) => {
          const random = Random.fromSeed(seed)
          const problem = ballProblem(random, p, shape, ridge, radius)
          const { coefficients } = solveInBall(problem)
          const direction = Float64Array.from({ length: p }, () => random.normal())
          const reach = (share * radius) / ballSize(withAddition(problem.norm, p), direction)
          const best = objective(problem, coefficients)
          const other = objective(
            problem,
            direction.map((value) => value * reach),
          )
          expect(other).toBeGreaterThanOrEqual(best - 1e-9 * Math.abs(best))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('without a ball, and in a ball too large to bind, solves A beta = c', () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...SHAPES), ({ seed, p, ridge }, shape) => {
        const free = solveInBall(ballProblem(Random.fromSeed(seed), p, shape, ridge, undefined))
        const wide = solveInBall(ballProblem(Random.fromSeed(seed), p, shape, ridge, 2 * free.size + 1))
        expect(free.multiplier).toBe(0)
        expect(wide).toEqual(free)
        const { normal, target } = ballProblem(Random.fromSeed(seed), p, shape, ridge, undefined)
        for (let i = 0; i < p; i++) {
          let slope = -target[i]!
          let scale = Math.abs(target[i]!)
          for (let j = 0; j < p; j++) {
            slope += normal[i * p + j]! * free.coefficients[j]!
            scale += Math.abs(normal[i * p + j]! * free.coefficients[j]!)
          }
          expect(Math.abs(slope)).toBeLessThanOrEqual(1e-12 * scale)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('shrinks the correction and grows the multiplier with a smaller radius', () => {
    const random = Random.fromSeed(3)
    const base = ballProblem(random, 5, 'plain', 1, undefined)
    const free = solveInBall(base).size
    const fits = [0.9, 0.5, 0.1, 1e-3, 1e-9].map((share) => solveInBall({ ...base, radius: share * free }))
    fits.forEach((fit, i) => {
      expect(fit.size / free).toBeCloseTo([0.9, 0.5, 0.1, 1e-3, 1e-9][i]!, 6)
      if (i > 0) {
        expect(fit.multiplier).toBeGreaterThan(fits[i - 1]!.multiplier)
        expect(objective(base, fit.coefficients)).toBeGreaterThan(objective(base, fits[i - 1]!.coefficients))
      }
    })
  })

  test('gives no correction for radius 0', () => {
    const problem = ballProblem(Random.fromSeed(4), 3, 'plain', 1, 0)
    expect(solveInBall(problem)).toEqual({ coefficients: new Float64Array(3), multiplier: 0, size: 0 })
  })

  test('gives no correction when there is nothing to correct', () => {
    const problem = { ...ballProblem(Random.fromSeed(5), 3, 'plain', 1, 0.1), target: new Float64Array(3) }
    expect(solveInBall(problem)).toEqual({ coefficients: new Float64Array(3), multiplier: 0, size: 0 })
  })

  test('works with a norm of all zeros, where every correction has size 0', () => {
    const problem = { ...ballProblem(Random.fromSeed(6), 3, 'plain', 1, 0.1), norm: new Float64Array(9) }
    const fit = solveInBall(problem)
    expect(fit.size).toBe(0)
    expect(fit.coefficients).toEqual(solveInBall({ ...problem, radius: undefined }).coefficients)
  })

  test('names the row when A is singular, as it is without ridge', () => {
    const problem = ballProblem(Random.fromSeed(7), 4, 'zero column', 0, 0.1)
    expect(() => solveInBall(problem)).toThrow(
      expect.objectContaining({ code: 'not-positive-definite', facts: expect.objectContaining({ row: 3 }) }),
    )
  })

  test('does not change its inputs', () => {
    const make = () => ballProblem(Random.fromSeed(8), 4, 'plain', 1, 0.05)
    const problem = make()
    expect(solveInBall(problem).multiplier).toBeGreaterThan(0)
    expect(problem).toEqual(make())
  })
})

describe('ballSize', () => {
  test('is the root mean square of the correction over the rows behind the norm', () => {
    const random = Random.fromSeed(9)
    const rows = Array.from({ length: 30 }, () => Float64Array.from({ length: 3 }, () => random.normal()))
    const norm = Float64Array.from(
      { length: 9 },
      (_, at) => rows.reduce((sum, row) => sum + row[Math.floor(at / 3)]! * row[at % 3]!, 0) / 30,
    )
    const beta = Float64Array.of(0.5, -2, 1)
    const mean = rows.reduce((sum, row) => sum + (row[0]! * 0.5 - row[1]! * 2 + row[2]!) ** 2, 0) / 30
    expect(ballSize(norm, beta)).toBeCloseTo(Math.sqrt(mean), 12)
  })

  test('is 0, not NaN, when rounding makes the square negative', () => {
    expect(ballSize(Float64Array.of(1, -1.0000000000000002, -1.0000000000000002, 1), Float64Array.of(1, 1))).toBe(0)
  })
})
