// Shares of a whole over time, stacked.

import { actionColor } from './colours.js'
import { LineChart, type Mark } from './line-chart.js'
import { percent } from './number-format.js'
import { withGaps } from './series.js'

export interface ShareColumn {
  readonly x: number
  /** By name; adds up to 1; null where nothing was counted. */
  readonly shares: Readonly<Record<string, number>> | null
}

interface ShareChartProps {
  readonly label: string
  /** In the order of the definition: it gives the colours. */
  readonly names: readonly string[]
  readonly columns: readonly ShareColumn[]
  /** Between columns, where nothing is left out. */
  readonly spacing: number
  readonly events?: readonly Mark[]
  readonly xFormat: (value: number) => string
  readonly height?: number
}

export function ShareChart({ label, names, columns, spacing, events, xFormat, height = 200 }: ShareChartProps) {
  return (
    <LineChart
      label={label}
      x="time"
      xFormat={xFormat}
      yFormat={percent}
      yLabel="share of decisions"
      yMin={0}
      yMax={1}
      height={height}
      stack
      {...(events === undefined ? {} : { events })}
      lines={names.map((name, index) => ({
        name,
        color: actionColor(index),
        points: withGaps(
          columns.map(({ x, shares }) => ({ x, y: shares === null ? null : (shares[name] ?? 0) })),
          spacing,
        ),
      }))}
    />
  )
}
