// Where a chart's values are on the screen.

import { linearScale, roundTicks, type Scale, timeTicks } from './scale.js'
import type { Line } from './series.js'

export interface Range {
  readonly from: number
  readonly to: number
}

export type AxisKind = 'time' | 'count' | 'number'

export interface FrameOptions {
  readonly lines: readonly Line[]
  readonly x: AxisKind
  /** The part that is shown; else all. */
  readonly range: Range | null
  readonly yMin?: number | undefined
  readonly yMax?: number | undefined
  readonly xNamed: boolean
  readonly width: number
  readonly height: number
  /** Pixels kept free beside the plot for names. */
  readonly right: number
  /** Values are stacked: intervals are what is drawn. */
  readonly stack: boolean
}

export interface Frame {
  readonly xs: Scale
  readonly ys: Scale
  /** Where values can be read, ascending, inside the shown part. */
  readonly columns: readonly number[]
  /** Gaps up to this are too narrow to be told from the line's own steps. */
  readonly bridge: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const BRIDGED = 1 / 20
const TOP = 22
const LEFT = 46
/** Ticks, and below them the name of the axis where it has one. */
const BOTTOM = { plain: 24, named: 36 }

export function frameOf({ lines, x, range, yMin, yMax, xNamed, width, height, right, stack }: FrameOptions): Frame {
  const all = lines.flatMap(({ points }) => points.filter(({ y }) => y !== null))
  const inside = range === null ? all : all.filter((point) => point.x >= range.from && point.x <= range.to)
  const columns = [...new Set(inside.map((point) => point.x))].sort((a, b) => a - b)
  const values = inside.flatMap(({ y, low, high }) =>
    stack ? [low!, high!] : yMax === undefined ? [y!, low ?? y!, high ?? y!] : [y!],
  )
  const least = yMin ?? Math.min(...values, Number.POSITIVE_INFINITY)
  const most = yMax ?? Math.max(...values, Number.NEGATIVE_INFINITY)
  const low = Number.isFinite(least) ? least : 0
  const high = most > low ? most : low + 1
  const pad = yMax === undefined ? (high - low) * 0.04 : 0
  const from = range?.from ?? columns[0] ?? 0
  const to = range?.to ?? columns.at(-1) ?? 1
  const end = to > from ? to : from + 1
  const count = Math.max(2, Math.floor((width - LEFT - right) / (x === 'time' ? 76 : 80)))
  const bottom = height - (xNamed ? BOTTOM.named : BOTTOM.plain)
  return {
    xs: {
      ...linearScale(from, end, LEFT, width - right, count),
      ticks:
        x === 'time'
          ? timeTicks(from, end, count)
          : roundTicks(from, end, count).filter((tick) => x === 'number' || Number.isInteger(tick)),
    },
    ys: linearScale(yMin === undefined ? low - pad : low, high + pad, bottom, TOP, height < 150 ? 3 : 5),
    columns,
    bridge: x === 'time' ? (end - from) * BRIDGED : 0,
    left: LEFT,
    right: width - right,
    top: TOP,
    bottom,
  }
}

/** From a pixel back to a value. */
export function valueAt({ xs, left, right }: Frame, pixel: number): number {
  const share = (Math.max(left, Math.min(right, pixel)) - left) / (right - left || 1)
  return xs.min + share * (xs.max - xs.min)
}
