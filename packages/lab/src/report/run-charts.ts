// The charts of one scenario as data; null where the rows say nothing of what a chart shows.

import type { RunRow } from '../runs/run-row.js'
import type { ChartPoint, ChartSeries, LineChart } from './chart-data.js'
import { pairsBySeed } from './comparison.js'
import {
  type CurvePoint,
  epochCurve,
  floorCurve,
  type PerRoundPoint,
  perRoundCurve,
  regretCurve,
  rewardCurve,
} from './curves.js'
import type { DifferenceChart } from './difference-chart.js'
import type { ScenarioRows } from './grouped-rows.js'
import { formatFixed } from './number-format.js'
import type { SeriesStyle } from './series-style.js'
import type { ScenarioSummary } from './summary.js'

export interface ChartInput {
  readonly group: ScenarioRows
  readonly summary: ScenarioSummary
  readonly styles: ReadonlyMap<string, SeriesStyle>
  /** What regret is measured in. */
  readonly unit: string
}

const FLOOR: SeriesStyle = { color: 'grey', dash: '2 3' }
const PRETRAINED: SeriesStyle = { color: 'grey', dash: '7 3' }
/** Logarithmic axes begin at the horizon over this: before it every policy plays alike. */
const LOG_SPAN = 1024

export function cumulativeRegretChart({ group, styles, unit }: ChartInput): LineChart | null {
  if (group.measure !== 'regret') return null
  const origin = { rounds: 0, mean: 0, standardError: null }
  const series = seriesOf(group, styles, (rows) => [origin, ...regretCurve(rows)])
  const max = cutAbove(series.map(({ points }) => points.at(-1)!.y))
  const floor = floorCurve(mostSeeds(group))
  return {
    title: `Cumulative regret on ${group.scenario}`,
    subtitle: `${meanOver(group)}${max === null ? '' : '; ↑ final value of a line that leaves the picture'}`,
    x: { label: 'rounds', log: false },
    y: { label: `cumulative regret (${unit})`, log: false, ...(max === null ? {} : { max }) },
    series: [...series, ...floorSeries(floor.length === 0 ? [] : [origin, ...floor])],
    dots: false,
  }
}

/** Averages begin at the horizon over this: before it they are noise. */
const REWARD_SPAN = 32

export function rewardChart({ group, styles }: ChartInput): LineChart | null {
  if (group.measure !== 'reward') return null
  const series = seriesOf(group, styles, (rows) => fromRound(rewardCurve(rows), group.rounds / REWARD_SPAN))
  if (series.every(({ points }) => points.length === 0)) return null
  return {
    title: `Reward per round on ${group.scenario}`,
    subtitle: `${meanOver(group)}; average of all rounds up to then`,
    x: { label: 'rounds', log: false },
    y: { label: 'reward per round', log: false, close: true },
    series,
    dots: false,
  }
}

export function logLogRegretChart({ group, summary, styles, unit }: ChartInput): LineChart | null {
  if (group.measure !== 'regret') return null
  const late = (curve: readonly CurvePoint[]) => fromRound(curve, group.rounds / LOG_SPAN)
  const slopes = new Map(summary.policies.map((policy) => [policy.policy, policy.slope]))
  const series = seriesOf(group, styles, (rows) => late(regretCurve(rows))).map((one) => {
    const value = slopes.get(one.label)
    return value == null ? one : { ...one, detail: formatFixed(value, 2) }
  })
  const told = series.some(({ detail }) => detail !== undefined)
  const slopeNote = '; numbers: slope over the last five powers of two (1 linear, 0.5 square root)'
  return {
    title: `Growth of cumulative regret on ${group.scenario}, logarithmic axes`,
    subtitle: `${meanOver(group)}${told ? slopeNote : ''}`,
    x: { label: 'rounds', log: true },
    y: { label: `cumulative regret (${unit})`, log: true },
    series: [...series, ...floorSeries(late(floorCurve(mostSeeds(group))))],
    dots: false,
  }
}

export function regretPerRoundChart({ group, styles, unit }: ChartInput): LineChart | null {
  if (group.measure !== 'regret') return null
  const middle = (curve: readonly PerRoundPoint[]) =>
    fromRound(curve, group.rounds / LOG_SPAN).map(({ from, rounds, ...point }) => ({
      ...point,
      rounds: from > 0 ? Math.sqrt(from * rounds) : rounds / 2,
    }))
  const series = [
    ...seriesOf(group, styles, (rows) => middle(perRoundCurve(rows))),
    ...floorSeries(middle(perRoundCurve(mostSeeds(group), { of: 'floor' }))),
  ]
  const values = series.flatMap(({ points }) => points.map(({ y }) => y))
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = values.reduce((a, b) => Math.max(a, b), 0)
  const log = least > 0 && most > 12 * least
  return {
    title: `Regret per round on ${group.scenario}`,
    subtitle: `${meanOver(group)}; between checkpoints, drawn at the middle of each span`,
    x: { label: 'rounds', log: true },
    y: { label: `regret per round (${unit}${log ? ', logarithmic' : ''})`, log },
    series,
    dots: true,
  }
}

