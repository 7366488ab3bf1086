// Lines or stacked areas over time or rounds. Read by pointer, finger or arrow keys; zoomed by dragging; saved as PNG or CSV.

import { useId, useMemo, useRef, useState } from 'react'
import { cutName } from '../components/cut-name.js'
import { useAxisRange, useChartStore, useCursor } from './chart-group.js'
import { ChartTools } from './chart-tools.js'
import { type AxisKind, type Frame, frameOf } from './frame.js'
import { Legend } from './legend.js'
import { type Mark, Plot } from './plot.js'
import { type Line, pointAt, stacked } from './series.js'
import { ChartTooltip, valuesAt } from './tooltip.js'
import { useReading } from './use-reading.js'
import { useWidth } from './use-width.js'

export type { Mark } from './plot.js'
export type { Line, Point } from './series.js'

export interface LineChartProps {
  /** What the chart shows, for those who cannot see it, and the title of its files. */
  readonly label: string
  readonly lines: readonly Line[]
  readonly marks?: readonly Mark[]
  /** Moments shown as ticks on a rail under the plot. */
  readonly events?: readonly Mark[]
  readonly height?: number
  readonly x: AxisKind
  /** Charts of a group with the same axis share crosshair and zoom; else the kind of x. */
  readonly axis?: string
  readonly xLabel?: string
  readonly yLabel: string
  readonly yFormat: (value: number) => string
  readonly xFormat: (value: number) => string
  /** Limits that the axis keeps; else what the data needs. */
  readonly yMin?: number
  readonly yMax?: number
  /** Names beside the ends of the lines, where there is place. */
  readonly ends?: boolean
  /** Shares upon each other instead of lines. */
  readonly stack?: boolean
}

const NO_MARKS: readonly Mark[] = []
const NARROW = 420
const MOST_NAMES = 9

