// What the error curves say about Thm 1: rates, levels against the elasticities, and the bounds as upper bounds.

import type { Summary } from '@primo/lab'
import { formatEstimate, formatNumber } from '@primo/lab'
import type { Verdict } from '@primo/lab/node'
import { boundsAt, type ConfigurationName, DELTA, type ErrorCurve } from './oracle-inequality-curves.js'
import { below, near, rateOf, summariesOf } from './rate-figures.js'

/** Below 2^9 rows an action has fewer than 6 rows per parameter and the error starts steeper. */
const FIRST_READ = 2 ** 9

export interface Reading extends ErrorCurve {
  readonly means: readonly Summary[]
  readonly last: Summary
  /** Slope in log N from FIRST_READ on. */
  readonly rate: Summary
  /** The same over the last two doublings. */
  readonly lastRate: Summary
}

export function read(curve: ErrorCurve): Reading {
  const { sizes, errors } = curve
  const means = summariesOf(errors)
  const from = Math.max(0, Math.min(sizes.indexOf(FIRST_READ), sizes.length - 3))
  const tail = (start: number) =>
    rateOf(
      sizes.slice(start),
      errors.map((one) => one.slice(start)),
    )
  return { ...curve, means, last: means.at(-1)!, rate: tail(from), lastRate: tail(sizes.length - 3) }
}

export function oracleInequalityVerdicts(curves: readonly ErrorCurve[]): readonly Verdict[] {
  const readings = curves.map(read)
  const of = (name: ConfigurationName) => readings.find((reading) => reading.name === name)!
  const largestN = curves[0]!.sizes.at(-1)!
  const atN = `N = ${largestN.toLocaleString('en')}`
  return [
    cleanVerdict(of('no noise, no bias'), atN),
    noiseVerdict(of('covariate noise only'), atN),
    ...(['bias only', 'bias and noise', 'curvature (B)', 'MNAR, g = g*'] as const).map((name) =>
      biasVerdict(of(name), atN),
    ),
    ratioVerdict(readings, atN),
    boundVerdict(readings, of('bias and noise')),
  ]
}

/** Halfway between flat and the parametric rate. */
const FLAT = -0.25
const HALF_RATE = { claimed: -0.5, tolerance: 0.03 }

function cleanVerdict({ rate, last }: Reading, atN: string): Verdict {
  const held = near(rate, HALF_RATE.claimed, HALF_RATE.tolerance)
  return {
    held,
    sentence: `No covariate noise, no bias: claimed the parametric rate N^-1/2; measured slope ${formatEstimate(rate)}, error ${formatEstimate(last)} at ${atN}: ${held ? 'holds' : 'does NOT hold'}.`,
  }
}

function noiseVerdict({ rate, last, elasticities }: Reading, atN: string): Verdict {
  const stays = Math.sqrt(elasticities.missingOnly)
  const held = near(rate, HALF_RATE.claimed, HALF_RATE.tolerance) && below(last, stays / 2)
  const figures = `slope ${formatEstimate(rate)}, error ${formatEstimate(last)} at ${atN}, ${formatNumber(stays / last.mean, 2)} times below sqrt(E_miss)`
  return {
    held,
    sentence: `Covariate noise only (g = g*): as printed the bound keeps sqrt(E) = ${formatNumber(Math.sqrt(elasticities.printed))} (sqrt(E_miss) = ${formatNumber(stays)}) for ever, corrected (E46) nothing stays since E_bias = ${root(elasticities.bias)}; measured ${figures}: ${held ? 'the printed term stays while the error falls like N^-1/2; the correction holds' : 'the correction does NOT hold'}.`,
  }
}

function biasVerdict({ name, last, limit, lastRate, elasticities }: Reading, atN: string): Verdict {
  const bias = Math.sqrt(elasticities.bias)
  const miss = Math.sqrt(elasticities.missingOnly)
  const flat = lastRate.mean > FLAT
  const under = below(last, bias) && limit <= bias && bias <= miss
  const held = flat && under
  const order = `${formatEstimate(last)} at ${atN} (its limit ${formatNumber(limit)}) against sqrt(E_bias) = ${formatNumber(bias)} and sqrt(E_miss) = ${formatNumber(miss)}`
  return {
    held,
    sentence: `${sentenceCase(name)}: claimed to flatten at a level <= sqrt(E_bias) <= sqrt(E_miss); measured ${order}, slope ${formatEstimate(lastRate)} over the last two doublings (flat: above ${FLAT}): ${held ? 'holds' : `does NOT hold${flat ? '' : ' (not flat yet)'}`}.`,
  }
}

function ratioVerdict(readings: readonly Reading[], atN: string): Verdict {
  const bounded = readings.filter(({ elasticities }) => elasticities.missingOnly > 0)
  const ratios = bounded.map(({ name, sizes, means, last, elasticities }) => {
    const root = Math.sqrt(elasticities.missingOnly)
    const over = means.findLastIndex(({ mean }) => mean > root)
    return { name, root, last, ratio: last.mean / root, from: sizes[over + 1] }
  })
  const held = ratios.every(({ last, root }) => below(last, root))
  const from = ratios.map(({ from }) => from ?? Number.POSITIVE_INFINITY)
  return {
    held,
    sentence: `error / sqrt(E_miss), claimed <= 1 for large N in every configuration with E_miss > 0: ${ratios.map(({ name, ratio }) => `${name} ${formatNumber(ratio, 2)}`).join(', ')} at ${atN}; ${held ? `holds, in all of them from N = ${Math.max(...from).toLocaleString('en')} on` : 'does NOT hold'}.`,
  }
}

function boundVerdict(readings: readonly Reading[], example: Reading): Verdict {
  const factors = (which: 'printed' | 'corrected') =>
    readings.flatMap((reading) =>
      reading[which].flatMap((bound, i) =>
        bound === null ? [] : [bound / Math.max(...reading.errors.map((one) => one[i]!))],
      ),
    )
  const printed = factors('printed')
  const corrected = factors('corrected')
  const held = Math.min(...printed, ...corrected) >= 1
  const infinite = readings.filter((reading) => reading.printed.some((bound) => bound === null))
  const span = (values: readonly number[]) =>
    `${formatNumber(Math.min(...values), 2)} to ${formatNumber(Math.max(...values), 2)}`
  return {
    held,
    sentence: `Thm 1 as an upper bound with r_N = 16 sqrt(dim/N), delta = ${DELTA}: printed ${span(printed)} times and corrected ${span(corrected)} times the largest error of any repetition, over all sizes and configurations${infinite.length === 0 ? '' : ` (printed infinite for "${infinite.map(({ name }) => name).join('", "')}": upsilon = 0, E7)`}; ${held ? 'both are upper bounds' : 'NOT an upper bound everywhere'}; they fall below 1, the diameter of F, only from N = ${firstUseful(example, 'printed')} (printed) and ${firstUseful(example, 'corrected')} (corrected) on (${example.name}).`,
  }
}

/** The first power of two at which the bound says something. */
function firstUseful({ environment, elasticities }: ErrorCurve, which: 'printed' | 'corrected'): string {
  for (let exponent = 7; exponent <= 60; exponent++) {
    const bound = boundsAt(environment, elasticities, 2 ** exponent)[which]
    if (bound !== null && bound < 1) return `2^${exponent}`
  }
  return 'more than 2^60'
}

/** The square root of an elasticity as text. */
export function root(square: number): string {
  return square < 1e-20 ? '0' : formatNumber(Math.sqrt(square))
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
