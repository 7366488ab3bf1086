// A row per policy (or whatever is compared): the values of the single seeds, their mean and its 95% interval. Made for
// differences from a reference, drawn from zero to either side.

import { linearTicks } from './axis-ticks.js'
import { formatEstimates, typeset } from './number-format.js'
import type { SeriesStyle } from './series-style.js'
import { type ChartFrame, FONT_SIZE, headingsOf, PAD, px, small, svgOf, textAt } from './svg-frame.js'
import { dot, gridX, scaleOf, tickLabelsX } from './svg-marks.js'
import { escapeMarkup, shorten, textWidth } from './svg-text.js'

interface DifferenceRow {
  readonly label: string
  readonly style: SeriesStyle
  readonly mean: number
  readonly standardError: number | null
  readonly interval: readonly [number, number] | null
  /** One value per seed, such as policy minus reference. */
  readonly seeds: readonly number[]
}

export interface DifferenceChart {
  readonly title: string
  readonly subtitle: string
  readonly note: string
  /** Under the axis, at the left and the right of zero; '': nothing. */
  readonly less: string
  readonly more: string
  /** Means and seeds beyond it are not drawn, only said; an interval that goes on beyond it ends in a triangle. */
  readonly max: number | null
  readonly rows: readonly DifferenceRow[]
}

/** As high as its rows need; the frame's height is not used. */
export function drawDifferenceChart(chart: DifferenceChart, asked: ChartFrame): string {
  const { width, theme } = asked
  const headings = headingsOf(chart, width)
  const narrow = width < 560
  const band = narrow ? 42 : 28
  const top = headings.head + (narrow ? 22 : 8)
  const bottom = 52 + headings.foot
  const frame = { ...asked, height: top + bottom + chart.rows.length * band }
  const names = chart.rows.map(({ label }) => shorten(label, 40))
  const amounts = formatEstimates(chart.rows).map(typeset)
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => textWidth(text, FONT_SIZE.label)))
  const left = narrow ? PAD + 8 : PAD + widest(names) + 14
  const right = widest(amounts) + PAD + 10
  const limit = chart.max ?? Number.POSITIVE_INFINITY
  const inside = (value: number) => Math.abs(value) <= limit
  const shown = chart.rows.map((row, y) => ({ ...row, y, drawn: inside(row.mean) }))
  const clamp = (value: number, [least, most]: readonly [number, number]) => Math.min(most, Math.max(least, value))
  const kept = shown.flatMap(({ drawn, mean, interval, seeds }) =>
    drawn ? [mean, ...(interval ?? []).map((end) => clamp(end, [-limit, limit])), ...seeds.filter(inside)] : [],
  )
  const span = Math.max(...kept.map(Math.abs), 0) || 1
  const [low, high] = [Math.min(0, ...kept), Math.max(0, ...kept)]
  const domain = [low - 0.05 * span, high + 0.05 * span] as const
  const ticks = linearTicks(domain, Math.max(2, Math.floor((width - left - right) / 100)))
  const area = { left, right: width - right, top, bottom: frame.height - bottom }
  const x = scaleOf({ domain }, [area.left, area.right])
  const y = (row: number) => top + (row + 0.5) * band
  const color = ({ style }: DifferenceRow) => theme.colors[style.color]
  const marks = shown.flatMap((row) => {
    if (!row.drawn) return []
    const at = y(row.y)
    const page = theme.background ?? 'var(--page)'
    const [from, to] = (row.interval ?? [row.mean, row.mean]).map((end) => px(x(clamp(end, domain))))
    const bar = `<line x1="${from}" x2="${to}" y1="${px(at)}" y2="${px(at)}" stroke="${color(row)}" stroke-width="3"/>`
    return [
      ...row.seeds.filter(inside).map((seed) => dot([x(seed), at], 2.5, `fill="${color(row)}" fill-opacity="0.3"`)),
      ...(row.interval === null ? [] : [bar]),
      dot([x(row.mean), at], 4.5, `fill="${color(row)}" stroke="${page}"`),
    ]
  })
  const axis = [
    gridX(x, ticks, area, theme.grid),
    tickLabelsX(x, ticks, area, theme.muted),
    gridX(x, [0], area, theme.muted),
  ]
  // Names above their rows must not be struck through by the lines of the grid.
  const halo = ` stroke="${theme.background ?? 'var(--page)'}" stroke-width="5" stroke-linejoin="round" paint-order="stroke"`
  const onTop = shown.flatMap((row, i) => {
    const full = names[i] === row.label ? '' : `<title>${escapeMarkup(row.label)}</title>`
    const at = narrow ? { x: PAD, y: y(i) - 15 } : { x: left - 12, y: y(i) }
    const name = `<text x="${px(at.x)}" y="${px(at.y)}" dy="0.34em"${narrow ? halo : ' text-anchor="end"'}>${full}${escapeMarkup(names[i]!)}</text>`
    const amount = textAt(width - PAD, y(i), amounts[i]!, `dy="0.34em" text-anchor="end" fill="${theme.muted}"`)
    const [least, most] = row.drawn ? (row.interval ?? [0, 0]) : [row.mean, row.mean]
    const arrow = (edge: number, back: number) =>
      `<path class="beyond" d="M${px(x(edge))},${px(y(i))}l${back},-5v10z" fill="${color(row)}"/>`
    return [
      name,
      amount,
      ...(least < domain[0] ? [arrow(domain[0], 9)] : []),
      ...(most > domain[1] ? [arrow(domain[1], -9)] : []),
    ]
  })
  const [zero, under] = [x(0), frame.height - bottom + 40]
  const less = textAt(zero - 8, under, `← ${chart.less}`, `${small(theme)} text-anchor="end"`)
  const more = textAt(zero + 8, under, `${chart.more} →`, small(theme))
  const fits = (text: string, room: number) => text !== '' && textWidth(text, FONT_SIZE.text) + 24 <= room
  const sides = [...(fits(chart.less, zero) ? [less] : []), ...(fits(chart.more, width - zero) ? [more] : [])]
  return svgOf([...axis, ...marks, ...onTop, ...sides], headings, frame)
}
