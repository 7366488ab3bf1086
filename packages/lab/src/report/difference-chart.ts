// A row per policy (or whatever is compared): the values of the single seeds, their mean and its 95% interval. Made for
// differences from a reference, drawn from zero to either side.

import { formatEstimates, formatTick, typeset } from './number-format.js'
import { plotLibrary } from './plot-library.js'
import type { SeriesStyle } from './series-style.js'
import { type ChartFrame, FONT_SIZE, headingsOf, PAD, px, small, svgOf, textAt } from './svg-frame.js'
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
export async function drawDifferenceChart(chart: DifferenceChart, asked: ChartFrame): Promise<string> {
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
  const ticks = Math.max(2, Math.floor((width - left - right) / 100))

  const { document, plot, axisX, dot, gridX, ruleX, ruleY } = await plotLibrary()
  const color = ({ style }: DifferenceRow) => theme.colors[style.color]
  const bars = shown.flatMap((row) =>
    row.drawn && row.interval !== null
      ? [{ y: row.y, x1: clamp(row.interval[0], domain), x2: clamp(row.interval[1], domain), color: color(row) }]
      : [],
  )
  const dots = shown.flatMap((row) => (row.drawn ? [{ y: row.y, x: row.mean, color: color(row) }] : []))
  const seeds = shown.flatMap((row) =>
    row.drawn ? row.seeds.filter(inside).map((x) => ({ y: row.y, x, color: color(row) })) : [],
  )
  const element = plot({
    document,
    width,
    height: frame.height,
    marginTop: top,
    marginBottom: bottom,
    marginLeft: left,
    marginRight: right,
    axis: null,
    x: { type: 'linear', domain },
    y: { type: 'linear', domain: [-0.5, chart.rows.length - 0.5], reverse: true },
    color: { type: 'identity' },
    marks: [
      gridX({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
      axisX({
        ticks,
        label: null,
        text: (value: number) => typeset(formatTick(value)),
        tickSize: 0,
        fontSize: FONT_SIZE.label,
        color: theme.muted,
      }),
      ruleX([0], { stroke: theme.muted, strokeWidth: 1.5 }),
      dot(seeds, { x: 'x', y: 'y', fill: 'color', fillOpacity: 0.3, r: 2.5 }),
      ruleY(bars, { x1: 'x1', x2: 'x2', y: 'y', stroke: 'color', strokeWidth: 3 }),
      dot(dots, { x: 'x', y: 'y', fill: 'color', r: 4.5, stroke: theme.background ?? 'var(--page)', strokeWidth: 1 }),
    ],
  })
  const [x, y] = [element.scale('x'), element.scale('y')]
  // Names above their rows must not be struck through by the lines of the grid.
  const halo = ` stroke="${theme.background ?? 'var(--page)'}" stroke-width="5" stroke-linejoin="round" paint-order="stroke"`
  const onTop = shown.flatMap((row, i) => {
    const full = names[i] === row.label ? '' : `<title>${escapeMarkup(row.label)}</title>`
    const at = narrow ? { x: PAD, y: y.apply(i) - 15 } : { x: left - 12, y: y.apply(i) }
    const name = `<text x="${px(at.x)}" y="${px(at.y)}" dy="0.34em"${narrow ? halo : ' text-anchor="end"'}>${full}${escapeMarkup(names[i]!)}</text>`
    const amount = textAt(width - PAD, y.apply(i), amounts[i]!, `dy="0.34em" text-anchor="end" fill="${theme.muted}"`)
    const [least, most] = row.drawn ? (row.interval ?? [0, 0]) : [row.mean, row.mean]
    const arrow = (edge: number, back: number) =>
      `<path class="beyond" d="M${px(x.apply(edge))},${px(y.apply(i))}l${back},-5v10z" fill="${color(row)}"/>`
    return [
      name,
      amount,
      ...(least < domain[0] ? [arrow(domain[0], 9)] : []),
      ...(most > domain[1] ? [arrow(domain[1], -9)] : []),
    ]
  })
  const [zero, axis] = [x.apply(0), frame.height - bottom + 40]
  const less = textAt(zero - 8, axis, `← ${chart.less}`, `${small(theme)} text-anchor="end"`)
  const more = textAt(zero + 8, axis, `${chart.more} →`, small(theme))
  const fits = (text: string, room: number) => text !== '' && textWidth(text, FONT_SIZE.text) + 24 <= room
  const sides = [...(fits(chart.less, zero) ? [less] : []), ...(fits(chart.more, width - zero) ? [more] : [])]
  return svgOf(element, headings, frame, [...onTop, ...sides])
}
