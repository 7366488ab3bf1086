// primo study oracle-inequality (Thm 1, method#theory-checks): the error ||fhat - f*||_2 of the reward fit on imputed
// rows against N, uniform policy, linear class, next to the theorem's terms: sqrt(E), sqrt(E_miss), sqrt(E_bias) and
// both bounds.

import {
  buildEnvironment,
  type CovariateLaw,
  formatEstimate,
  formatNumber,
  referenceData,
  referenceStructure,
  type Summary,
} from '@primo/lab'
import type { StudyPlot, Verdict } from '@primo/lab/node'
import { linearRadius, theorem1 } from '@primo/theory'
import { type Curve, curve, curveOf, curveSeries, figuresOver } from '../runner/curves.js'
import type { Found } from '../runner/found.js'
import { level, power } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { below, doublings, near } from '../runner/statistics.js'
import type { CellOptions } from '../runner/study-spec.js'
import { type EnvironmentElasticities, environmentElasticities, type FilledBy } from './environment-elasticities.js'
import { type FreshSample, fitErrors, freshSample, type ImputedRows } from './imputed-reward-fit.js'

interface Configuration {
  readonly name: string
  readonly environment: string
  readonly covariateNoise: boolean
  readonly filledBy: FilledBy
  /** Errors of single runs of an independent implementation, by exponent of N. */
  readonly quoted?: Readonly<Record<number, number>>
}

const CONFIGURATIONS: readonly Configuration[] = [
  { name: 'no noise, no bias', environment: 'A', covariateNoise: false, filledBy: 'true mean' },
  {
    name: 'covariate noise only',
    environment: 'A',
    covariateNoise: true,
    filledBy: 'true mean',
    quoted: { 9: 0.0509, 11: 0.0251, 13: 0.0141, 15: 0.0065, 17: 0.0029 },
  },
  { name: 'bias only', environment: 'A', covariateNoise: false, filledBy: 'pretrained' },
  {
    name: 'bias and noise',
    environment: 'A',
    covariateNoise: true,
    filledBy: 'pretrained',
    quoted: { 9: 0.0577, 11: 0.036, 13: 0.025, 15: 0.0229, 17: 0.0221 },
  },
  {
    name: 'curvature (B)',
    environment: 'B',
    covariateNoise: true,
    filledBy: 'true mean',
    quoted: { 17: 0.0109 },
  },
  { name: 'MNAR, g = g*', environment: 'MNAR+4', covariateNoise: true, filledBy: 'true mean' },
]

const DELTA = 0.05
const FIT = 'fit'
/** Below 2^9 rows an action has fewer than 6 rows per parameter and the error starts steeper. */
const FIRST_READ = 2 ** 9
/** Halfway between flat and the parametric rate. */
const FLAT = -0.25
/** Rounding of the quoted figures. */
const ROUNDING = 0.0002

export interface OracleInequalitySize extends Readonly<Record<string, number>> {
  readonly repeats: number
  readonly lastExponent: number
  /** Rows of the fresh sample, and draws for the elasticities. */
  readonly fresh: number
}
export type ErrorsFound = Found<Configuration, OracleInequalitySize>

const sizesOf = ({ lastExponent }: OracleInequalitySize) => doublings(7, lastExponent)

function rowsOf({ environment, covariateNoise, filledBy }: Configuration): ImputedRows {
  const structure = referenceStructure(environment)
  const quiet: CovariateLaw = { kind: 'additive', eta: () => 0 }
  const own = structure.covariate!
  const covariate = covariateNoise ? own : { ...own, law: quiet }
  return {
    environment: buildEnvironment({ ...structure, covariate }),
    theta: referenceData(environment).theta,
    filledBy,
  }
}

interface Population {
  readonly rows: ImputedRows
  readonly fresh: FreshSample
  readonly elasticities: EnvironmentElasticities
}
const populations = new Map<string, Population>()

