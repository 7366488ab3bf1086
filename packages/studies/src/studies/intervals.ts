// Whether the 95% intervals that the product shows hold the truth as often as they say, from few observed values to many, and how
// often an interval is withheld: figures of calibration and elasticity on tables with known constants, values of policies on a log with
// peaked propensities, and the value of observing in a report of a run in environment A.

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
  formatFixed,
  scenarioFromName,
  simulate,
  worldOf,
} from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { drawTable, intervalWorlds, settle } from './interval-worlds.js'
import { drawPeakedLog, peakedValue } from './peaked-log.js'

/** One row of the table: an interval in one setting. */
interface Coverage {
  readonly figure: string
  readonly setting: string
  asked: number
  shown: number
  held: number
}

const LEAST = 0.92
const MOST = 0.99
const DESIGNS = [
  { rows: 300, share: 0.3 },
  { rows: 600, share: 0.5 },
  { rows: 600, share: 0.9 },
  { rows: 4000, share: 0.01 },
  { rows: 4000, share: 0.02 },
  { rows: 4000, share: 0.05 },
  { rows: 10_000, share: 0.2 },
]
const ESTIMATORS = ['ips', 'clipped-ips', 'snips', 'dr'] as const

async function run({ scale, seed, onProgress }: StudyOptions): Promise<StudyResult> {
  const repeats = scale === 'quick' ? 12 : 300
  const found = new Map<string, Coverage>()
  const count = (figure: string, setting: string, truth: number, interval: readonly [number, number] | null) => {
    const key = `${setting} ${figure}`
    const one = found.get(key) ?? { figure, setting, asked: 0, shown: 0, held: 0 }
    found.set(key, one)
    one.asked++
    if (interval === null) return
    one.shown++
    if (interval[0] <= truth && truth <= interval[1]) one.held++
  }
  const designs = scale === 'quick' ? DESIGNS.filter(({ rows }) => rows <= 4000) : DESIGNS
  const steps = intervalWorlds.length * designs.length + 2
  let done = 0
  const next = async () => {
    onProgress?.(++done / steps)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const world of intervalWorlds) {
    for (const { rows, share } of designs) {
      const { intercept, truths } = settle(world, share)
      const setting = `${world.name}, ${rows.toLocaleString('en')} rows, ${100 * share}% observed`
      for (let k = 0; k < repeats; k++) {
        const random = Random.fromSeed(seed).split('intervals', world.name, rows, share, k)
        const { error, ...table } = drawTable(world, intercept, rows, random)
        const seen = table.observed.reduce((sum, b) => sum + b, 0)
        if (Math.min(seen, rows - seen) < 5) continue
        const shared = { ...table, random: random.split('folds'), nuisances: crossFit(table, { random }) }
        const { maxInside, missingOnly, bias } = estimateElasticity({ ...shared, actions: 1, differences: error })
        const ends = (one: { lower: number; upper: number; unsupported: object | null }) =>
          one.unsupported === null ? ([one.lower, one.upper] as const) : null
        count('squared error', setting, truths.meanSquare, ends(maxInside))
        count('squared error of missing rows', setting, truths.missingSquare, ends(missingOnly))
        count('E_bias, upper limit', setting, truths.missingBias, ends({ ...bias, lower: 0, upper: bias.upperLimit }))
        const covariate = error
        const constants = estimateCovariateConstants({ ...shared, covariate, pretrained: new Float64Array(rows) })
        const { unsupported } = constants
        count('delta0', setting, truths.delta0, ends({ ...constants.delta0, unsupported }))
        count('omega0', setting, truths.omega0, ends({ ...constants.omega0, unsupported }))
        const { fitted } = shared.nuisances.regression(error)
        const { observed } = table
        const { probabilities } = shared.nuisances
        const mean = missingMean({ values: error, observed, probabilities, regression: fitted, scale: 'linear' })
        count('bias', setting, truths.bias, ends(mean))
      }
      await next()
    }
  }
  const value = peakedValue()
  for (let k = 0; k < 4 * repeats; k++) {
    const { choices, target, rewards } = drawPeakedLog(2000, Random.fromSeed(seed).split('peaked', k))
    const options = { rewards, replicates: 0, seed: k, estimators: ESTIMATORS }
    for (const { estimator, asymptotic } of evaluatePolicy('peaked', choices, target, options).evaluation.estimates)
      count(`value by ${estimator}`, 'peaked log, 2,000 rows', value, asymptotic && [asymptotic.low, asymptotic.high])
  }
  await next()
  const { truth, interval } = valueOfObserving(seed)
  for (let k = 0; k < (scale === 'quick' ? 6 : 150); k++)
    count('value of observing', 'environment A', truth, interval(k))
  await next()
  const all = [...found.values()]
  return {
    settings: { scale, repeats, seed },
    tables: [
      {
        title: 'Share of 95% intervals that hold the truth, of those shown',
        header: ['figure', 'setting', 'shown', 'hold the truth'],
        rows: all.map(({ figure, setting, asked, shown, held }) => [
          figure,
          setting,
          `${shown} of ${asked}`,
          shown === 0 ? '-' : formatFixed(held / shown, 3),
        ]),
      },
    ],
    plots: [],
    verdicts: verdicts(all),
  }
}

/** Of a missing value in environment A, 4,096 rounds into a run, in the reward's units. */
function valueOfObserving(seed: number) {
  const environment = createEnvironment(scenarioFromName('A'))
  const { floorPerRound, missingShare } = environmentConstants(environment)
  const engine = createEngine(environment.problem, {
    profile: 'robust',
    oracle: { interactions: environment.interactions },
  })
  const interval = (k: number): readonly [number, number] | null => {
    const world = worldOf(environment, seed + k, 4096)
    const { state, rounds } = simulate({ engine, world, seed: seed + k })
    const mean = epochReport(state, rounds, engine).covariates[0]?.valueOfObserving?.mean
    return mean == null || mean.lower === null || mean.upper === null ? null : [mean.lower, mean.upper]
  }
  return { truth: floorPerRound.value / missingShare.value, interval }
}

/** By figure over its settings, within three standard errors; settings that show an interval in under a tenth of the tables are left out. */
function verdicts(all: readonly Coverage[]): readonly Verdict[] {
  return [...new Set(all.map(({ figure }) => figure))].map((figure) => {
    const own = all.filter((one) => one.figure === figure && one.shown > 0.1 * one.asked)
    const shown = own.reduce((sum, one) => sum + one.shown, 0)
    const share = shown === 0 ? 0 : own.reduce((sum, one) => sum + one.held, 0) / shown
    const slack = 3 * Math.sqrt((0.95 * 0.05) / Math.max(1, shown))
    const weakest = [...own].sort((one, two) => one.held / one.shown - two.held / two.shown)[0]
    const least = weakest === undefined ? '' : `; least: ${weakest.held} of ${weakest.shown}, ${weakest.setting}`
    return {
      held: share >= LEAST - slack && share <= Math.min(1, MOST + slack),
      sentence: `Intervals of ${figure} hold the truth in ${formatFixed(100 * share, 1)}% of ${shown} tables or logs that show one (${100 * LEAST} to ${100 * MOST}%, within three standard errors${least}).`,
    }
  })
}

export const intervals: Study = {
  name: 'intervals',
  title: 'Coverage of every interval',
  claim:
    'Intervals of 95% hold the truth in 92% to 99% of cases wherever they are shown, from 300 to 10,000 rows and from 1% to 90% observed, and are withheld where the data cannot support them.',
  run,
}
