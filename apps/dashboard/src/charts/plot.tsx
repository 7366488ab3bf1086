// What a chart draws that does not move with the pointer: axes, bands, lines, marks, rail and names.

import { spreadLabels } from '@primo/lab'
import { memo, useId } from 'react'
import { cutName } from '../components/cut-name.js'
import type { AxisKind, Frame } from './frame.js'
import { bare, timeTick } from './number-format.js'
import { type KnownPoint, type Line, runsOf } from './series.js'

export interface Mark {
  readonly x: number
  readonly label?: string
}

export interface PlotProps {
  readonly lines: readonly Line[]
  readonly marks: readonly Mark[]
  /** Moments on a rail under the plot, such as new policies. */
  readonly events: readonly Mark[]
  readonly frame: Frame
  readonly width: number
  readonly height: number
  readonly x: AxisKind
  readonly xLabel: string | undefined
  readonly yLabel: string
  readonly xFormat: (value: number) => string
  readonly yFormat: (value: number) => string
  readonly stack: boolean
  /** Names where the lines end. */
  readonly ends: boolean
}

const LABEL = 15
const HALF_LETTER = 3.5
/** A line that ends this close to the edge has its name outside of the plot. */
const EDGE = 24

export const Plot = memo(function Plot(props: PlotProps) {
  const { lines, marks, events, frame, width, height, x, xLabel, yLabel, xFormat, yFormat, stack, ends } = props
  const { xs, ys, left, right, top, bottom } = frame
  const clip = useId()
  const inside = ({ x: at }: { readonly x: number }) => at >= xs.min && at <= xs.max
  return (
    <>
      <clipPath id={clip}>
        <rect x={left - 3} y={top - 4} width={right - left + 6} height={bottom - top + 8} />
      </clipPath>
      {ys.ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={ys.at(tick)} y2={ys.at(tick)} stroke="var(--line)" />
          <text x={left - 6} y={ys.at(tick) + 4} textAnchor="end">
            {bare(yFormat(tick))}
          </text>
        </g>
      ))}
      {xs.ticks.map((tick) => {
        const text =
          x === 'time' ? timeTick(tick, xs.max - xs.min) : x === 'number' ? bare(xFormat(tick)) : xFormat(tick)
        // The first and the last stay inside of the drawing.
        const half = text.length * HALF_LETTER
        return (
          <text key={tick} x={Math.max(half, Math.min(width - half, xs.at(tick)))} y={bottom + 19} textAnchor="middle">
            {text}
          </text>
        )
      })}
      <text x={0} y={10}>
        {yLabel}
      </text>
      {xLabel === undefined ? null : (
        <text x={right} y={height - 3} textAnchor="end">
          {xLabel}
        </text>
      )}
      <Rail places={events.filter(inside).map(({ x: at }) => xs.at(at))} frame={frame} />
      <g clipPath={`url(#${clip})`}>
        {lines.map((line) => (
          <Area key={`${line.ghost}${line.name}`} line={line} frame={frame} stack={stack} />
        ))}
        {stack ? null : lines.map((line) => <Stroke key={`${line.ghost}${line.name}`} line={line} frame={frame} />)}
      </g>
      <MarkLines marks={marks.filter(inside)} frame={frame} />
      {ends && !stack ? (
        <Names lines={lines.filter(({ ghost }) => ghost !== true)} frame={frame} width={width} />
      ) : null}
    </>
  )
})

function Area({
  line,
  frame: { xs, ys, bridge },
  stack,
}: {
  readonly line: Line
  readonly frame: Frame
  readonly stack: boolean
}) {
  const clamp = (value: number) => ys.at(Math.max(ys.min, Math.min(ys.max, value)))
  return runsOf(line.points, bridge).map((run) => {
    const band = run.filter(({ low, high }) => low !== undefined && high !== undefined)
    if (band.length === 0 || (band.length === 1 && !stack)) return null
    // One column alone is still to be seen.
    const wide = band.length === 1 ? 3 : 0
    const up = band.flatMap((point) => corners(xs.at(point.x), clamp(point.high!), wide))
    const down = band.flatMap((point) => corners(xs.at(point.x), clamp(point.low!), wide)).reverse()
    return (
      <polygon
        key={run[0]!.x}
        points={[...up, ...down].join(' ')}
        fill={line.color}
        {...(stack ? { stroke: 'var(--surface)', strokeWidth: 0.8 } : { opacity: line.ghost ? 0.06 : 0.17 })}
      />
    )
  })
}