export function imputationErrorChart({ group, styles }: ChartInput): LineChart | null {
  const late = (curve: readonly CurvePoint[]) => fromRound(curve, group.rounds / LOG_SPAN)
  const imputed = seriesOf(group, styles, (rows) => late(epochCurve(rows, 'imputationError')))
  const pretrained = group.policies
    .map(({ rows }) => late(epochCurve(rows, 'pretrainedError')))
    .reduce((best, curve) => (curve.length > best.length ? curve : best))
  if (pretrained.length === 0 && imputed.every(({ points }) => points.length === 0)) return null
  return {
    title: `Imputation error by epoch on ${group.scenario}`,
    subtitle: `${meanOver(group)}; one dot per epoch, short ones together`,
    x: { label: 'rounds decided when the epoch ended', log: true },
    y: { label: 'root mean square error of missing values, in their units', log: false },
    series: [...imputed, { label: 'pre-trained g~', style: PRETRAINED, points: toPoints(pretrained) }],
    dots: true,
  }
}

export function gammaChart({ group, styles }: ChartInput): LineChart | null {
  const series = seriesOf(group, styles, (rows) => epochCurve(rows, 'gamma'))
  if (series.every(({ points }) => points.every(({ y }) => y <= 0))) return null
  return {
    title: `Gamma by epoch on ${group.scenario}`,
    subtitle: `${meanOver(group)}; one dot per epoch, short ones together`,
    x: { label: 'rounds decided when the epoch ended', log: true },
    y: { label: 'gamma (logarithmic)', log: true },
    series,
    dots: true,
  }
}

export function pairedDifferenceChart({ group, summary, styles }: ChartInput): DifferenceChart | null {
  const { reference, comparisons, measure, scenario } = summary
  if (reference === null || comparisons.length === 0) return null
  const rowsOf = new Map(group.policies.map(({ policy, rows }) => [policy, rows]))
  const max = cutAbove(comparisons.map(({ difference }) => Math.abs(difference)))
  const pairs = comparisons.map((comparison) => comparison.pairs)
  const [least, most] = [Math.min(...pairs), Math.max(...pairs)]
  const seeds = least === most ? most : `${least} to ${most}`
  return {
    title: `${measure === 'regret' ? 'Regret' : 'Reward'} against ${reference} on ${scenario}`,
    subtitle:
      most === 1
        ? 'One seed: policy minus reference on the same rounds'
        : `Policy minus reference on the same rounds: ${seeds} seeds, mean and 95% interval; in numbers ± one standard error`,
    note: max === null ? '' : 'A triangle marks a difference, or the end of an interval, beyond the picture.',
    less: `less ${measure}`,
    more: `more ${measure}`,
    max,
    rows: comparisons.map(({ policy, difference, standardError, interval }) => ({
      label: policy,
      style: styles.get(policy)!,
      mean: difference,
      standardError,
      interval,
      seeds: pairsBySeed(rowsOf.get(policy)!, rowsOf.get(reference)!, measure).map(({ x, y }) => x - y),
    })),
  }
}

function seriesOf(
  { policies }: ScenarioRows,
  styles: ChartInput['styles'],
  curveOf: (rows: readonly RunRow[]) => readonly CurvePoint[],
): readonly ChartSeries[] {
  return policies.map(({ policy, rows }) => ({
    label: policy,
    style: styles.get(policy)!,
    points: toPoints(curveOf(rows)),
  }))
}

function floorSeries(curve: readonly CurvePoint[]): readonly ChartSeries[] {
  return curve.length === 0 ? [] : [{ label: 'best possible without them', style: FLOOR, points: toPoints(curve) }]
}

/** The mean with its band; a band of no width where one seed is all there is. */
function toPoints(curve: readonly CurvePoint[]): readonly ChartPoint[] {
  return curve.map(({ rounds, mean, standardError }) => {
    const half = 1.96 * (standardError ?? 0)
    return { x: rounds, y: mean, low: mean - half, high: mean + half }
  })
}

/** The floor is that of the rounds, whatever the policy: taken from the policy with the most seeds. */
function mostSeeds({ policies }: ScenarioRows): readonly RunRow[] {
  return policies.reduce((best, policy) => (policy.rows.length > best.rows.length ? policy : best)).rows
}

function fromRound<P extends CurvePoint>(curve: readonly P[], first: number): readonly P[] {
  const late = curve.filter(({ rounds }) => rounds >= first)
  return late.length > 1 ? late : curve
}

function meanOver({ policies }: ScenarioRows): string {
  const counts = policies.map(({ rows }) => rows.length)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  if (most === 1) return 'One seed'
  return `Mean over ${least === most ? most : `${least} to ${most}`} seeds, band ± 1.96 standard errors`
}

/** Where a few values are far above all others: a limit that lets the others be seen; null: show all. */
export function cutAbove(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  for (let i = Math.max(1, Math.ceil(sorted.length / 2)); i < sorted.length; i++) {
    const below = sorted[i - 1]!
    if (below > 0 && sorted[i]! > 2.5 * below) return 1.15 * below
  }
  return null
}
