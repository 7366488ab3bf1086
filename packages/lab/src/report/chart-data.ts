// A line chart as data, and what of it the axes can show.

import type { SeriesStyle } from './series-style.js'

export interface ChartPoint {
  readonly x: number
  readonly y: number
  /** The band; null: none here. */
  readonly low: number | null
  readonly high: number | null
}

export interface ChartSeries {
  readonly label: string
  /** Said after the label, in grey. */
  readonly detail?: string
  readonly style: SeriesStyle
  readonly points: readonly ChartPoint[]
}

export interface ChartAxis {
  readonly label: string
  readonly log: boolean
  /** Lines that go beyond it leave the picture, and their labels say where they end. */
  readonly max?: number
  /** From the least value rather than from 0, where that shows more; default false. */
  readonly close?: boolean
}

export interface LineChart {
  readonly title: string
  readonly subtitle: string
  readonly x: ChartAxis
  readonly y: ChartAxis
  readonly series: readonly ChartSeries[]
  /** Mark the points, not just the line, where there are few. */
  readonly dots: boolean
}

export interface DrawnSeries extends ChartSeries {
  /** The last value, where the line leaves the picture before it. */
  readonly beyond: number | null
}

export type Domain = readonly [low: number, high: number]

/** The points that the axes can show, cut where the line leaves the picture. */
export function drawnSeries(series: ChartSeries, { x, y }: Pick<LineChart, 'x' | 'y'>): DrawnSeries {
  const shown = series.points.filter((point) => (!x.log || point.x > 0) && (!y.log || point.y > 0))
  const { max } = y
  const out = max === undefined ? -1 : shown.findIndex((point) => point.y > max)
  if (max === undefined || out < 0) return { ...series, points: shown, beyond: null }
  const [before, after] = [shown[out - 1], shown[out]!]
  const beyond = shown.at(-1)!.y
  if (before === undefined) return { ...series, points: [{ x: after.x, y: max, low: null, high: null }], beyond }
  const share = (max - before.y) / (after.y - before.y)
  const crossing = { x: before.x + share * (after.x - before.x), y: max, low: max, high: max }
  return { ...series, points: [...shown.slice(0, out), crossing], beyond }
}

/** Room for the lines, and for bands as far as they do not dwarf the lines: 0 (or less) to the largest value on a linear axis, the
 * least positive value to the largest on a logarithmic or a close one. */
export function domainOf(series: readonly DrawnSeries[], of: 'x' | 'y', axis: ChartAxis): Domain {
  const points = series.flatMap((one) => one.points)
  const values = points.map((point) => point[of]).filter((value) => !axis.log || value > 0)
  if (values.length === 0) return axis.log ? [1, 10] : [0, 1]
  const low = values.reduce((a, b) => Math.min(a, b))
  const most = values.reduce((a, b) => Math.max(a, b))
  const top = of === 'x' ? most : points.reduce((a, { high, y }) => Math.max(a, high ?? y), most)
  if (axis.log) return of === 'x' && most > low ? [low, most] : [low / 1.25, Math.min(top, 1.5 * most) * 1.25]
  if (axis.close === true && low > 0 && most > low) {
    const room = of === 'x' ? 0 : 0.08 * (most - low)
    return [low - room, most + room]
  }
  const bottom = Math.min(0, low)
  if (of === 'x') return [bottom, most > bottom ? most : bottom + 1]
  const high = axis.max ?? Math.min(top, most + 0.3 * (most - bottom))
  const span = high - bottom || 1
  return [bottom < 0 ? bottom - 0.1 * span : 0, axis.max ?? bottom + 1.04 * span]
}