function corners(x: number, y: number, wide: number): string[] {
  return (wide === 0 ? [x] : [x - wide, x + wide]).map((at) => `${at.toFixed(1)},${y.toFixed(1)}`)
}

function Stroke({ line, frame: { xs, ys, bridge } }: { readonly line: Line; readonly frame: Frame }) {
  const { color, dash, thick, dots, ghost, points } = line
  return (
    <g opacity={ghost ? 0.3 : 1} data-line={line.name}>
      {runsOf(points, bridge).map((run) => (
        <g key={run[0]!.x}>
          <polyline
            points={run.map((point) => `${xs.at(point.x).toFixed(1)},${ys.at(point.y).toFixed(1)}`).join(' ')}
            fill="none"
            stroke={color}
            strokeWidth={thick ? 2.8 : 1.8}
            strokeLinejoin="round"
            {...(dash === undefined ? {} : { strokeDasharray: dash })}
          />
          {dots || run.length === 1
            ? run.map((point) => <circle key={point.x} cx={xs.at(point.x)} cy={ys.at(point.y)} r={2.6} fill={color} />)
            : null}
        </g>
      ))}
    </g>
  )
}

/** Ticks on a line of their own: thirty of them do not hide the plot. */
function Rail({
  places,
  frame: { left, right, bottom },
}: {
  readonly places: readonly number[]
  readonly frame: Frame
}) {
  const apart = [...new Set(places.map((place) => Math.round(place)))]
  return (
    <>
      <line x1={left} x2={right} y1={bottom} y2={bottom} stroke="var(--muted)" opacity={0.5} />
      {apart.map((place) => (
        <line key={place} className="chart-event" x1={place} x2={place} y1={bottom - 3} y2={bottom + 4} />
      ))}
    </>
  )
}

/** Labels in as many rows as keep them apart. */
function MarkLines({
  marks,
  frame: { xs, top, bottom, right },
}: {
  readonly marks: readonly Mark[]
  readonly frame: Frame
}) {
  const ends: number[] = []
  return [...marks]
    .sort((a, b) => a.x - b.x)
    .map(({ x, label }) => {
      const at = xs.at(x)
      const wide = (label?.length ?? 0) * 6.6 + 8
      const start = at + wide > right ? at - wide : at
      const free = ends.findIndex((end) => end <= start)
      const row = free === -1 ? ends.length : free
      if (label !== undefined) ends[row] = start + wide
      return (
        <g key={`${x}${label ?? ''}`}>
          <line x1={at} x2={at} y1={top} y2={bottom} stroke="var(--muted)" strokeDasharray="2 3" />
          {label === undefined ? null : (
            <text className="chart-name" x={start + 4} y={top + 10 + 14 * row}>
              {label}
            </text>
          )}
        </g>
      )
    })
}

/** A line's name stands where the line ends, even if that is before the edge. */
function Names({
  lines,
  frame: { xs, ys, right, top, bottom },
  width,
}: {
  readonly lines: readonly Line[]
  readonly frame: Frame
  readonly width: number
}) {
  const ended = lines.flatMap(({ name, color, points }) => {
    const last = points.filter(({ x, y }) => y !== null && x >= xs.min && x <= xs.max).at(-1) as KnownPoint | undefined
    return last === undefined ? [] : [{ name, color, x: xs.at(last.x), y: ys.at(last.y) }]
  })
  const edge = ended.filter(({ x }) => x > right - EDGE)
  const spread = spreadLabels(
    edge.map(({ y }) => y),
    { gap: LABEL, top, bottom },
  )
  return ended.map((end) => {
    const { name, color, x, y } = end
    const place = edge.indexOf(end)
    const outside = place >= 0
    if (outside && spread === null) return null
    const level = outside ? spread![place]! : y - 9
    return (
      <g key={name}>
        <circle cx={x} cy={y} r={2.6} fill={color} />
        {outside && Math.abs(level - y) > 3 ? (
          <line x1={x + 3} x2={right + 7} y1={y} y2={level} stroke={color} opacity={0.6} />
        ) : null}
        <text
          className="chart-name"
          x={outside ? right + 10 : Math.min(x, width - 6)}
          y={level + 4}
          textAnchor={outside || x < 120 ? 'start' : 'end'}
        >
          {cutName(name)}
          <title>{name}</title>
        </text>
      </g>
    )
  })
}