/** The same for all repeats, and dear: made once in a thread. */
function populationOf(
  configuration: Configuration,
  { seed, repeat, size }: CellOptions<OracleInequalitySize>,
): Population {
  // Never one of the seeds of the repeats.
  const apart = seed - repeat + 1_000_000
  const key = `${configuration.name} ${apart} ${size.fresh}`
  const known = populations.get(key)
  if (known !== undefined) return known
  const rows = rowsOf(configuration)
  const { filledBy } = configuration
  const population = {
    rows,
    fresh: freshSample(rows, size.fresh, apart),
    elasticities: environmentElasticities(rows.environment, { filledBy, draws: size.fresh, seed: apart + 1 }),
  }
  populations.set(key, population)
  return population
}

type Elasticities = Pick<EnvironmentElasticities, 'printed' | 'missingOnly' | 'bias' | 'biasUniform'>

interface Reading extends Configuration, Curve {
  readonly end: Summary
  /** Slope in log N from FIRST_READ on, and over the last two doublings. */
  readonly tail: Summary
  readonly lastRate: Summary
  /** The error for N -> infinity. */
  readonly limit: number
  readonly elasticities: Elasticities
}

export function readingsOf(found: ErrorsFound): readonly Reading[] {
  const x = sizesOf(found.size)
  const first = Math.max(0, Math.min(x.indexOf(FIRST_READ), x.length - 3))
  return found.worlds.map((one) => {
    const own = curveOf(found, { world: one.name, arm: FIT, x })
    const from = (start: number) =>
      curve(
        x.slice(start),
        own.values.map((values) => values.slice(start)),
      ).rate
    const of = (figure: string) => found.mean(one.name, FIT, figure).mean
    return {
      ...one,
      ...own,
      end: own.means.at(-1)!,
      tail: from(first),
      lastRate: from(x.length - 3),
      limit: of('limit'),
      elasticities: {
        printed: of('printed'),
        missingOnly: of('missingOnly'),
        bias: of('bias'),
        biasUniform: of('biasUniform'),
      },
    }
  })
}

/** Thm 1 with the elasticities at f*; infinite as printed without any elasticity (upsilon = 0, E7). */
function boundAt({ environment, elasticities: { printed, missingOnly, bias } }: Reading, rows: number) {
  const { theta, rewardNoise: lambda } = referenceData(environment)
  const rewardRadius = linearRadius({ dimension: theta.length * theta[0]!.length, rows }).radius
  const shared = { rows, rewardRadius, lambda, delta: DELTA }
  return {
    // upsilon = E is the choice that makes the printed bound smallest.
    printed:
      printed === 0
        ? Number.POSITIVE_INFINITY
        : theorem1({ ...shared, formulas: 'printed', elasticity: printed, upsilon: printed }).bound,
    corrected: theorem1({ ...shared, elasticity: missingOnly, biasElasticity: bias }).bound,
  }
}

const FORMULAS = ['printed', 'corrected'] as const

/** The first power of two at which the bound is below 1, the diameter of F. */
function firstUseful(reading: Reading, which: (typeof FORMULAS)[number]): string {
  const exponents = Array.from({ length: 54 }, (_, k) => 7 + k)
  const first = exponents.find((exponent) => boundAt(reading, 2 ** exponent)[which] < 1)
  return first === undefined ? 'more than 2^60' : `2^${first}`
}

/** The square root of an elasticity as text. */
function root(square: number): string {
  return square < 1e-20 ? '0' : formatNumber(Math.sqrt(square))
}

