// The values at the crosshair, beside it: names to the left, figures aligned to the right.

import { cutName } from '../components/cut-name.js'
import type { Frame } from './frame.js'
import { type Line, pointAt } from './series.js'

export interface ReadValue {
  readonly name: string
  readonly color: string
  readonly text: string
  readonly limits: string
}

/** What each line says at x; a dash where it says nothing. */
export function valuesAt(
  lines: readonly Line[],
  x: number,
  stack: boolean,
  format: (value: number) => string,
): ReadValue[] {
  return lines
    .filter(({ ghost }) => ghost !== true)
    .map(({ name, color, points }) => {
      const point = pointAt(points, x)
      const limits =
        stack || point?.low === undefined || point.high === undefined
          ? ''
          : `${format(point.low)} to ${format(point.high)}`
      return { name, color, text: point === null ? '–' : format(point.y), limits }
    })
}

interface ChartTooltipProps {
  readonly title: string
  readonly values: readonly ReadValue[]
  readonly events: readonly string[]
  readonly frame: Frame
  readonly width: number
  readonly x: number
  /** Pixels down from the top of the chart; null: read by keys. */
  readonly pixel: number | null
}

export function ChartTooltip({ title, values, events, frame, width, x, pixel }: ChartTooltipProps) {
  const across = frame.xs.at(x)
  const side = across > width / 2 ? { right: width - across + 12 } : { left: across + 12 }
  const top = Math.max(0, Math.min(frame.bottom - 20 * (values.length + 1), (pixel ?? frame.top) - 10))
  return (
    <div className="chart-tip" style={{ ...side, top }}>
      <div className="chart-tip-title">{title}</div>
      <table>
        <tbody>
          {values.map(({ name, color, text, limits }) => (
            <tr key={name}>
              <td>
                <span className="chart-swatch" style={{ background: color }} />
                {cutName(name)}
              </td>
              <td>{text}</td>
              <td>{limits}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {events.map((event) => (
        <div key={event} className="chart-tip-title">
          {event}
        </div>
      ))}
    </div>
  )
}
