// primo study function-classes: the rates of the paper's example classes in one dimension, and the regret of each
// class for rewards (F), corrections (G) and missingness (T) at once in an environment where everything is bent.
// Rates: the L2 error of least squares for a target inside the class: Lipschitz with |slope| <= L/2 (claimed
// N^(-1/3)), strictly convex and Lipschitz (N^(-2/5)), twice differentiable (N^(-2/5)). x uniform on [0, 1], normal
// noise.

import type { ClassOptions } from '@primo/core'
import { type EngineOptions, regressionOf } from '@primo/core/engine'
import { bendsEnvironment, formatEstimate, type PolicySpec, pairedRatio } from '@primo/lab'
import { Random } from '@primo/numeric'
import type { Found } from '../runner/found.js'
import { playScenario } from '../runner/play.js'
import { bandPoints, power } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { doublings, rateOf, summariesOf } from '../runner/statistics.js'
import type { Cell, CellOptions } from '../runner/study-spec.js'
import { arm, mean, table } from '../runner/tables.js'

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
/** The largest distance of a measured slope from the claimed one. */
const TOLERANCE = 0.07
const ERROR = 'error'

export function errorOf({ options, target }: Omit<RateCase, 'claimed'>, count: number, random: Random): number {
  const inputs = Float64Array.from({ length: count }, () => random.uniform())
  const targets = inputs.map((x) => target(x) + NOISE * random.normal())
  const regression = regressionOf(options)
  const model = regression.fit({ columns: 1, count, inputs, targets, weights: null }, random.split('fit'))
  const grid = Float64Array.from({ length: GRID }, (_, i) => (i + 0.5) / GRID)
  const fitted = new Float64Array(GRID)
  regression.compile(model).table(grid, GRID, fitted)
  return Math.sqrt(fitted.reduce((sum, value, i) => sum + (value - target(grid[i]!)) ** 2 / GRID, 0))
}

type OtherClass = Exclude<ClassOptions, { readonly kind: 'linear' }>

/** The classes that the claim is about. */
const RICH: readonly OtherClass[] = [
  { kind: 'trees', rounds: 60 },
  { kind: 'kernel', landmarks: 60, exact: 60, folds: 2 },
]
const OTHERS: readonly OtherClass[] = [
  { kind: 'spline', segments: 12 },
  { kind: 'network', steps: 400, hidden: 8 },
  { kind: 'lipschitz', bound: 4, centres: 150 },
  { kind: 'convex', bound: 6, bins: 30 },
  {
    kind: 'select',
    ladder: [{ kind: 'linear' }, { kind: 'spline', segments: 12 }, { kind: 'trees', rounds: 40 }],
    folds: 3,
  },
]
const PROFILES = ['primo-cal', 'robust'] as const
const BENDS = 'bends'

/**
 * One class in all three roles; null: the linear ones. Classes differ in the price of a fit, so refits come at every
 * 25% growth for all.
 */
export function classPolicy(profile: (typeof PROFILES)[number], own: OtherClass | null): PolicySpec {
  const refits: EngineOptions =
    profile === 'robust' ? { schedule: { kind: 'growth', factor: 1.25, counted: 'closed' } } : {}
  const options: EngineOptions =
    own === null
      ? { oracle: { interactions: bendsEnvironment().interactions } }
      : { oracle: own, calibration: { class: own, observation: { model: own } } }
  const name = `${profile}, ${own?.kind ?? 'linear'}`
  return { name, kind: 'engine', sees: 'world', options: { profile, ...refits, ...options } }
}

interface ClassSize extends Readonly<Record<string, number>> {
  readonly repeats: number
  readonly rounds: number
  readonly rateRepeats: number
  readonly otherRepeats: number
  readonly lastExponent: number
}
interface ClassWorld {
  readonly name: string
  readonly repeats: (size: ClassSize) => number
  readonly measure: (options: CellOptions<ClassSize>) => Cell
}

const rateWorlds = CASES.map(
  (one): ClassWorld => ({
    name: one.name,
    repeats: ({ rateRepeats }) => rateRepeats,
    measure: ({ seed, size }) => {
      const random = Random.fromSeed(seed).split('rates', one.name)
      const errors = sizesOf(size).map((rows) => [rows, errorOf(one, rows, random.split(rows))])
      return { [ERROR]: Object.fromEntries(errors) }
    },
  }),
)