export function LineChart(props: LineChartProps) {
  const { label, lines, marks = NO_MARKS, events = NO_MARKS, height = 220, x, yMin, yMax, stack = false } = props
  const { axis = x, xLabel, yLabel, xFormat, yFormat } = props
  const xNamed = xLabel !== undefined
  const { ref, width } = useWidth()
  const svg = useRef<SVGSVGElement>(null)
  const chart = useId()
  const store = useChartStore()
  const range = useAxisRange(store, axis)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const present = useMemo(() => lines.filter(({ points }) => points.some(({ y }) => y !== null)), [lines])
  const shown = useMemo(() => {
    const kept = present.filter(({ name }) => !hidden.has(name))
    return stack ? stacked(kept) : kept
  }, [present, hidden, stack])
  const named = present.filter(({ ghost }) => ghost !== true)
  const ends = (props.ends ?? true) && !stack && width > NARROW && named.length <= MOST_NAMES
  const right = ends ? 20 + Math.max(30, ...named.map(({ name }) => cutName(name).length * 6.9)) : 12
  const frame = useMemo(
    () => frameOf({ lines: shown, x, range, yMin, yMax, xNamed, width, height, right, stack }),
    [shown, x, range, yMin, yMax, xNamed, width, height, right, stack],
  )
  const reading = useReading(store, axis, chart, frame)
  if (present.length === 0)
    return (
      <div className="chart" ref={ref}>
        <p className="chart-empty">Nothing to draw yet.</p>
      </div>
    )
  const first = present[0]!.points.find(({ y }) => y !== null)!.x
  if (range === null && present.every(({ points }) => points.every(({ x: at, y }) => y === null || at === first)))
    return (
      <div className="chart" ref={ref}>
        <p className="chart-empty">
          One point so far:{' '}
          {present
            .map(({ name, points }) => `${cutName(name)}: ${yFormat(points.find(({ y }) => y !== null)!.y!)}`)
            .join('; ')}
          . The curve begins with the next one.
        </p>
      </div>
    )
  const toggle = (name: string) =>
    setHidden((before) => new Set(before.has(name) ? [...before].filter((one) => one !== name) : [...before, name]))
  const single = (name: string) => {
    const others = named.filter((line) => line.name !== name).map((line) => line.name)
    setHidden((before) => (others.every((one) => before.has(one)) ? new Set() : new Set(others)))
  }
  return (
    <div className="chart" ref={ref}>
      <ChartTools
        svg={svg}
        label={label}
        lines={shown}
        x={x}
        xName={xLabel ?? x}
        range={range}
        legend={ends ? [] : named}
        onReset={range === null ? null : () => store.set(axis, { range: null })}
      />
      <svg
        ref={svg}
        role="img"
        aria-label={`${label}. Arrow keys read values; shift and arrow keys choose a part, Enter zooms to it, Escape goes back.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: values are read with the arrow keys
        tabIndex={0}
        height={height}
        {...reading.handlers}
      >
        <Plot
          lines={shown}
          marks={marks}
          events={events}
          frame={frame}
          width={width}
          height={height}
          x={x}
          xLabel={xLabel}
          yLabel={yLabel}
          xFormat={xFormat}
          yFormat={yFormat}
          stack={stack}
          ends={ends}
        />
        {reading.brush === null ? null : (
          <rect
            className="chart-brush"
            data-passing=""
            x={frame.xs.at(reading.brush.from)}
            y={frame.top}
            width={Math.max(1, frame.xs.at(reading.brush.to) - frame.xs.at(reading.brush.from))}
            height={frame.bottom - frame.top}
          />
        )}
        <Crosshair store={store} axis={axis} frame={frame} lines={shown} stack={stack} />
      </svg>
      <CrosshairValues
        store={store}
        axis={axis}
        chart={chart}
        frame={frame}
        lines={shown}
        events={events}
        stack={stack}
        width={width}
        xFormat={xFormat}
        yFormat={yFormat}
      />
      {named.length < 2 ? null : (
        <Legend lines={named} hidden={hidden} squares={stack} onToggle={toggle} onSingle={single} />
      )}
    </div>
  )
}

interface CrosshairProps {
  readonly store: ReturnType<typeof useChartStore>
  readonly axis: string
  readonly frame: Frame
  readonly lines: readonly Line[]
  readonly stack: boolean
}

/** In every chart of the group, wherever the pointer is. */
function Crosshair({ store, axis, frame: { xs, ys, top, bottom }, lines, stack }: CrosshairProps) {
  const cursor = useCursor(store, axis)
  if (cursor === null || cursor.x < xs.min || cursor.x > xs.max) return null
  const at = xs.at(cursor.x)
  return (
    <g data-passing="" className="chart-crosshair">
      <line x1={at} x2={at} y1={top} y2={bottom} stroke="var(--text)" opacity={0.5} />
      {stack
        ? null
        : lines.map(({ name, color, points, ghost }) => {
            const point = ghost ? null : pointAt(points, cursor.x)
            return point === null ? null : (
              <circle key={name} cx={xs.at(point.x)} cy={ys.at(point.y)} r={3.5} fill={color} stroke="var(--surface)" />
            )
          })}
    </g>
  )
}

interface CrosshairValuesProps extends CrosshairProps, Pick<LineChartProps, 'xFormat' | 'yFormat'> {
  readonly chart: string
  readonly events: readonly Mark[]
  readonly width: number
}

/** In the chart that is read. */
function CrosshairValues(props: CrosshairValuesProps) {
  const { store, axis, chart, frame, lines, events, stack, width, xFormat, yFormat } = props
  const cursor = useCursor(store, axis)
  if (cursor === null || cursor.chart !== chart || cursor.x < frame.xs.min || cursor.x > frame.xs.max)
    return <span className="chart-said" role="status" />
  // Areas are read from the top down.
  const values = valuesAt(stack ? [...lines].reverse() : lines, cursor.x, stack, yFormat)
  const near = 5 / ((frame.right - frame.left) / (frame.xs.max - frame.xs.min))
  const happened = events.flatMap(({ x, label }) =>
    label !== undefined && Math.abs(x - cursor.x) <= near ? [label] : [],
  )
  return (
    <>
      <ChartTooltip
        title={xFormat(cursor.x)}
        values={values}
        events={happened.slice(0, 3)}
        frame={frame}
        width={width}
        x={cursor.x}
        pixel={cursor.pixel}
      />
      <span className="chart-said" role="status">
        {`${xFormat(cursor.x)}: ${[...values.map(({ name, text, limits }) => `${name} ${text}${limits === '' ? '' : ` (${limits})`}`), ...happened].join(', ')}`}
      </span>
    </>
  )
}
