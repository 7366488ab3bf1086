// Lines over time or rounds, with bands, marks and labels where the lines end. Read by pointer or by arrow keys.

import { spreadLabels } from '@primo/lab'
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react'
import { linearScale, roundTicks, timeTicks } from './scale.js'
import { useWidth } from './use-width.js'

export interface Point {
  readonly x: number
  readonly y: number
  /** Limits of an interval around y. */
  readonly low?: number
  readonly high?: number
}

export interface Line {
  readonly name: string
  readonly color: string
  readonly points: readonly Point[]
  readonly dash?: string
  readonly thick?: boolean
  /** Steps from point to point instead of slopes. */
  readonly dots?: boolean
}

export interface Mark {
  readonly x: number
  readonly label?: string
}

export interface LineChartProps {
  /** What the chart shows, for those who cannot see it. */
  readonly label: string
  readonly lines: readonly Line[]
  readonly marks?: readonly Mark[]
  readonly height?: number
  readonly x: 'time' | 'count' | 'number'
  readonly xLabel?: string
  readonly yLabel: string
  readonly yFormat: (value: number) => string
  readonly xFormat: (value: number) => string
  /** Limits that the axis keeps; else what the data needs. */
  readonly yMin?: number
  readonly yMax?: number
  /** Names beside the ends of the lines; else a key below. */
  readonly ends?: boolean
}

const TOP = 16
const BOTTOM = 34
const LEFT = 46
const LABEL = 15

