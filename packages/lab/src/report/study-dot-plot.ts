// A study's plot of dots: a row per policy or scenario with its seeds, their mean and its 95% interval.

import { studentInterval } from '../statistics/student-t.js'
import { summarise } from '../statistics/summarise.js'
import { type DifferenceChart, drawDifferenceChart } from './difference-chart.js'
import { cutAbove } from './run-charts.js'
import type { ColorName } from './series-style.js'
import type { StudyPlot, StudySeries } from './study.js'
import type { ChartFrame } from './svg-frame.js'

interface StudyDotRow {
  readonly name: string
  readonly color: ColorName
  /** One per seed. */
  readonly seeds: readonly number[]
  /** An estimate that is no mean of seeds; drawn in their place. */
  readonly estimate?: {
    readonly mean: number
    readonly standardError: number
    readonly interval: readonly [number, number]
  }
}

/** A plot of dots: a row per policy or scenario with its seeds, mean and interval. */
export interface StudyDotPlot extends StudyPlot {
  readonly kind: 'dots'
  readonly subtitle: string
  /** Under the axis, at the left and the right of zero; '': nothing. */
  readonly less: string
  readonly more: string
  /** Every row is drawn in full, however far it lies from the others; default false. */
  readonly whole?: boolean
  /** From the top; `points` is the mean with its interval. */
  readonly series: readonly (StudySeries & StudyDotRow)[]
}

export interface StudyDotPlotInput extends Pick<StudyDotPlot, 'title' | 'subtitle' | 'less' | 'more' | 'whole'> {
  readonly xLabel: string
  readonly rows: readonly StudyDotRow[]
}

/** Makes a plot of dots from values by row. */
export function studyDotPlot({ rows, ...words }: StudyDotPlotInput): StudyDotPlot {
  return {
    kind: 'dots',
    ...words,
    yLabel: '',
    series: rows.map((row, place) => {
      const { mean, interval } = estimateOf(row)
      const [low, high] = interval ?? [mean, mean]
      return { ...row, points: [{ x: place, y: mean, low, high }] }
    }),
  }
}

function estimateOf({ seeds, estimate }: StudyDotRow) {
  if (estimate !== undefined) return estimate
  const summary = summarise(seeds)
  const interval = studentInterval(summary)
  return { mean: summary.mean, standardError: interval === null ? null : summary.standardError, interval }
}

export function isDotPlot(plot: StudyPlot): plot is StudyDotPlot {
  return (plot as Partial<StudyDotPlot>).kind === 'dots'
}

export function drawDotPlot(plot: StudyDotPlot, frame: ChartFrame): string {
  const { title, subtitle, less, more, series, whole = false } = plot
  const rows = series.map((row) => ({
    label: row.name,
    style: { color: row.color, dash: null },
    ...estimateOf(row),
    seeds: row.seeds,
  }))
  const max = whole ? null : cutAbove(rows.map(({ mean }) => Math.abs(mean)))
  const note = max === null ? '' : 'A triangle marks a value, or the end of an interval, beyond the picture.'
  const chart: DifferenceChart = { title, subtitle, note, less, more, max, rows }
  return drawDifferenceChart(chart, frame)
}