export function oracleInequalityVerdicts(found: ErrorsFound): readonly Verdict[] {
  const readings = readingsOf(found)
  const of = (name: string) => readings.find((reading) => reading.name === name)!
  const atN = `N = ${sizesOf(found.size).at(-1)!.toLocaleString('en')}`
  const [clean, noisy, example] = [of('no noise, no bias'), of('covariate noise only'), of('bias and noise')]
  const stays = Math.sqrt(noisy.elasticities.missingOnly)
  const parametric = ({ tail }: Reading) => near(tail, -0.5, 0.03)
  const figures = ({ tail, end }: Reading) => `slope ${formatEstimate(tail)}, error ${formatEstimate(end)} at ${atN}`
  const bounded = readings.filter(({ elasticities }) => elasticities.missingOnly > 0)
  const over = bounded.filter(({ end, elasticities }) => !below(end, Math.sqrt(elasticities.missingOnly)))
  const factors = FORMULAS.map((which) =>
    readings.flatMap((reading) =>
      reading.x
        .map((n, i) => boundAt(reading, n)[which] / Math.max(...reading.values.map((one) => one[i]!)))
        .filter(Number.isFinite),
    ),
  )
  const spans = factors.map((list) => `${formatNumber(Math.min(...list), 2)} to ${formatNumber(Math.max(...list), 2)}`)
  return [
    { held: parametric(clean), sentence: `No covariate noise, no bias: ${figures(clean)} (claimed: N^-1/2).` },
    {
      held: parametric(noisy) && below(noisy.end, stays / 2),
      sentence: `Covariate noise only (g = g*): as printed the bound keeps sqrt(E) = ${root(noisy.elasticities.printed)} (sqrt(E_miss) = ${formatNumber(stays)}) for ever, corrected (E46) nothing stays, E_bias = ${root(noisy.elasticities.bias)}; ${figures(noisy)} (claimed: N^-1/2, and below half of sqrt(E_miss)).`,
    },
    ...['bias only', 'bias and noise', 'curvature (B)', 'MNAR, g = g*'].map(of).map((reading) => {
      const { name, end, limit, lastRate, elasticities } = reading
      const bias = Math.sqrt(elasticities.bias)
      const under = below(end, bias) && limit <= bias && bias <= Math.sqrt(elasticities.missingOnly)
      return {
        held: lastRate.mean > FLAT && under,
        sentence: `${name}: ${formatEstimate(end)} at ${atN} (limit ${formatNumber(limit)}) against sqrt(E_bias) = ${formatNumber(bias)} and sqrt(E_miss) = ${root(elasticities.missingOnly)}, slope ${formatEstimate(lastRate)} over the last two doublings (claimed: flat, above ${FLAT}, at a level <= sqrt(E_bias) <= sqrt(E_miss)).`,
      }
    }),
    {
      held: over.length === 0,
      sentence: `error / sqrt(E_miss) at ${atN}: ${bounded.map(({ name, end, elasticities }) => `${name} ${formatNumber(end.mean / Math.sqrt(elasticities.missingOnly), 2)}`).join(', ')} (claimed: at most 1 for large N).`,
    },
    {
      held: factors.flat().every((factor) => factor >= 1),
      sentence: `Thm 1 as an upper bound with r_N = 16 sqrt(dim/N), delta = ${DELTA}: printed ${spans[0]} times and corrected ${spans[1]} times the largest error of any repeat (claimed: at least 1); below 1, the diameter of F, only from N = ${firstUseful(example, 'printed')} (printed) and ${firstUseful(example, 'corrected')} (corrected) on (${example.name}).`,
    },
    ...readings.flatMap(quotedVerdict),
  ]
}

/** A quoted figure is one run: its own standard deviation is that of a repeat. */
function quotedVerdict({ name, quoted = {}, x, means }: Reading): readonly Verdict[] {
  const compared = Object.entries(quoted).flatMap(([exponent, figure]) => {
    const summary = means[x.indexOf(2 ** Number(exponent))]
    return summary === undefined ? [] : [{ exponent, figure, ...summary }]
  })
  if (compared.length === 0) return []
  const far = compared.filter(({ mean, figure, standardError, count }) => {
    return Math.abs(mean - figure) > ROUNDING + 3 * standardError * Math.sqrt(1 + count)
  })
  return [
    {
      held: far.length === 0,
      sentence: `${name}: ${compared.length - far.length} of ${compared.length} quoted single runs lie within three standard deviations (N = ${compared.map(({ exponent }) => `2^${exponent}`).join(', ')}).`,
    },
  ]
}

