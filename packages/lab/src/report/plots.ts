// The pictures of a run as SVG strings, per scenario.

import type { RunRow } from '../runs/run-row.js'
import { drawDifferenceChart } from './difference-chart.js'
import { groupRows } from './grouped-rows.js'
import { drawLineChart } from './line-chart.js'
import {
  type ChartInput,
  cumulativeRegretChart,
  gammaChart,
  imputationErrorChart,
  logLogRegretChart,
  pairedDifferenceChart,
  regretPerRoundChart,
  rewardChart,
} from './run-charts.js'
import { lightTheme, type PlotTheme, seriesStyles } from './series-style.js'
import { type SummaryOptions, summariseRun } from './summary.js'

const lineCharts = {
  reward: rewardChart,
  'cumulative-regret': cumulativeRegretChart,
  'log-log-regret': logLogRegretChart,
  'regret-per-round': regretPerRoundChart,
  'imputation-error': imputationErrorChart,
  gamma: gammaChart,
}

export type PlotKind = 'paired-difference' | keyof typeof lineCharts

export interface RunPlot {
  readonly scenario: string
  readonly kind: PlotKind
  readonly title: string
  readonly svg: string
}

export interface PlotOptions extends SummaryOptions {
  /** Pixels; default 860 x 480. */
  readonly width?: number
  readonly height?: number
  /** Default: light, on white. */
  readonly theme?: PlotTheme
  /** What regret is measured in, for the axes; default "units of reward". */
  readonly unit?: string
}

/** Pictures of what the rows know: rewards where there is no regret, without epochs none of gamma. */
export function runPlots(rows: readonly RunRow[], options: PlotOptions = {}): readonly RunPlot[] {
  const { width = 860, height = 480, theme = lightTheme, unit = 'units of reward' } = options
  const frame = { width, height, theme }
  const styles = seriesStyles(rows.map(({ policy }) => policy))
  const { scenarios } = summariseRun(rows, options)
  const plots: RunPlot[] = []
  for (const [i, group] of groupRows(rows).entries()) {
    const input: ChartInput = { group, summary: scenarios[i]!, styles, unit }
    const { scenario } = group
    const differences = pairedDifferenceChart(input)
    if (differences !== null) {
      const svg = drawDifferenceChart(differences, frame)
      plots.push({ scenario, kind: 'paired-difference', title: differences.title, svg })
    }
    for (const kind of Object.keys(lineCharts) as (keyof typeof lineCharts)[]) {
      const chart = lineCharts[kind](input)
      if (chart === null) continue
      plots.push({ scenario, kind, title: chart.title, svg: drawLineChart(chart, frame) })
    }
  }
  return plots
}
