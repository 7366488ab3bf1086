// primo study regret-elasticity (Thm 2): the price of the imputer's error per round, against the square root of the
// elasticity. Environment A, PRIMO with all data and c = 100 (exploration small), the imputer's bias turned from 0 to
// 3, under MCAR, MAR and MNAR of either sign. The cost is the regret per round of the last half minus that of the
// policy that sees all values, paired by seed: that policy pays the theorem's other terms (exploration, reward fit),
// so the rest is what the linear term must cover, including the unavoidable regret.

import {
  createEnvironment,
  formatEstimate,
  formatNumber,
  type ReferenceScenario,
  referenceData,
  type Summary,
  slope,
  summarise,
} from '@primo/lab'
import type { StudyPlot, Verdict } from '@primo/lab/node'
import type { Found } from '../runner/found.js'
import { blocksOf, play } from '../runner/play.js'
import { bandPoints } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { above, below, paired } from '../runner/statistics.js'
import type { CellOptions, Figures } from '../runner/study-spec.js'
import { type EnvironmentElasticities, environmentElasticities } from './environment-elasticities.js'
import { referencePolicies } from './reference-policies.js'

const MECHANISMS: Readonly<Record<string, NonNullable<ReferenceScenario['missingness']>>> = {
  MCAR: { kind: 'mcar', share: 0.5 },
  MAR: { kind: 'mar' },
  'MNAR +4': { kind: 'mnar', mnarStrength: 4 },
  'MNAR -4': { kind: 'mnar', mnarStrength: -4 },
}
const BIASES = [0, 0.5, 1, 1.5, 2, 3]
/** Of the practical gamma. */
const C = 100
const SEEING = 'sees all values'
const ROOT_K = Math.sqrt(referenceData('A').theta.length)
/** As good as nothing beside sqrt(K) sqrt(E_miss). */
const SMALL = 0.02

interface ElasticityWorld {
  readonly name: string
  readonly mechanism: string
  readonly bias: number
  readonly scenario: ReferenceScenario
}
interface ElasticitySize extends Readonly<Record<string, number>> {
  readonly repeats: number
  /** A power of two. */
  readonly rounds: number
  /** For the elasticities. */
  readonly draws: number
}
export type ElasticityFound = Found<ElasticityWorld, ElasticitySize>

const WORLDS: readonly ElasticityWorld[] = Object.entries(MECHANISMS).flatMap(([mechanism, missingness]) =>
  BIASES.map((bias) => {
    const name = `${mechanism}, bias ${bias}`
    const scenario = { kind: 'reference', environment: 'A', name, missingness, imputer: { bias } } as const
    return { name, mechanism, bias, scenario }
  }),
)

const known = new Map<string, EnvironmentElasticities>()

/** Of the last half of the rounds, per round. */
function lastHalf(figures: Figures, rounds: number): Figures {
  const rate = (name: string) => (figures[name]! - figures[`${name} ${rounds / 2}`]!) / (rounds / 2)
  return { regret: rate('regret'), floor: rate('floor') }
}

function measure(world: ElasticityWorld, { seed, repeat, size }: CellOptions<ElasticitySize>) {
  const { policy } = referencePolicies(referenceData('A'))
  const settings = { profile: 'primo', window: 'all', gamma: { kind: 'practical', c: C } } as const
  const environment = createEnvironment(world.scenario)
  const apart = seed - repeat + 1_000_000
  const key = `${world.name} ${apart} ${size.draws}`
  const elasticities = known.get(key) ?? environmentElasticities(environment, { draws: size.draws, seed: apart })
  known.set(key, elasticities)
  const { printed, missingOnly, bias } = elasticities
  // A policy that sees all values does not depend on what is missing or how it is filled: one world is enough.
  const policies = [policy('primo', settings), ...(world === WORLDS[0] ? [policy(SEEING, settings, 'truth')] : [])]
  const blocks = blocksOf(environment, seed, size.rounds)
  const cell = play({ environment, blocks, policies, seed, marks: [size.rounds / 2] })
  return Object.fromEntries(
    Object.entries(cell).map(([name, figures]) => [
      name,
      { ...lastHalf(figures, size.rounds), printed, missingOnly, bias },
    ]),
  )
}

