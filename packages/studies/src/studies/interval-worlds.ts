// Tables with a sometimes-missing covariate whose constants are known, for the study of intervals. x is uniform on
// [-1, 1]^p, the error of the pretrained model r = z - g~ = d(x) + s(x) noise, observed with probability logistic(a +
// odds(x)), a set so that a given share is.

import type { Random } from '@primo/numeric'
import { Random as Generator } from '@primo/numeric'

export interface IntervalWorld {
  readonly name: string
  readonly columns: number
  readonly odds: (x: Float64Array) => number
  readonly mean: (x: Float64Array) => number
  readonly spread: (x: Float64Array) => number
  /** Noise of unit variance. */
  readonly noise: (random: Random) => number
}

export interface DrawnTable {
  readonly context: Float64Array
  readonly contextWidth: number
  readonly observed: Uint8Array
  /** r, also where it is not observed. */
  readonly error: Float64Array
}

export interface TableTruths {
  readonly meanSquare: number
  readonly missingSquare: number
  readonly missingBias: number
  readonly delta0: number
  readonly omega0: number
  readonly bias: number
}

const normal = (random: Random) => random.normal()

export const intervalWorlds: readonly IntervalWorld[] = [
  {
    name: 'straight',
    columns: 2,
    odds: (x) => x[0]! - 0.8 * x[1]!,
    mean: (x) => 0.3 + 0.3 * x[0]! - 0.2 * x[1]!,
    spread: () => 0.5,
    noise: normal,
  },
  {
    name: 'bent',
    columns: 3,
    odds: (x) => 1.5 * Math.sin(Math.PI * x[0]!) + 2.4 * (x[1]! ** 2 - 1 / 3),
    mean: (x) => 0.6 * Math.sin(Math.PI * x[0]!) + 0.8 * (x[1]! ** 2 - 1 / 3),
    spread: () => 0.4,
    noise: normal,
  },
  {
    // Uneven noise with a long tail: nine in ten draws have a third of the standard deviation of the others.
    name: 'long tail',
    columns: 2,
    odds: (x) => x[0]!,
    mean: (x) => 0.2 * x[0]!,
    spread: (x) => 0.6 + 0.3 * x[0]!,
    noise: (random) => ((random.uniform() < 0.1 ? 3 : 1) * random.normal()) / Math.sqrt(1.8),
  },
]

export function drawTable(world: IntervalWorld, intercept: number, rows: number, random: Random): DrawnTable {
  const { columns } = world
  const context = new Float64Array(rows * columns)
  const observed = new Uint8Array(rows)
  const error = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    const x = context.subarray(i * columns, (i + 1) * columns)
    for (let k = 0; k < columns; k++) x[k] = 2 * random.uniform() - 1
    observed[i] = random.uniform() < logistic(intercept + world.odds(x)) ? 1 : 0
    error[i] = world.mean(x) + world.spread(x) * world.noise(random)
  }
  return { context, contextWidth: columns, observed, error }
}

const DRAWS = 200_000

/** The intercept at which `share` of the values are observed, and what is true there. */
export function settle(
  world: IntervalWorld,
  share: number,
): { readonly intercept: number; readonly truths: TableTruths } {
  const random = Generator.fromSeed(1).split('interval worlds', world.name)
  const x = new Float64Array(world.columns)
  const rows = Array.from({ length: DRAWS }, () => {
    for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() - 1
    return { odds: world.odds(x), mean: world.mean(x), variance: world.spread(x) ** 2 }
  })
  const average = (of: (row: (typeof rows)[number]) => number) => rows.reduce((sum, row) => sum + of(row), 0) / DRAWS
  let [low, high] = [-12, 12]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (average(({ odds }) => logistic(middle + odds)) < share) low = middle
    else high = middle
  }
  const intercept = (low + high) / 2
  const missing = ({ odds }: (typeof rows)[number]) => 1 - logistic(intercept + odds)
  const bias = average(({ mean }) => mean)
  const square = average(({ mean }) => mean * mean)
  const variance = average((row) => row.variance)
  return {
    intercept,
    truths: {
      bias,
      meanSquare: square + variance,
      missingSquare: average((row) => missing(row) * (row.mean ** 2 + row.variance)),
      missingBias: average((row) => missing(row) * row.mean ** 2),
      delta0: Math.sqrt(square),
      omega0: Math.sqrt(variance),
    },
  }
}

function logistic(t: number): number {
  return 1 / (1 + Math.exp(-t))
}