export const oracleInequality = defineStudy<Configuration, OracleInequalitySize>({
  name: 'oracle-inequality',
  title: 'Theorem 1: the error of the reward fit on imputed rows',
  claim:
    'The reward fit errs by at most its own rate plus the square root of the elasticity; only the imputer’s bias stays, covariate noise does not.',
  full: { repeats: 30, lastExponent: 17, fresh: 2 ** 18 },
  quick: { repeats: 8, lastExponent: 16, fresh: 2 ** 16 },
  worlds: () => CONFIGURATIONS,
  measure: (configuration, options) => {
    const { rows, fresh, elasticities } = populationOf(configuration, options)
    const sizes = sizesOf(options.size)
    const errors = fitErrors(rows, fresh, sizes, options.seed)
    const { printed, missingOnly, bias, biasUniform } = elasticities
    const constants = { limit: fresh.errorLimit, printed, missingOnly, bias, biasUniform }
    return { [FIT]: { ...figuresOver(sizes, (n) => errors[sizes.indexOf(n)]!), ...constants } }
  },
  tables: (found) => {
    const readings = readingsOf(found)
    const constant = (title: string, of: (reading: Reading) => number) => [
      title,
      ...readings.map((reading) => root(of(reading))),
    ]
    return [
      {
        title: '||fhat - f*|| on a fresh sample, mean ± standard error over repeats',
        header: ['N', ...readings.map(({ name }) => name)],
        rows: [
          ...sizesOf(found.size).map((n, i) => [
            n.toLocaleString('en'),
            ...readings.map(({ means }) => formatEstimate(means[i]!)),
          ]),
          constant('limit', ({ limit }) => limit ** 2),
          constant('sqrt(E_bias)', ({ elasticities }) => elasticities.bias),
          constant('the same, mean over actions', ({ elasticities }) => elasticities.biasUniform),
          constant('sqrt(E_miss)', ({ elasticities }) => elasticities.missingOnly),
          constant('sqrt(E) printed', ({ elasticities }) => elasticities.printed),
          ['slope in log N', ...readings.map(({ tail }) => formatEstimate(tail))],
          ...FORMULAS.map((which) => [
            `Thm 1 at the largest N, ${which}`,
            ...readings.map((reading) => {
              const bound = boundAt(reading, reading.x.at(-1)!)[which]
              return Number.isFinite(bound) ? formatNumber(bound) : 'none'
            }),
          ]),
        ],
      },
    ]
  },
  plots: (found) => {
    const readings = readingsOf(found)
    const plot = (title: string, some: readonly Reading[], levels: StudyPlot['series']): StudyPlot => {
      const { x, means } = some[0]!
      const fall = power('N^-1/2', x, -0.5, [x[2]!, means[2]!.mean])
      const series = [...some.map((reading) => curveSeries(reading.name, reading)), fall, ...levels]
      return { title, xLabel: 'rows N', yLabel: '||fhat - f*||', xLog: true, yLog: true, series }
    }
    const levelOf = ({ name, x, elasticities }: Reading, which: 'missingOnly' | 'bias') =>
      level(`${which === 'bias' ? 'sqrt(E_bias)' : 'sqrt(E_miss)'}, ${name}`, x, Math.sqrt(elasticities[which]))
    return [
      plot('Error of the reward fit without bias', readings.slice(0, 2), [levelOf(readings[1]!, 'missingOnly')]),
      plot(
        'Error of the reward fit with bias',
        readings.slice(2),
        readings.slice(3).map((reading) => levelOf(reading, 'bias')),
      ),
    ]
  },
  verdicts: oracleInequalityVerdicts,
})