interface Reading extends ElasticityWorld {
  readonly costs: readonly number[]
  readonly cost: Summary
  readonly total: Summary
  readonly floor: Summary
  /** Cost beyond the unavoidable regret. */
  readonly beyond: Summary
  readonly rootPrinted: number
  readonly rootMissing: number
  readonly rootBias: number
}

interface Line {
  readonly mechanism: string
  /** In the order of E_miss. */
  readonly readings: readonly Reading[]
  /** Of the cost on sqrt(E_miss), over the imputers. */
  readonly slope: Summary
  readonly intercept: Summary
}

function linesOf(found: ElasticityFound): readonly Line[] {
  const seeing = found.values(found.worlds[0]!.name, SEEING, 'regret')
  const readings = found.worlds.map((world): Reading => {
    const { values, mean } = found.place(world.name, 'primo')
    const costs = paired([values('regret'), seeing], (regret, other) => regret - other)
    return {
      ...world,
      costs,
      cost: summarise(costs),
      total: mean('regret'),
      floor: mean('floor'),
      beyond: summarise(paired([costs, values('floor')], (cost, floor) => cost - floor)),
      rootPrinted: Math.sqrt(mean('printed').mean),
      rootMissing: Math.sqrt(mean('missingOnly').mean),
      rootBias: Math.sqrt(mean('bias').mean),
    }
  })
  return [...new Set(readings.map(({ mechanism }) => mechanism))].map((mechanism) => {
    const own = readings
      .filter((reading) => reading.mechanism === mechanism)
      .sort((a, b) => a.rootMissing - b.rootMissing)
    const roots = own.map(({ rootMissing }) => rootMissing)
    const bySeed = own[0]!.costs.map((_, seed) => own.map(({ costs }) => costs[seed]!))
    const slopes = bySeed.map((costs) => slope(roots, costs))
    const centre = summarise(roots).mean
    const intercept = summarise(bySeed.map((costs, seed) => summarise(costs).mean - slopes[seed]! * centre))
    return { mechanism, readings: own, slope: summarise(slopes), intercept }
  })
}

function span(values: readonly number[]): string {
  return `${formatNumber(Math.min(...values), 2)} to ${formatNumber(Math.max(...values), 2)}`
}

/** Steps at which the cost falls by three standard errors although the elasticity rises. */
function falls(readings: readonly Reading[], of: (reading: Reading) => number): readonly string[] {
  const ordered = readings.toSorted((a, b) => of(a) - of(b))
  return ordered.slice(1).flatMap((to, i) => {
    const from = ordered[i]!
    const step = summarise(paired([to.costs, from.costs], (after, before) => after - before))
    return below(step, 0) ? [`${to.mechanism}, bias ${from.bias} to ${to.bias}`] : []
  })
}

