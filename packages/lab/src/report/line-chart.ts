// One line chart as an SVG string: axes with units, bands, lines, and labels where the lines end; a legend under the title where
// labels do not fit beside the lines.

import { linearTicks, logTicks } from './axis-ticks.js'
import { type Domain, type DrawnSeries, domainOf, drawnSeries, type LineChart } from './chart-data.js'
import { spreadLabels } from './label-layout.js'
import { formatTick } from './number-format.js'
import { type ChartFrame, FONT_SIZE, headingsOf, PAD, px, small, svgOf, textAt } from './svg-frame.js'
import {
  type Area,
  band,
  dot,
  gridX,
  gridY,
  line,
  type Scale,
  scaleOf,
  tickLabelsX,
  tickLabelsY,
  tickText,
} from './svg-marks.js'
import { escapeMarkup, shorten, textWidth } from './svg-text.js'

interface Label {
  readonly short: string
  readonly full: string
  readonly detail: string
  readonly width: number
}

type Layout = ReturnType<typeof layoutOf>

const ROW = { legend: 19, label: 15, tightLabel: 12 }
const LEADER = 26
const SWATCH = 26
/** Beyond it dots run into each other. */
const MAX_DOTS = 24
/** Pixels; labels that had to be moved further from their line's end could not be followed. */
const MAX_MOVED = 100
/** Labels stand beside the lines if they take no more than this share of the width. */
const LABEL_SHARE = 0.36

export function drawLineChart(chart: LineChart, frame: ChartFrame): string {
  const layout = layoutOf(chart, frame)
  const { left, right, top, bottom, domain } = layout
  const area = { left, top, right: frame.width - right, bottom: frame.height - bottom }
  const x = scaleOf({ log: chart.x.log, domain: domain.x }, [area.left, area.right])
  const y = scaleOf({ log: chart.y.log, domain: domain.y }, [area.bottom, area.top])
  const plot = { x, y, area }
  const marks = [...marksOf(chart, frame, layout, plot), ...axisLabels(chart, frame, layout)]
  return svgOf([...marks, ...lineLabels(frame, layout, plot)], layout.headings, frame)
}

interface Plot {
  readonly x: Scale
  readonly y: Scale
  readonly area: Area
}

function layoutOf(chart: LineChart, { width, height }: ChartFrame) {
  const series = chart.series.map((one) => drawnSeries(one, chart))
  const last = ({ points, beyond }: DrawnSeries) => beyond ?? points.at(-1)!.y
  const drawn = series.filter(({ points }) => points.length > 0).sort((a, b) => last(b) - last(a))
  const empty = series.filter(({ points }) => points.length === 0).map(({ label }) => label)
  const note = empty.length === 0 ? '' : `Nothing to draw for: ${empty.join(', ')}.`
  const headings = headingsOf({ ...chart, note }, width)
  const domain = { x: domainOf(drawn, 'x', chart.x), y: domainOf(drawn, 'y', chart.y) }
  const bottom = 44 + headings.foot
  const yTicks = chart.y.log
    ? logTicks(domain.y, Math.floor(height / 45))
    : linearTicks(domain.y, Math.round(height / 75))
  const tickWidths = yTicks.map((tick) => textWidth(tickText(tick), FONT_SIZE.label))
  const left = PAD + 10 + Math.max(0, ...tickWidths)
  const labels = labelsOf(drawn)
  const column = Math.max(0, ...labels.map((label) => label.width)) + LEADER + 8
  const gap = Math.min(ROW.label, (height - headings.head - ROW.legend - bottom) / Math.max(1, drawn.length))
  const area = { gap, top: headings.head + 26, bottom: height - bottom }
  const beside =
    gap >= ROW.tightLabel && column <= LABEL_SHARE * width && farthest(drawn, domain.y, chart, area) <= MAX_MOVED
  const legend = beside ? [] : legendPlaces(labels, width - 2 * PAD)
  const top = headings.head + ((legend.at(-1)?.row ?? -1) + 1) * ROW.legend + 26
  const right = beside ? column : PAD + 8
  const room = width - left - right
  const xTicks = chart.x.log
    ? logTicks(domain.x, Math.floor(room / 70))
    : linearTicks(domain.x, Math.max(2, Math.floor(room / 110)))
  return { headings, drawn, labels, domain, top, right, bottom, left, xTicks, yTicks, beside, gap, legend }
}

/** Grid, tick labels, bands, then lines and their dots. */
function marksOf(
  chart: LineChart,
  { theme }: ChartFrame,
  { drawn, domain, xTicks, yTicks }: Layout,
  { x, y, area }: Plot,
): readonly string[] {
  if (drawn.length === 0) return []
  const color = ({ style }: DrawnSeries) => theme.colors[style.color]
  const inside = (value: number) => Math.min(Math.max(value, domain.y[0]), domain.y[1])
  const bands = drawn.flatMap((one) => {
    const points = one.points.flatMap((point) =>
      point.low === null || point.high === null ? [] : [{ x: x(point.x), low: point.low, high: point.high }],
    )
    const edge = (of: 'low' | 'high') => points.map((point) => [point.x, y(inside(point[of]))] as const)
    return points.length > 1 ? [band(edge('low'), edge('high'), color(one))] : []
  })
  const lines = drawn.flatMap((one) => {
    const points = one.points.map((point) => [x(point.x), y(point.y)] as const)
    const dotted = (chart.dots && points.length <= MAX_DOTS) || points.length === 1
    return [
      ...(points.length > 1 ? [line(points, color(one), 2, one.style.dash)] : []),
      ...(dotted ? points.map((point) => dot(point, 2.6, `fill="${color(one)}"`)) : []),
    ]
  })
  return [
    gridY(y, yTicks, area, theme.grid),
    ...(chart.x.log ? [gridX(x, xTicks, area, theme.grid)] : []),
    tickLabelsX(x, xTicks, area, theme.muted),
    tickLabelsY(y, yTicks, area, theme.muted),
    ...bands,
    ...lines,
  ]
}

