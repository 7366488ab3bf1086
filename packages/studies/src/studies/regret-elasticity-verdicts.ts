// What the points say about Thm 2: growth with sqrt(E), the linear term and its constant, and which elasticity it is (E6, E46).

import { formatEstimate, formatNumber, referenceData, type Summary, slope, summarise } from '@primo/lab'
import type { Verdict } from '@primo/lab/node'
import { above, below, paired } from './rate-figures.js'
import type { ElasticityPoint } from './regret-elasticity-points.js'

interface Reading extends ElasticityPoint {
  readonly costs: readonly number[]
  readonly cost: Summary
  readonly total: Summary
  /** Cost beyond the unavoidable regret. */
  readonly beyond: Summary
  readonly rootPrinted: number
  readonly rootMissing: number
  readonly rootBias: number
}

function read(point: ElasticityPoint): Reading {
  const costs = paired([point.regret, point.seeing], (regret, seeing) => regret - seeing)
  return {
    ...point,
    costs,
    cost: summarise(costs),
    total: summarise(point.regret),
    beyond: summarise(paired([costs, point.floor], (cost, floor) => cost - floor)),
    rootPrinted: Math.sqrt(point.elasticities.printed),
    rootMissing: Math.sqrt(point.elasticities.missingOnly),
    rootBias: Math.sqrt(point.elasticities.bias),
  }
}

export interface Line {
  readonly mechanism: string
  /** In the order of E_miss. */
  readonly readings: readonly Reading[]
  /** Of the cost on sqrt(E_miss), over the imputers. */
  readonly slope: Summary
  readonly intercept: Summary
  /** Cost / (sqrt(K) sqrt(E_miss)). */
  readonly constants: readonly number[]
}

export function linesOf(points: readonly ElasticityPoint[]): readonly Line[] {
  const mechanisms = [...new Set(points.map(({ mechanism }) => mechanism))]
  return mechanisms.map((mechanism) => {
    const readings = points
      .filter((point) => point.mechanism === mechanism)
      .map(read)
      .sort((a, b) => a.rootMissing - b.rootMissing)
    const roots = readings.map(({ rootMissing }) => rootMissing)
    const bySeed = readings[0]!.costs.map((_, seed) => readings.map(({ costs }) => costs[seed]!))
    const slopes = bySeed.map((costs) => slope(roots, costs))
    const centre = summarise(roots).mean
    return {
      mechanism,
      readings,
      slope: summarise(slopes),
      intercept: summarise(bySeed.map((costs, seed) => summarise(costs).mean - slopes[seed]! * centre)),
      constants: readings.map(({ cost, rootMissing }) => cost.mean / (ROOT_K * rootMissing)),
    }
  })
}

export const ROOT_K = Math.sqrt(referenceData('A').theta.length)

export function regretElasticityVerdicts(points: readonly ElasticityPoint[]): readonly Verdict[] {
  const lines = linesOf(points)
  return [...lines.map(growthVerdict), termVerdict(lines), indexVerdict(lines), biasVerdict(lines)]
}

function growthVerdict({ mechanism, readings, slope, intercept }: Line): Verdict {
  const step = (from: Reading, to: Reading) =>
    summarise(paired([to.costs, from.costs], (after, before) => after - before))
  const first = readings[0]!
  const last = readings.at(-1)!
  const falls = readings.slice(1).filter((reading, i) => below(step(readings[i]!, reading), 0))
  const held = falls.length === 0 && above(step(first, last), 0)
  return {
    held,
    sentence: `${mechanism}: claimed that regret grows with sqrt(E); over ${readings.length} imputers sqrt(E_miss) goes from ${formatNumber(first.rootMissing)} to ${formatNumber(last.rootMissing)} and the cost per round from ${formatEstimate(first.cost)} to ${formatEstimate(last.cost)}, slope ${formatEstimate(slope)}, intercept ${formatEstimate(intercept)}; ${falls.length === 0 ? 'no step falls by three standard errors' : `it FALLS at bias ${falls.map(({ bias }) => bias).join(', ')}`}: ${held ? 'holds' : 'does NOT hold'}.`,
  }
}