export function regretElasticityVerdicts(found: ElasticityFound): readonly Verdict[] {
  const lines = linesOf(found)
  const readings = lines.flatMap((line) => line.readings)
  const term = ({ rootMissing }: Reading) => ROOT_K * rootMissing
  const over = readings.filter((reading) => !below(reading.total, term(reading)))
  const [printed, missing] = [({ rootPrinted }: Reading) => rootPrinted, ({ rootMissing }: Reading) => rootMissing].map(
    (of) => lines.flatMap((line) => falls(line.readings, of)),
  )
  const unbiased = readings.filter(({ rootBias }) => rootBias < 1e-9)
  const biased = readings.filter(({ rootBias }) => rootBias >= 1e-9)
  const corrected =
    unbiased.every((reading) => below(reading.beyond, SMALL * term(reading))) &&
    biased.every(({ beyond, rootBias }) => below(beyond, ROOT_K * rootBias))
  const names = (list: readonly string[]) => (list.length === 0 ? '' : ` (${list.join('; ')})`)
  return [
    ...lines.map(({ mechanism, readings: own, ...line }) => {
      const [first, last] = [own[0]!, own.at(-1)!]
      const rise = summarise(paired([last.costs, first.costs], (after, before) => after - before))
      const steps = falls(own, missingRoot)
      return {
        held: steps.length === 0 && above(rise, 0),
        sentence: `${mechanism}: over ${own.length} imputers sqrt(E_miss) goes from ${formatNumber(first.rootMissing)} to ${formatNumber(last.rootMissing)} and the cost per round from ${formatEstimate(first.cost)} to ${formatEstimate(last.cost)}, slope ${formatEstimate(line.slope)}, intercept ${formatEstimate(line.intercept)} (claimed: it grows, and no step falls by three standard errors${names(steps)}).`,
      }
    }),
    {
      held: over.length === 0,
      sentence: `The linear term sqrt(K) sqrt(E) T: the whole regret per round is ${span(readings.map(({ total, rootPrinted }) => total.mean / (ROOT_K * rootPrinted)))} of it as printed and ${span(readings.map((reading) => reading.total.mean / term(reading)))} of it with E_miss; the cost alone is ${span(readings.map((reading) => reading.cost.mean / term(reading)))} of that (claimed: below 1${names(over.map(({ name }) => name))}).`,
    },
    {
      held: missing!.length === 0,
      sentence: `Steps at which the cost falls as E rises: ${printed!.length} with the printed E${names(printed!)}, ${missing!.length} with E_miss over the missing rows (E6; claimed: none).`,
    },
    {
      held: corrected,
      sentence: `Corrected linear term, unavoidable + sqrt(K) sqrt(E_bias) (E46): with no bias the cost beyond the unavoidable regret is ${unbiased.map(({ beyond }) => formatEstimate(beyond)).join(' and ')} per round although sqrt(K) sqrt(E) as printed stays at ${formatNumber(ROOT_K * Math.max(...unbiased.map(({ rootPrinted }) => rootPrinted)))}; with bias it is ${span(biased.map(({ beyond, rootBias }) => beyond.mean / (ROOT_K * rootBias)))} of sqrt(K) sqrt(E_bias) (claimed: nothing, and below 1).`,
    },
  ]
}

const missingRoot = ({ rootMissing }: Reading) => rootMissing

export const regretElasticity = defineStudy<ElasticityWorld, ElasticitySize>({
  name: 'regret-elasticity',
  title: 'Theorem 2: regret against the square root of the elasticity',
  claim:
    'Whatever the mechanism, what imputation costs per round grows with the square root of the elasticity and stays below sqrt(K) times it.',
  full: { repeats: 12, rounds: 2 ** 17, draws: 2 ** 18 },
  quick: { repeats: 5, rounds: 2 ** 14, draws: 2 ** 15 },
  worlds: () => WORLDS,
  measure,
  tables: (found) => [
    {
      title: 'Per round of the last half',
      header: [
        'mechanism',
        'bias',
        'sqrt(E) printed',
        'sqrt(E_miss)',
        'sqrt(E_bias)',
        'regret',
        'cost (minus sees all values)',
        'unavoidable',
        'cost / sqrt(K E_miss)',
      ],
      rows: linesOf(found).flatMap(({ mechanism, readings }) =>
        readings.map((reading) => [
          mechanism,
          String(reading.bias),
          ...[reading.rootPrinted, reading.rootMissing, reading.rootBias].map((value) => formatNumber(value)),
          ...[reading.total, reading.cost, reading.floor].map((value) => formatEstimate(value)),
          formatNumber(reading.cost.mean / (ROOT_K * reading.rootMissing), 2),
        ]),
      ),
    },
  ],
  plots: (found) => {
    const lines = linesOf(found)
    const series = lines.map(({ mechanism, readings }) => ({
      name: mechanism,
      points: bandPoints(
        readings.map(({ rootMissing }) => rootMissing),
        readings.map(({ cost }) => cost),
      ),
    }))
    const roots = lines.flatMap(({ readings }) => readings.map(({ rootMissing }) => rootMissing))
    const ends = [Math.min(...roots), Math.max(...roots)].map((x) => ({ x, y: ROOT_K * x }))
    const plot = { title: 'Cost of imputation', xLabel: 'sqrt(E_miss)', yLabel: 'cost per round' }
    return [
      { ...plot, title: `${plot.title} against the square root of the elasticity`, series },
      {
        ...plot,
        title: `${plot.title} against the theorem’s linear term`,
        yLog: true,
        series: [...series, { name: 'sqrt(K) sqrt(E_miss)', dashed: true, points: ends }],
      },
    ] satisfies StudyPlot[]
  },
  verdicts: regretElasticityVerdicts,
})
