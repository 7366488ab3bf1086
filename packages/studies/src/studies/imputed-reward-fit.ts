// The reward fit of Thm 1 on imputed rows: uniform policy, linear class per action, ridge 0.05 as in the reference runs.
//   fitErrors  ||fhat - f*||_2 at growing N on one stream; the norm is that of a fresh sample of (x, z~, a).
//   errorLimit  the same for N -> infinity: f*'s L2 projection, with (1-b)(E[f*|x,b=0] - f*(x,z~)) as what is projected.
// With a uniform policy ||fhat - f*||^2 = (1/K) sum_a d_a'S d_a, d_a the error of the coefficients, S the fresh E[phi phi'].

import { solveInBall } from '@primo/core/engine'
import type { KnownEnvironment, Row } from '@primo/lab'
import { writeRewardFeatures } from '@primo/lab'
import { BLOCK_ROUNDS, mergeBlocks, Random, type Sums, solveRidge, sumRows } from '@primo/numeric'
import type { FilledBy } from './environment-elasticities.js'

const RIDGE = 0.05

export interface ImputedRows {
  readonly environment: KnownEnvironment
  /** Coefficients of f* by action. */
  readonly theta: readonly (readonly number[])[]
  readonly filledBy: FilledBy
}

export interface FreshSample {
  /** E[phi(x,z~) phi(x,z~)'], row-major. */
  readonly second: Float64Array
  /** Root mean square distance of the population's best fit from f*. */
  readonly errorLimit: number
}

export function freshSample(rows: ImputedRows, draws: number, seed: number): FreshSample {
  const { environment, theta } = rows
  const width = theta[0]!.length
  const actions = theta.length
  const phi = new Float64Array(width)
  const second = new Float64Array(width * width)
  const targets = theta.map(() => new Float64Array(width))
  const expected = new Float64Array(actions)
  visit(rows, seed, draws, (row, z) => {
    writeRewardFeatures(row.x, 0, z, phi)
    for (let i = 0; i < width; i++)
      for (let j = 0; j < width; j++) second[i * width + j]! += (phi[i]! * phi[j]!) / draws
    if (row.observed) return
    environment.conditional(row, 'missing', expected)
    targets.forEach((target, a) => {
      const left = (expected[a]! - dot(theta[a]!, phi)) / draws
      for (let i = 0; i < width; i++) target[i]! += phi[i]! * left
    })
  })
  const off = targets.map((target) => solveInBall({ normal: second, target, norm: second, radius: undefined }).size)
  return { second, errorLimit: Math.sqrt(off.reduce((sum, size) => sum + size * size, 0) / actions) }
}

/** The error at each of the sizes, which increase, on the first rows of one stream. */
export function fitErrors(
  rows: ImputedRows,
  fresh: FreshSample,
  sizes: readonly number[],
  seed: number,
): readonly number[] {
  const { theta } = rows
  const actions = theta.length
  const width = theta[0]!.length
  const buffers = theta.map(() => new Float64Array(BLOCK_ROUNDS * (width + 1)))
  const filled = new Uint32Array(actions)
  const sums: (Sums | null)[] = theta.map(() => null)
  const phi = new Float64Array(width)
  const random = Random.fromSeed(seed).split('uniform policy')
  const errors: number[] = []
  let count = 0

  function flush(a: number): void {
    if (filled[a] === 0) return
    const more = sumRows(buffers[a]!, 0, filled[a]!, width, null, 0, buffers[a]!)
    const before = sums[a]!
    sums[a] =
      before === null
        ? more
        : mergeBlocks(
            [
              { block: 0, sums: before },
              { block: 1, sums: more },
            ],
            width,
          )
    filled[a] = 0
  }

  visit(rows, seed, sizes.at(-1)!, (row, z) => {
    const action = random.integer(actions)
    writeRewardFeatures(row.x, 0, z, phi)
    const at = filled[action]! * (width + 1)
    buffers[action]!.set(phi, at)
    buffers[action]![at + width] = row.rewards[action]!
    if (++filled[action]! === BLOCK_ROUNDS) flush(action)
    count++
    if (count !== sizes[errors.length]) return
    let square = 0
    for (let a = 0; a < actions; a++) {
      flush(a)
      const fit = sums[a] === null ? new Float64Array(width) : solveRidge(sums[a]!, RIDGE).coefficients
      const off = fit.map((value, k) => value - theta[a]![k]!)
      for (let i = 0; i < width; i++) {
        for (let j = 0; j < width; j++) square += off[i]! * fresh.second[i * width + j]! * off[j]!
      }
    }
    errors.push(Math.sqrt(square / actions))
  })
  return errors
}

/** Visits rounds with the value that stands for z. */
function visit(
  { environment, filledBy }: ImputedRows,
  seed: number,
  count: number,
  each: (row: Row, z: number) => void,
): void {
  for (let first = 0, index = 0; first < count; first += BLOCK_ROUNDS, index++) {
    environment.rows(seed, index, Math.min(BLOCK_ROUNDS, count - first), (row) => {
      each(row, row.observed ? row.z : filledBy === 'true mean' ? row.mean : row.pretrained)
    })
  }
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let k = 0; k < b.length; k++) sum += a[k]! * b[k]!
  return sum
}