function termVerdict(lines: readonly Line[]): Verdict {
  const readings = lines.flatMap((line) => line.readings)
  const over = readings.filter(({ total, rootMissing }) => !below(total, ROOT_K * rootMissing))
  const share = readings.map(({ total, rootMissing }) => total.mean / (ROOT_K * rootMissing))
  const shareOfPrinted = readings.map(({ total, rootPrinted }) => total.mean / (ROOT_K * rootPrinted))
  const constants = lines.flatMap((line) => line.constants)
  const held = over.length === 0
  return {
    held,
    sentence: `The linear term sqrt(K) sqrt(E) T, claimed to bound what imputation costs under any mechanism: the whole regret per round is ${span(shareOfPrinted)} of it as printed and ${span(share)} of it with E_miss; the cost alone is ${span(constants)} sqrt(K) sqrt(E_miss), so the constant is near ${formatNumber(summarise(constants).mean, 2)} where the theorem has one of order 1: ${held ? 'holds' : `does NOT hold for ${over.map(({ mechanism, bias }) => `${mechanism} at bias ${bias}`).join(', ')}`}.`,
  }
}

/** E6: rows that are observed do not matter, so E can rise while the cost falls. */
function indexVerdict(lines: readonly Line[]): Verdict {
  const wrong = (root: (reading: Reading) => number) =>
    lines.flatMap(({ mechanism, readings }) => {
      const ordered = [...readings].sort((a, b) => root(a) - root(b))
      return ordered.slice(1).flatMap((to, i) => {
        const from = ordered[i]!
        const step = summarise(paired([to.costs, from.costs], (after, before) => after - before))
        return below(step, 0) ? [{ mechanism, from, to }] : []
      })
    })
  const printed = wrong(({ rootPrinted }) => rootPrinted)
  const missing = wrong(({ rootMissing }) => rootMissing)
  const held = missing.length === 0
  const where = printed.map(
    ({ mechanism, from, to }) =>
      `${mechanism}, bias ${from.bias} to ${to.bias}: sqrt(E) ${formatNumber(from.rootPrinted)} to ${formatNumber(to.rootPrinted)}, cost ${formatEstimate(from.cost)} to ${formatEstimate(to.cost)}`,
  )
  return {
    held,
    sentence: `Which E orders the costs: steps at which the cost falls as E rises: ${printed.length} with the printed one${where.length === 0 ? '' : ` (${where.join('; ')})`}, ${missing.length} with E_miss over the missing rows (E6); ${held ? 'the correction orders them all, within three standard errors' : 'the correction does NOT order them all'}.`,
  }
}

/** E46: without bias the only linear loss is the unavoidable regret, whatever sqrt(E) says. */
function biasVerdict(lines: readonly Line[]): Verdict {
  const readings = lines.flatMap((line) => line.readings)
  const unbiased = readings.filter(({ rootBias }) => rootBias < 1e-9)
  const biased = readings.filter(({ rootBias }) => rootBias >= 1e-9)
  const small = unbiased.every(({ beyond, rootMissing }) => below(beyond, SMALL * ROOT_K * rootMissing))
  const under = biased.every(({ beyond, rootBias }) => below(beyond, ROOT_K * rootBias))
  const held = small && under
  return {
    held,
    sentence: `Corrected linear term, unavoidable + sqrt(K) sqrt(E_bias) (E46): with no bias (${unbiased.map(({ mechanism }) => mechanism).join(', ')}) the cost beyond the unavoidable regret is ${unbiased.map(({ beyond }) => formatEstimate(beyond)).join(' and ')} per round although sqrt(K) sqrt(E) as printed stays at ${formatNumber(ROOT_K * Math.max(...unbiased.map(({ rootPrinted }) => rootPrinted)))}; with bias it is ${span(biased.map(({ beyond, rootBias }) => beyond.mean / (ROOT_K * rootBias)))} of sqrt(K) sqrt(E_bias): ${held ? 'holds' : 'does NOT hold'}.`,
  }
}

/** What counts as nothing beside sqrt(K) sqrt(E_miss). */
const SMALL = 0.02

function span(values: readonly number[]): string {
  return `${formatNumber(Math.min(...values), 2)} to ${formatNumber(Math.max(...values), 2)}`
}
