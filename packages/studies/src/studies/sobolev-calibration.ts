// Calibration over Sobolev balls in the cosine basis sqrt(2) cos(pi j x), x uniform on [0,1], entropy exponent d = 1:
//   complexity norm ||h||_H^2 = sum_j (pi j)^2 h_j^2, L2 norm sum_j h_j^2; half of the rows observed at random, eta uniform.
//   complexityBallError  least squares over ||h||_H <= delta0, h = g - g~, the truth on the border.
//   l2BallError  least squares over the paper's ball {||g||_H <= R, ||g - g~||_2 <= delta0}, g* on the border of both.
// Truths carry weight 1/j of their squared norm at frequency j: nearly the slowest decay that the ball allows.

import { solveInBall } from '@primo/core/engine'
import { type Random, sumRows } from '@primo/numeric'

const COLUMNS = 64
const ETA_BOUND = 0.5
const OBSERVED = 0.5

const complexity = new Float64Array(COLUMNS * COLUMNS)
for (let j = 0; j < COLUMNS; j++) complexity[j * COLUMNS + j] = (Math.PI * (j + 1)) ** 2
const identity = new Float64Array(COLUMNS * COLUMNS)
for (let j = 0; j < COLUMNS; j++) identity[j * COLUMNS + j] = 1

/** Coefficients with complexity norm `norm`. */
function truthOf(norm: number): Float64Array {
  let total = 0
  for (let j = 1; j <= COLUMNS; j++) total += 1 / j
  return Float64Array.from({ length: COLUMNS }, (_, j) => {
    const sign = j % 2 === 0 ? 1 : -1
    return (sign * norm * Math.sqrt(1 / ((j + 1) * total))) / (Math.PI * (j + 1))
  })
}

/** ||g*||_2 of the truth with this complexity norm. */
function truthSize(norm: number): number {
  return distance(truthOf(norm), new Float64Array(COLUMNS))
}

export function complexityBallError(rows: number, delta0: number, random: Random): number {
  const truth = truthOf(delta0)
  const { normal, target } = equations(rows, truth, random)
  return distance(solveInBall({ normal, target, norm: complexity, radius: delta0 }).coefficients, truth)
}

/** g* has complexity norm R; g~ = (1 - delta0/||g*||) g* is as far from it as the ball allows. */
export function l2BallError(rows: number, norm: number, delta0: number, random: Random): number {
  const truth = truthOf(norm)
  const { normal, target } = equations(rows, truth, random)
  const pretrained = truth.map((value) => value * (1 - delta0 / truthSize(norm)))
  const fit = (multiplier: number) =>
    solveInBall({
      normal: normal.map((value, at) => value + multiplier * identity[at]!),
      target: target.map((value, j) => value + multiplier * pretrained[j]!),
      norm: complexity,
      radius: norm,
    }).coefficients
  let best = fit(0)
  if (distance(best, pretrained) > delta0) {
    // The multiplier of the L2 ball by bisection on its logarithm; the other ball is solved inside.
    let low = 1e-3
    let high = 1e3 * rows
    for (let step = 0; step < STEPS; step++) {
      const middle = Math.sqrt(low * high)
      best = fit(middle)
      if (distance(best, pretrained) > delta0) low = middle
      else high = middle
    }
    best = fit(high)
  }
  return distance(best, truth)
}

const STEPS = 14

interface Equations {
  readonly normal: Float64Array
  readonly target: Float64Array
}

function equations(rows: number, truth: Float64Array, random: Random): Equations {
  const width = COLUMNS + 1
  const table = new Float64Array(rows * width)
  let count = 0
  for (let i = 0; i < rows; i++) {
    const x = random.uniform()
    const eta = ETA_BOUND * (2 * random.uniform() - 1)
    if (random.uniform() >= OBSERVED) continue
    const at = count++ * width
    const twice = 2 * Math.cos(Math.PI * x)
    let before = 1
    let now = twice / 2
    let mean = 0
    for (let j = 0; j < COLUMNS; j++) {
      table[at + j] = Math.SQRT2 * now
      mean += truth[j]! * table[at + j]!
      const next = twice * now - before
      before = now
      now = next
    }
    table[at + COLUMNS] = mean + eta
  }
  const { gram } = sumRows(table, 0, count, COLUMNS, null, 0, table)
  const normal = new Float64Array(COLUMNS * COLUMNS)
  const target = new Float64Array(COLUMNS)
  for (let i = 0; i < COLUMNS; i++) {
    target[i] = gram[i * width + COLUMNS]!
    for (let j = i; j < COLUMNS; j++) {
      normal[i * COLUMNS + j] = gram[i * width + j]!
      normal[j * COLUMNS + i] = gram[i * width + j]!
    }
    normal[i * COLUMNS + i] = normal[i * COLUMNS + i]! + RIDGE
  }
  return { normal, target }
}

/** Keeps fewer rows than columns solvable. */
const RIDGE = 1e-6

function distance(a: Float64Array, b: Float64Array): number {
  let square = 0
  for (let j = 0; j < COLUMNS; j++) square += (a[j]! - b[j]!) ** 2
  return Math.sqrt(square)
}