function axisLabels(chart: LineChart, { width, height, theme }: ChartFrame, layout: Layout): readonly string[] {
  const { top, right, bottom, left, drawn } = layout
  if (drawn.length === 0) {
    const why = chart.y.log ? 'Nothing above zero to show' : 'Nothing to show'
    return [textAt(width / 2, (top + height - bottom) / 2, why, `${small(theme)} text-anchor="middle"`)]
  }
  return [
    textAt(PAD, top - 12, `↑ ${chart.y.label}`, small(theme)),
    textAt(width - right, height - bottom + 36, `${chart.x.label} →`, `${small(theme)} text-anchor="end"`),
    `<path d="M${px(left)},${px(height - bottom)}H${px(width - right)}" stroke="${theme.muted}" fill="none"/>`,
  ]
}

/** Labels where the lines end, each tied to its line; or the legend. */
function lineLabels({ width, height, theme }: ChartFrame, layout: Layout, { x, y }: Plot): readonly string[] {
  const { drawn, labels, top, right, bottom, headings, beside, gap, legend } = layout
  if (drawn.length === 0) return []
  const stroke = ({ style }: DrawnSeries, strokeWidth: number) =>
    `stroke="${theme.colors[style.color]}" stroke-width="${strokeWidth}" fill="none"` +
    `${style.dash === null ? '' : ` stroke-dasharray="${style.dash}"`}`
  const text = (at: number, row: number, { short, full, detail }: Label) =>
    `<text x="${px(at)}" y="${px(row)}" dy="0.34em">${short === full ? '' : `<title>${escapeMarkup(full)}</title>`}` +
    `${escapeMarkup(short)}${detail === '' ? '' : `<tspan dx="6" fill="${theme.muted}">${escapeMarkup(detail)}</tspan>`}</text>`
  if (!beside) {
    return drawn.flatMap((one, i) => {
      const [start, row] = [PAD + legend[i]!.x, headings.head + 8 + legend[i]!.row * ROW.legend]
      return [`<path d="M${px(start)},${px(row)}h20" ${stroke(one, 2.5)}/>`, text(start + SWATCH, row, labels[i]!)]
    })
  }
  const ends = drawn.map(({ points, beyond }) => (beyond === null ? y(points.at(-1)!.y) : top))
  const places = spreadLabels(ends, { gap, top: top - 4, bottom: height - bottom }) ?? ends
  const start = width - right
  return drawn.flatMap((one, i) => {
    const from = one.beyond === null ? [x(one.points.at(-1)!.x) + 2, ends[i]!] : [start + 6, places[i]!]
    const leader = `M${from.map(px).join()}L${px(start + LEADER - 6)},${px(places[i]!)}`
    return [`<path d="${leader}" ${stroke(one, 1.25)}/>`, text(start + LEADER - 2, places[i]!, labels[i]!)]
  })
}

/** How far the label furthest from the end of its line would be. */
function farthest(
  drawn: readonly DrawnSeries[],
  [low, high]: Domain,
  { y }: LineChart,
  area: { readonly gap: number; readonly top: number; readonly bottom: number },
): number {
  const scale = y.log ? Math.log : (value: number) => value
  const share = (value: number) => (scale(value) - scale(low)) / (scale(high) - scale(low))
  const ends = drawn.map(({ points }) => area.bottom - share(points.at(-1)!.y) * (area.bottom - area.top))
  const places = spreadLabels(ends, { ...area, top: area.top - 4 })
  return places === null
    ? Number.POSITIVE_INFINITY
    : Math.max(0, ...places.map((place, i) => Math.abs(place - ends[i]!)))
}

function labelsOf(drawn: readonly DrawnSeries[]): readonly Label[] {
  const shorter = drawn.map(({ label }) => shorten(label, 34))
  const distinct = new Set(shorter).size === shorter.length
  return drawn.map(({ label, detail = '', beyond }, i) => {
    const short = distinct ? shorter[i]! : label
    const all = beyond === null ? detail : `↑ ${formatTick(Number(beyond.toPrecision(4)))} ${detail}`.trim()
    const width = textWidth(short, FONT_SIZE.label) + (all === '' ? 0 : 6 + textWidth(all, FONT_SIZE.label))
    return { short, full: label, detail: all, width }
  })
}

function legendPlaces(
  labels: readonly Label[],
  width: number,
): readonly { readonly row: number; readonly x: number }[] {
  let row = 0
  let end = 0
  return labels.map((label) => {
    const wide = SWATCH + label.width
    if (end > 0 && end + wide > width) {
      row++
      end = 0
    }
    const x = end
    end += wide + 16
    return { row, x }
  })
}