function bendsWorld(name: string, classes: readonly (OtherClass | null)[], repeats: ClassWorld['repeats']): ClassWorld {
  const policies = PROFILES.flatMap((profile) => classes.map((own) => classPolicy(profile, own)))
  return { name, repeats, measure: (options) => playScenario(BENDS, policies, options) }
}

const sizesOf = ({ lastExponent }: ClassSize) => doublings(8, lastExponent)

function rates(found: Found<ClassWorld, ClassSize>, one: RateCase) {
  const sizes = sizesOf(found.size)
  const errors = found.curves(sizes.map((rows) => ({ world: one.name, arm: ERROR, figure: String(rows) })))
  return { ...one, means: summariesOf(errors), slope: rateOf(sizes, errors) }
}

export const functionClasses = defineStudy<ClassWorld, ClassSize>({
  name: 'function-classes',
  title: 'Function classes for rewards, covariate models and missingness',
  claim:
    'Lipschitz, convex and twice differentiable classes learn at the rates of their critical radii; where the world is bent, trees and kernels have less regret than linear classes, with primo-cal and with robust.',
  full: { repeats: 8, rounds: 2 ** 13, rateRepeats: 20, otherRepeats: 3, lastExponent: 14 },
  quick: { repeats: 3, rounds: 2 ** 12, rateRepeats: 6, otherRepeats: 1, lastExponent: 12 },
  worlds: () => [
    ...rateWorlds,
    bendsWorld(BENDS, [null, ...RICH], ({ repeats }) => repeats),
    bendsWorld(`${BENDS}, other classes`, OTHERS, ({ otherRepeats }) => otherRepeats),
  ],
  repeats: (world, size) => world.repeats(size),
  measure: (world, options) => world.measure(options),
  tables: (found) => [
    {
      title: `L2 error by rows, ${found.size.rateRepeats} seeds`,
      header: ['class', ...sizesOf(found.size).map((rows) => rows.toLocaleString('en')), 'slope', 'claimed'],
      rows: CASES.map((one) => {
        const { means, slope, claimed } = rates(found, one)
        return [one.name, ...means.map(({ mean }) => mean.toFixed(4)), formatEstimate(slope), claimed.toFixed(3)]
      }),
    },
    table(
      `Environment bends, ${found.size.rounds.toLocaleString('en')} rounds, ${found.size.repeats} seeds (${found.size.otherRepeats} for classes beyond linear, trees and kernel)`,
      found.places(undefined, found.worlds.slice(CASES.length)),
      [arm, ...mean('regret'), ...mean('excess')],
    ),
  ],
  plots: (found) => [
    {
      title: 'Error of the least squares fit by rows',
      xLabel: 'rows',
      yLabel: 'L2 error',
      xLog: true,
      yLog: true,
      series: CASES.flatMap((one) => {
        const { name, means, claimed } = rates(found, one)
        const sizes = sizesOf(found.size)
        return [
          { name, points: bandPoints(sizes, means) },
          power(`${name}: rate ${claimed.toFixed(2)}`, sizes, claimed, [sizes[0]!, means[0]!.mean]),
        ]
      }),
    },
  ],
  verdicts: (found) => [
    ...CASES.map((one) => {
      const { name, slope, claimed } = rates(found, one)
      return {
        held: Math.abs(slope.mean - claimed) <= TOLERANCE,
        sentence: `${name}: the error falls with slope ${formatEstimate(slope)} in the rows (claimed ${claimed.toFixed(3)}, within ${TOLERANCE}).`,
      }
    }),
    ...PROFILES.flatMap((profile) =>
      RICH.map(({ kind }) => {
        const place = found.place(BENDS, `${profile}, ${kind}`)
        const { ratio, standardError } = pairedRatio(
          place.values('regret'),
          place.values('regret', `${profile}, linear`),
        )
        return {
          held: ratio + 3 * standardError < 1,
          sentence: `${profile}: regret with ${kind} for rewards, corrections and missingness is ${ratio.toFixed(3)} ± ${standardError.toFixed(3)} of that with linear classes (claimed: below 1 by three standard errors).`,
        }
      }),
    ),
  ],
})