export function LineChart(props: LineChartProps) {
  const { label, lines, marks = [], height = 220, yLabel, yFormat, xFormat, ends = true } = props
  const { ref, width } = useWidth()
  const [at, setAt] = useState<number | null>(null)
  const shown = lines.filter(({ points }) => points.length > 0)
  const right = ends && width > 420 ? 12 + Math.max(40, ...shown.map(({ name }) => name.length * 7.5)) : 12
  const frame = useMemo(() => frameOf(props, shown, width, height, right), [props, shown, width, height, right])
  if (shown.length === 0)
    return (
      <div className="chart" ref={ref}>
        <p className="quiet small">Nothing to draw yet.</p>
      </div>
    )
  const { xs, ys, columns } = frame
  const labelled = ends && width > 420
  const ended = labelled ? shown.map(({ points }) => ys.at(points.at(-1)!.y)) : []
  const lasts = spreadLabels(ended, { gap: LABEL, top: TOP, bottom: height - BOTTOM }) ?? ended
  const column = at === null ? null : columns[Math.min(at, columns.length - 1)]!

  const onPointer = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setAt(nearest(columns, xs.at, event.clientX - box.left))
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
    if (event.key === 'Escape') setAt(null)
    else if (event.key === 'Home') setAt(0)
    else if (event.key === 'End') setAt(columns.length - 1)
    else if (step !== undefined) setAt(Math.max(0, Math.min(columns.length - 1, (at ?? columns.length - 1) + step)))
    else return
    event.preventDefault()
  }

  const said =
    column === null
      ? []
      : shown.flatMap(({ name, color, points }) => {
          const point = pointAt(points, column)
          if (point === null) return []
          const limits =
            point.low === undefined || point.high === undefined
              ? ''
              : ` [${yFormat(point.low)}, ${yFormat(point.high)}]`
          return [{ name, color, text: `${yFormat(point.y)}${limits}` }]
        })

  return (
    <div className="chart" ref={ref}>
      <svg
        role="img"
        aria-label={`${label}. Arrow keys read values.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: values are read with the arrow keys
        tabIndex={0}
        height={height}
        onPointerMove={onPointer}
        onPointerLeave={() => setAt(null)}
        onKeyDown={onKey}
        onBlur={() => setAt(null)}
      >
        {ys.ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width - right} y1={ys.at(tick)} y2={ys.at(tick)} stroke="var(--line)" />
            <text x={LEFT - 6} y={ys.at(tick) + 4} textAnchor="end">
              {bare(yFormat(tick))}
            </text>
          </g>
        ))}
        {xs.ticks.map((tick) => (
          <text key={tick} x={xs.at(tick)} y={height - BOTTOM + 15} textAnchor="middle">
            {props.x === 'number' ? bare(xFormat(tick)) : xFormat(tick)}
          </text>
        ))}
        <text x={LEFT} y={10} textAnchor="start">
          {yLabel}
        </text>
        {props.xLabel === undefined ? null : (
          <text x={width - right} y={height - 3} textAnchor="end">
            {props.xLabel}
          </text>
        )}
        {marks
          .filter((mark) => mark.x >= xs.min && mark.x <= xs.max)
          .map((mark) => (
            <g key={`${mark.x}${mark.label ?? ''}`}>
              <line
                x1={xs.at(mark.x)}
                x2={xs.at(mark.x)}
                y1={TOP}
                y2={height - BOTTOM}
                stroke="var(--quiet)"
                strokeDasharray="1 3"
              />
              {mark.label === undefined ? null : (
                <text x={xs.at(mark.x) + 3} y={TOP + 9}>
                  {mark.label}
                </text>
              )}
            </g>
          ))}
        {shown.map(({ name, color, points }) => {
          const band = points.filter((point) => point.low !== undefined && point.high !== undefined)
          if (band.length < 2) return null
          const up = band.map((point) => `${xs.at(point.x)},${ys.at(clampTo(point.high!, ys))}`)
          const down = [...band].reverse().map((point) => `${xs.at(point.x)},${ys.at(clampTo(point.low!, ys))}`)
          return <polygon key={name} points={[...up, ...down].join(' ')} fill={color} opacity={0.16} />
        })}
        {shown.map(({ name, color, points, dash, thick, dots }) => (
          <g key={name}>
            <polyline
              points={points.map((point) => `${xs.at(point.x).toFixed(1)},${ys.at(point.y).toFixed(1)}`).join(' ')}
              fill="none"
              stroke={color}
              strokeWidth={thick ? 2.8 : 1.7}
              strokeLinejoin="round"
              {...(dash === undefined ? {} : { strokeDasharray: dash })}
            />
            {dots || points.length === 1
              ? points.map((point) => (
                  <circle key={point.x} cx={xs.at(point.x)} cy={ys.at(point.y)} r={2.6} fill={color} />
                ))
              : null}
          </g>
        ))}
        {labelled
          ? shown.map(({ name, color }, i) => (
              <text key={name} className="end" x={width - right + 6} y={lasts[i]! + 4} style={{ fill: color }}>
                {name}
              </text>
            ))
          : null}
        {column === null ? null : (
          <line
            x1={xs.at(column)}
            x2={xs.at(column)}
            y1={TOP}
            y2={height - BOTTOM}
            stroke="var(--text)"
            opacity={0.5}
          />
        )}
      </svg>
      {labelled || shown.length < 2 ? null : <Key lines={shown} />}
      {column === null ? null : (
        <div
          className="tip"
          style={
            xs.at(column) > width / 2
              ? { right: width - xs.at(column) + 10, top: 4 }
              : { left: xs.at(column) + 10, top: 4 }
          }
        >
          <div className="quiet">{xFormat(column)}</div>
          {said.map(({ name, color, text }) => (
            <div key={name}>
              <span className="swatch" style={{ background: color }} />
              {name} {text}
            </div>
          ))}
        </div>
      )}
      <span className="hidden" role="status">
        {column === null ? '' : `${xFormat(column)}: ${said.map(({ name, text }) => `${name} ${text}`).join(', ')}`}
      </span>
    </div>
  )
}

export function Key({ lines }: { readonly lines: readonly { readonly name: string; readonly color: string }[] }) {
  return (
    <ul className="key">
      {lines.map(({ name, color }) => (
        <li key={name}>
          <span className="swatch" style={{ background: color }} />
          {name}
        </li>
      ))}
    </ul>
  )
}

function frameOf(
  { x, yMin, yMax }: LineChartProps,
  lines: readonly Line[],
  width: number,
  height: number,
  right: number,
) {
  const all = lines.flatMap(({ points }) => points)
  const columns = [...new Set(all.map((point) => point.x))].sort((a, b) => a - b)
  const values = all.flatMap((point) =>
    yMax === undefined ? [point.y, point.low ?? point.y, point.high ?? point.y] : [point.y],
  )
  const low = yMin ?? Math.min(...values)
  const top = yMax ?? Math.max(...values)
  const high = top > low ? top : low + 1
  const pad = yMax === undefined ? (high - low) * 0.04 : 0
  const left = columns[0] ?? 0
  const last = columns.at(-1) ?? 1
  const room = Math.max(2, Math.floor((width - LEFT - right) / (x === 'time' ? 90 : 80)))
  const xs = linearScale(left, last, LEFT, width - right, room)
  const ys = linearScale(low, high + pad, height - BOTTOM, TOP, 5)
  return {
    xs: { ...xs, ticks: x === 'time' ? timeTicks(left, last, room) : roundTicks(left, last, room) },
    ys,
    columns,
  }
}

/** Ticks are round: zeros after the point say nothing. */
function bare(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '')
}

function clampTo(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.max(min, Math.min(max, value))
}

function nearest(columns: readonly number[], at: (value: number) => number, pixel: number): number {
  let best = 0
  columns.forEach((value, i) => {
    if (Math.abs(at(value) - pixel) < Math.abs(at(columns[best]!) - pixel)) best = i
  })
  return best
}

/** The newest point up to x. */
function pointAt(points: readonly Point[], x: number): Point | null {
  let found: Point | null = null
  for (const point of points) if (point.x <= x) found = point
  return found
}
