// Rates of the paper's example classes in one dimension: the L2 error of the class's least squares fit by the number of rows, for a
// target inside the class: Lipschitz with |slope| <= L/2 (claimed N^(-1/3)), strictly convex and Lipschitz (N^(-2/5)), twice
// differentiable (N^(-2/5)). x uniform on [0, 1], normal noise.

import type { ClassOptions } from '@primo/core'
import { regressionOf } from '@primo/core/engine'
import type { Summary } from '@primo/lab'
import type { StudyPlot, StudyTable, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { bandPoints, doublings, power, rateOf, summariesOf } from './rate-figures.js'

interface RateCase {
  readonly name: string
  readonly options: ClassOptions
  readonly target: (x: number) => number
  readonly claimed: number
}

const CASES: readonly RateCase[] = [
  {
    name: 'Lipschitz',
    options: { kind: 'lipschitz', bound: 4 },
    // A zigzag with slopes -2 and 2.
    target: (x) => Math.abs(((3 * x) % 1) - 0.5) * (2 / 3),
    claimed: -1 / 3,
  },
  {
    name: 'convex Lipschitz',
    options: { kind: 'convex', bound: 4 },
    target: (x) => 2 * (x - 0.45) ** 2,
    claimed: -2 / 5,
  },
  {
    name: 'twice differentiable',
    options: { kind: 'spline' },
    target: (x) => 0.5 * Math.sin(2 * Math.PI * x) + x * x,
    claimed: -2 / 5,
  },
]

const NOISE = 0.3
const GRID = 2000
/** How far a measured slope may lie from the claimed one. */
const TOLERANCE = 0.07

export interface RateResults {
  readonly tables: readonly StudyTable[]
  readonly plots: readonly StudyPlot[]
  readonly verdicts: readonly Verdict[]
}

export function classRates(
  full: boolean,
  seed: number,
  repeats: number,
  onProgress: (share: number) => void,
): RateResults {
  const sizes = doublings(8, full ? 14 : 12)
  const measured = CASES.map((one, index) => {
    const curves = Array.from({ length: repeats }, (_, repeat) => {
      const random = Random.fromSeed(seed + repeat).split('rates', one.name)
      const errors = sizes.map((size) => errorOf(one, size, random.split(size)))
      onProgress((index * repeats + repeat + 1) / (CASES.length * repeats))
      return errors
    })
    return { ...one, curves, slope: rateOf(sizes, curves) }
  })
  return {
    tables: [
      {
        title: `L2 error by rows, ${repeats} seeds`,
        header: ['class', ...sizes.map((size) => size.toLocaleString('en')), 'slope', 'se', 'claimed'],
        rows: measured.map(({ name, curves, slope, claimed }) => [
          name,
          ...summariesOf(curves).map(({ mean }) => mean.toFixed(4)),
          slope.mean.toFixed(3),
          slope.standardError.toFixed(3),
          claimed.toFixed(3),
        ]),
      },
    ],
    plots: [
      {
        title: 'Error of the least squares fit by rows',
        xLabel: 'rows',
        yLabel: 'L2 error',
        xLog: true,
        yLog: true,
        series: measured.flatMap(({ name, curves, claimed }) => {
          const summaries = summariesOf(curves)
          return [
            { name, points: bandPoints(sizes, summaries) },
            power(`${name}: rate ${claimed.toFixed(2)}`, sizes, claimed, [sizes[0]!, summaries[0]!.mean]),
          ]
        }),
      },
    ],
    verdicts: measured.map(({ name, slope, claimed }) => ({
      held: isNear(slope, claimed),
      sentence: `${name}: the error falls with slope ${slope.mean.toFixed(3)} ± ${slope.standardError.toFixed(3)} in the rows (claimed ${claimed.toFixed(3)}, within ${TOLERANCE}).`,
    })),
  }
}

function isNear({ mean }: Summary, claimed: number): boolean {
  return Math.abs(mean - claimed) <= TOLERANCE
}

function errorOf({ options, target }: RateCase, count: number, random: Random): number {
  const inputs = Float64Array.from({ length: count }, () => random.uniform())
  const targets = inputs.map((x) => target(x) + NOISE * random.normal())
  const regression = regressionOf(options)
  const model = regression.fit({ columns: 1, count, inputs, targets, weights: null }, random.split('fit'))
  const grid = Float64Array.from({ length: GRID }, (_, i) => (i + 0.5) / GRID)
  const fitted = new Float64Array(GRID)
  regression.compile(model).table(grid, GRID, fitted)
  return Math.sqrt(fitted.reduce((sum, value, i) => sum + (value - target(grid[i]!)) ** 2 / GRID, 0))
}
