// The marks of all pictures as SVG: scales, grid lines, tick labels, bands, lines and dots.

import { formatTick, typeset } from './number-format.js'
import { FONT_SIZE, px, textAt } from './svg-frame.js'

/** The pixel of a value. */
export type Scale = (value: number) => number

export function scaleOf(
  { log = false, domain: [low, high] }: { readonly log?: boolean; readonly domain: readonly [number, number] },
  [from, to]: readonly [number, number],
): Scale {
  const inner = log ? Math.log : (value: number) => value
  const [start, span] = [inner(low), inner(high) - inner(low)]
  return (value) => from + ((inner(value) - start) / span) * (to - from)
}

/** Edges of the area that values are drawn in. */
export interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export function gridX(x: Scale, ticks: readonly number[], { top, bottom }: Area, stroke: string): string {
  return `<path d="${ticks.map((tick) => `M${px(x(tick))},${px(top)}V${px(bottom)}`).join('')}" stroke="${stroke}"/>`
}

export function gridY(y: Scale, ticks: readonly number[], { left, right }: Area, stroke: string): string {
  return `<path d="${ticks.map((tick) => `M${px(left)},${px(y(tick))}H${px(right)}`).join('')}" stroke="${stroke}"/>`
}

export function tickLabelsX(x: Scale, ticks: readonly number[], { bottom }: Area, fill: string): string {
  const attributes = `text-anchor="middle" fill="${fill}"`
  return ticks.map((tick) => textAt(x(tick), bottom + 7 + 0.71 * FONT_SIZE.label, tickText(tick), attributes)).join('')
}

export function tickLabelsY(y: Scale, ticks: readonly number[], { left }: Area, fill: string): string {
  const attributes = `text-anchor="end" fill="${fill}"`
  return ticks.map((tick) => textAt(left - 7, y(tick) + 0.32 * FONT_SIZE.label, tickText(tick), attributes)).join('')
}

export function tickText(tick: number): string {
  return typeset(formatTick(tick))
}

type Pixel = readonly [x: number, y: number]

export function pathOf(points: readonly Pixel[]): string {
  return `M${points.map((point) => point.map(px).join()).join('L')}`
}

export function line(points: readonly Pixel[], stroke: string, width: number, dash: string | null): string {
  const dashes = dash === null ? '' : ` stroke-dasharray="${dash}"`
  return `<path d="${pathOf(points)}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round"${dashes}/>`
}

/** Between two lines over the same places. */
export function band(low: readonly Pixel[], high: readonly Pixel[], fill: string): string {
  return `<path d="${pathOf([...low, ...high.toReversed()])}Z" fill="${fill}" fill-opacity="0.16"/>`
}

export function dot([x, y]: Pixel, radius: number, attributes: string): string {
  return `<circle cx="${px(x)}" cy="${px(y)}" r="${radius}" ${attributes}/>`
}
