// primo study intervals: do the 95% intervals that the product shows hold the truth as often as they say, from few
// observed values to many, and how often is one withheld? Figures of calibration and elasticity on tables with known
// constants, values of policies on a log with peaked propensities, and the value of observing in a report of a run in
// environment A.

import {
  createEngine,
  crossFit,
  epochReport,
  estimateCovariateConstants,
  estimateElasticity,
  missingMean,
} from '@primo/core/engine'
import {
  createEnvironment,
  environmentConstants,
  evaluatePolicy,
  scenarioFromName,
  simulate,
  worldOf,
} from '@primo/lab'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import type { Cell, CellOptions, Figures, Size } from '../runner/study-spec.js'
import { arm, column, figure, table, world } from '../runner/tables.js'
import { covers } from '../runner/verdicts.js'
import { drawTable, type IntervalWorld, intervalWorlds, settle } from './interval-worlds.js'
import { drawPeakedLog, peakedValue } from './peaked-log.js'

const DESIGNS = [
  { rows: 300, share: 0.3 },
  { rows: 600, share: 0.5 },
  { rows: 600, share: 0.9 },
  { rows: 4000, share: 0.01 },
  { rows: 4000, share: 0.02 },
  { rows: 4000, share: 0.05 },
  { rows: 10_000, share: 0.2 },
]

type Limits = readonly [number, number] | null

function coverage(truth: number, interval: Limits): Figures {
  if (interval === null) return { shown: 0 }
  return { shown: 1, covered: interval[0] <= truth && truth <= interval[1] ? 1 : 0 }
}

const settled = new Map<string, ReturnType<typeof settle>>()

function tableIntervals(design: IntervalWorld, rows: number, share: number, { seed, repeat }: CellOptions<Size>): Cell {
  const key = `${design.name} ${share}`
  const { intercept, truths } = settled.get(key) ?? settle(design, share)
  settled.set(key, { intercept, truths })
  const random = Random.fromSeed(seed - repeat).split('intervals', design.name, rows, share, repeat)
  const { error, ...drawn } = drawTable(design, intercept, rows, random)
  const seen = drawn.observed.reduce((sum, b) => sum + b, 0)
  if (Math.min(seen, rows - seen) < 5) return {}
  const shared = { ...drawn, random: random.split('folds'), nuisances: crossFit(drawn, { random }) }
  const { maxInside, missingOnly, bias } = estimateElasticity({ ...shared, actions: 1, differences: error })
  const ends = (one: { lower: number; upper: number; unsupported: object | null }): Limits =>
    one.unsupported === null ? [one.lower, one.upper] : null
  const constants = estimateCovariateConstants({ ...shared, covariate: error, pretrained: new Float64Array(rows) })
  const { unsupported } = constants
  const { fitted } = shared.nuisances.regression(error)
  const { probabilities } = shared.nuisances
  const mean = missingMean({
    values: error,
    observed: drawn.observed,
    probabilities,
    regression: fitted,
    scale: 'linear',
  })
  return {
    'squared error': coverage(truths.meanSquare, ends(maxInside)),
    'squared error of missing rows': coverage(truths.missingSquare, ends(missingOnly)),
    'E_bias, upper limit': coverage(truths.missingBias, ends({ ...bias, lower: 0, upper: bias.upperLimit })),
    delta0: coverage(truths.delta0, ends({ ...constants.delta0, unsupported })),
    omega0: coverage(truths.omega0, ends({ ...constants.omega0, unsupported })),
    bias: coverage(truths.bias, ends(mean)),
  }
}

let peaked: number | undefined

function peakedIntervals({ seed, repeat }: CellOptions<Size>): Cell {
  peaked ??= peakedValue()
  const { choices, target, rewards } = drawPeakedLog(2000, Random.fromSeed(seed - repeat).split('peaked', repeat))
  const estimators = ['ips', 'clipped-ips', 'snips', 'dr'] as const
  const { evaluation } = evaluatePolicy('peaked', choices, target, { rewards, replicates: 0, seed: repeat, estimators })
  return Object.fromEntries(
    evaluation.estimates.map(({ estimator, asymptotic }) => [
      `value by ${estimator}`,
      coverage(peaked!, asymptotic && [asymptotic.low, asymptotic.high]),
    ]),
  )
}

/** Of a missing value in environment A, 4,096 rounds into a run, in the reward's units. */
function observingInterval({ seed }: CellOptions<Size>): Cell {
  const environment = createEnvironment(scenarioFromName('A'))
  const { floorPerRound, missingShare } = environmentConstants(environment)
  const { problem, interactions } = environment
  const engine = createEngine(problem, { profile: 'robust', oracle: { interactions } })
  const { state, rounds } = simulate({ engine, world: worldOf(environment, seed, 4096), seed })
  const mean = epochReport(state, rounds, engine).covariates[0]?.valueOfObserving?.mean
  const interval: Limits = mean == null || mean.lower === null || mean.upper === null ? null : [mean.lower, mean.upper]
  return { 'value of observing': coverage(floorPerRound.value / missingShare.value, interval) }
}

export const intervals = defineStudy({
  name: 'intervals',
  title: 'Coverage of every interval',
  claim:
    'Intervals of 95% hold the truth in 92% to 99% of cases wherever they are shown, from 300 to 10,000 rows and from 1% to 90% observed, and are withheld where the data cannot support them.',
  full: { repeats: 300, mostRows: 10_000, logs: 1200, runs: 150 },
  quick: { repeats: 12, mostRows: 4000, logs: 48, runs: 6 },
  worlds: ({ mostRows }) => [
    ...intervalWorlds.flatMap((design) =>
      DESIGNS.filter(({ rows }) => rows <= mostRows).map(({ rows, share }) => ({
        name: `${design.name}, ${rows.toLocaleString('en')} rows, ${100 * share}% observed`,
        intervals: (options: CellOptions<Size>) => tableIntervals(design, rows, share, options),
      })),
    ),
    { name: 'peaked log, 2,000 rows', intervals: peakedIntervals },
    { name: 'environment A', intervals: observingInterval },
  ],
  repeats: ({ name }, { repeats, logs, runs }) =>
    name.startsWith('peaked') ? logs : name === 'environment A' ? runs : repeats,
  measure: (one, options) => one.intervals(options),
  tables: (found) => [
    table('Share of 95% intervals that hold the truth, of those shown', found.places(), [
      { ...arm, header: 'figure' },
      world,
      column('asked', (place) => String(place.values('shown').length)),
      figure('shown', 2),
      figure('covered'),
    ]),
  ],
  /** By figure over its settings; settings that show an interval in under a tenth of the tables are left out. */
  verdicts: (found) =>
    [...new Set(found.places().map((place) => place.arm))].map((name) => {
      const own = found.places([name]).filter((place) => place.mean('shown').mean > 0.1)
      const hits = own.flatMap((place) => place.values('covered'))
      const [weakest] = own.toSorted((a, b) => a.mean('covered').mean - b.mean('covered').mean)
      const least =
        weakest === undefined ? '' : `, least ${weakest.mean('covered').mean.toFixed(2)} (${weakest.world}),`
      return covers({ what: `Intervals of ${name} hold the truth${least} in`, hits, least: 0.92, most: 0.99, slack: 3 })
    }),
})
