// Calibration (method#theory-checks; erratum E17): what the size delta0 of the ball does. The critical radius of a Sobolev
// ellipsoid does not depend on an L2 ball (exponent 0) and scales as delta0^(d/(d+2)) with a complexity ball. The same for the
// estimator: least squares over the Sobolev ball in the cosine basis, covariate observed at random, error against N and delta0.

import { solveInBall } from '@primo/core/engine'
import { slope } from '@primo/lab'
import { gram, Random } from '@primo/numeric'
import { ellipsoidRadius, sobolevEigenvalues } from '@primo/theory'
import { type Check, type CheckLine, type CheckOptions, near } from './check.js'
import { repeatedSlope } from './repeated-slope.js'

export function calibrationCheck({ seed, quick }: CheckOptions): Check {
  const random = Random.fromSeed(seed).split('calibration')
  return {
    id: 'calibration',
    title: 'E17: Thm 3, rate in N and dependence on delta0',
    note: 'radii: (pi j)^-2m at N = 10^12; estimator: m = 1, cosine basis of 60, g* - g~ on the boundary of the ball, eta uniform on [-.5,.5], half observed',
    seed,
    lines: [...radiusLines(), ...estimatorLines(random, quick)],
  }
}

const SIZES = [0.1, 0.15, 0.2, 0.3, 0.4]

function exponent(sizes: readonly number[], values: readonly number[]): number {
  return slope(sizes.map(Math.log), values.map(Math.log))
}

function radiusLines(): CheckLine[] {
  const quoted = { 1: 0.335, 2: 0.205 } as const
  return ([1, 2] as const).flatMap((smoothness) => {
    const d = 1 / smoothness
    const eigenvalues = sobolevEigenvalues(smoothness, 20_000)
    const radius = (options: { norm?: number; l2Radius?: number }) =>
      ellipsoidRadius({ eigenvalues, rows: 1e12, ...options }).radius
    const l2 = exponent(
      SIZES,
      SIZES.map((l2Radius) => radius({ l2Radius })),
    )
    const complexity = exponent(
      SIZES,
      SIZES.map((norm) => radius({ norm })),
    )
    return [
      near({
        what: `d = ${d}: exponent of q in delta0, L2 ball`,
        measured: l2,
        quoted: 0,
        tolerance: 1e-9,
        as: '0.000',
      }),
      near({
        what: `d = ${d}: exponent of q in delta0, complexity ball (theory ${(d / (d + 2)).toFixed(3)})`,
        measured: complexity,
        quoted: quoted[smoothness],
        tolerance: 0.005,
        as: smoothness === 1 ? '0.335' : '0.203..0.208',
      }),
    ]
  })
}

const COLUMNS = 60
const NOISE = 0.5

function estimatorLines(random: Random, quick: boolean): CheckLine[] {
  const repeats = quick ? 12 : 24
  const exponents = quick ? [8, 10, 12, 14] : [8, 9, 10, 11, 12, 13, 14, 15, 16]
  const errors = (key: string, rows: number, norm: number, l2: number | null): number[] =>
    Array.from({ length: repeats }, (_, k) => estimate(random.split(key, rows, k), rows, norm, l2))
  const inRows = repeatedSlope(
    exponents.map((e) => 2 ** e),
    exponents.map((e) => errors('rows', 2 ** e, 1, null)),
  )
  const sizes = [0.5, 1, 2, 4]
  const rows = quick ? 1024 : 4096
  // Common random numbers across sizes: only the ball changes.
  const inComplexity = repeatedSlope(
    sizes,
    sizes.map((norm) => errors('size', rows, norm, null)),
  )
  const factors = [1, 2, 4]
  const inL2 = repeatedSlope(
    factors,
    factors.map((factor) => errors('size', rows, 1, factor * truthSize(1))),
  )
  return [
    near({
      what: 'estimator, d = 1: slope of ||ghat - g*|| in N',
      measured: inRows.mean,
      standardError: inRows.standardError,
      quoted: -1 / 3,
      tolerance: 0.05,
      as: '-1/3',
    }),
    near({
      what: 'estimator, d = 1: exponent in delta0, complexity ball',
      measured: inComplexity.mean,
      standardError: inComplexity.standardError,
      quoted: 1 / 3,
      tolerance: 0.06,
      as: '1/3',
    }),
    near({
      what: 'estimator, d = 1: exponent in delta0, L2 ball of 1, 2, 4 times the truth',
      measured: inL2.mean,
      standardError: inL2.standardError,
      quoted: 0,
      tolerance: 0.02,
      as: '0',
    }),
  ]
}

/** g* - g~ on the boundary of the complexity ball of size `norm`: sum_j (pi j)^2 beta_j^2 = norm^2, weights 1/j. */
function truth(norm: number): Float64Array {
  const weights = Float64Array.from({ length: COLUMNS }, (_, j) => 1 / (j + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight, j) => (norm * (j % 2 === 0 ? 1 : -1) * Math.sqrt(weight / total)) / (Math.PI * (j + 1)))
}

function truthSize(norm: number): number {
  return Math.sqrt(truth(norm).reduce((sum, value) => sum + value * value, 0))
}

/** ||ghat - g*||_2 of least squares over the complexity ball of size `norm`, or over an L2 ball plus complexity ball 1. */
function estimate(random: Random, rows: number, norm: number, l2: number | null): number {
  const beta = truth(norm)
  const width = COLUMNS + 1
  const table = new Float64Array(rows * width)
  let seen = 0
  for (let i = 0; i < rows; i++) {
    const x = random.uniform()
    const eta = NOISE * (2 * random.uniform() - 1)
    if (random.uniform() < 0.5) continue
    const at = seen++ * width
    let mean = 0
    for (let j = 0; j < COLUMNS; j++) {
      table[at + j] = Math.SQRT2 * Math.cos(Math.PI * (j + 1) * x)
      mean += beta[j]! * table[at + j]!
    }
    table[at + COLUMNS] = mean + eta
  }
  const sums = new Float64Array(width * width)
  gram(table, table, seen, width, sums)
  const normal = new Float64Array(COLUMNS * COLUMNS)
  const target = new Float64Array(COLUMNS)
  for (let i = 0; i < COLUMNS; i++) {
    target[i] = sums[i * width + COLUMNS]!
    for (let j = i; j < COLUMNS; j++) {
      const value = sums[i * width + j]! + (i === j ? 1e-6 : 0)
      normal[i * COLUMNS + j] = value
      normal[j * COLUMNS + i] = value
    }
  }
  const complexity = new Float64Array(COLUMNS * COLUMNS)
  for (let j = 0; j < COLUMNS; j++) complexity[j * COLUMNS + j] = (Math.PI * (j + 1)) ** 2
  let fit = solveInBall({ normal, target, norm: complexity, radius: norm })
  // Both balls: the complexity multiplier stays, the L2 ball acts on top of it.
  if (l2 !== null) {
    const penalised = normal.map((value, at) => value + fit.multiplier * complexity[at]!)
    const unit = new Float64Array(COLUMNS * COLUMNS)
    for (let j = 0; j < COLUMNS; j++) unit[j * COLUMNS + j] = 1
    fit = solveInBall({ normal: penalised, target, norm: unit, radius: l2 })
  }
  let square = 0
  for (let j = 0; j < COLUMNS; j++) square += (fit.coefficients[j]! - beta[j]!) ** 2
  return Math.sqrt(square)
}
