// Shares of a whole over time, stacked.

import { Key } from './line-chart.js'
import { linearScale, timeTicks } from './scale.js'
import { useWidth } from './use-width.js'

export interface ShareColumn {
  readonly x: number
  /** By name; adds up to 1, or is all 0 where nothing was counted. */
  readonly shares: Readonly<Record<string, number>>
}

interface ShareChartProps {
  readonly label: string
  readonly names: readonly string[]
  readonly columns: readonly ShareColumn[]
  readonly marks?: readonly number[]
  readonly xFormat: (value: number) => string
  readonly height?: number
}

const TOP = 8
const BOTTOM = 22
const LEFT = 46

export const seriesColor = (index: number) => `var(--s${index % 6})`

export function ShareChart({ label, names, columns, marks = [], xFormat, height = 190 }: ShareChartProps) {
  const { ref, width } = useWidth()
  const filled = columns.filter(({ shares }) => names.some((name) => (shares[name] ?? 0) > 0))
  if (filled.length === 0)
    return (
      <div className="chart" ref={ref}>
        <p className="quiet small">Nothing to draw yet.</p>
      </div>
    )
  const min = filled[0]!.x
  const max = filled.at(-1)!.x
  const xs = linearScale(min, max === min ? min + 1 : max, LEFT, width - 12, 5)
  const ys = linearScale(0, 1, height - BOTTOM, TOP, 4)
  const below = filled.map(() => 0)
  const areas = names.map((name) => {
    const from = filled.map(({ x }, i) => `${xs.at(x)},${ys.at(below[i]!)}`)
    filled.forEach(({ shares }, i) => {
      below[i]! += shares[name] ?? 0
    })
    const to = filled.map(({ x }, i) => `${xs.at(x)},${ys.at(below[i]!)}`)
    return [...from, ...to.reverse()].join(' ')
  })
  return (
    <div className="chart" ref={ref}>
      <svg role="img" aria-label={label} height={height}>
        {[0, 0.5, 1].map((tick) => (
          <text key={tick} x={LEFT - 6} y={ys.at(tick) + 4} textAnchor="end">
            {`${100 * tick}%`}
          </text>
        ))}
        {names.map((name, index) => (
          <polygon key={name} points={areas[index]} fill={seriesColor(index)} opacity={0.85} stroke="var(--card)" />
        ))}
        {marks
          .filter((mark) => mark >= min && mark <= max)
          .map((mark) => (
            <line
              key={mark}
              x1={xs.at(mark)}
              x2={xs.at(mark)}
              y1={TOP}
              y2={height - BOTTOM}
              stroke="var(--text)"
              strokeDasharray="1 3"
            />
          ))}
        {timeTicks(min, max, Math.max(2, Math.floor(width / 110))).map((tick) => (
          <text key={tick} x={xs.at(tick)} y={height - 6} textAnchor="middle">
            {xFormat(tick)}
          </text>
        ))}
      </svg>
      <Key lines={names.map((name, index) => ({ name, color: seriesColor(index) }))} />
    </div>
  )
}
