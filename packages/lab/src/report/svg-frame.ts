// What all pictures share: size, font, title, subtitle, notes, and the SVG element around a plot.

import type { PlotTheme } from './series-style.js'
import { escapeMarkup, wrapText } from './svg-text.js'

export interface ChartFrame {
  readonly width: number
  readonly height: number
  readonly theme: PlotTheme
}

export interface Headings {
  readonly title: readonly string[]
  readonly subtitle: readonly string[]
  readonly note: readonly string[]
  /** Where the headings end, from the top. */
  readonly head: number
  /** Room that the notes take at the bottom. */
  readonly foot: number
}

export const FONT_SIZE = { title: 17, text: 12.5, label: 12, note: 11 }
export const PAD = 16
const FONT = "'Segoe UI', 'Helvetica Neue', Roboto, Arial, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
/** Bold letters are wider by about this. */
const BOLD = 1.15
const LINE = { title: 22, text: 17, note: 15 }

/** Title, subtitle and note broken into lines that fit. */
export function headingsOf(words: { title: string; subtitle: string; note: string }, width: number): Headings {
  const inner = width - 2 * PAD
  const title = wrapText(words.title, inner, BOLD * FONT_SIZE.title)
  const subtitle = words.subtitle === '' ? [] : wrapText(words.subtitle, inner, FONT_SIZE.text)
  const note = words.note === '' ? [] : wrapText(words.note, inner, FONT_SIZE.note)
  const head = PAD + title.length * LINE.title + subtitle.length * LINE.text + 4
  return { title, subtitle, note, head, foot: note.length * LINE.note }
}

/** The picture: background, its marks, and headings. */
export function svgOf(
  marks: readonly string[],
  { title, subtitle, note }: Headings,
  { width, height, theme }: ChartFrame,
): string {
  const under = PAD + title.length * LINE.title
  const words = [
    ...title.map((line, i) =>
      textAt(PAD, PAD + 14 + i * LINE.title, line, `font-size="${FONT_SIZE.title}" font-weight="600"`),
    ),
    ...subtitle.map((line, i) => textAt(PAD, under + 11 + i * LINE.text, line, small(theme))),
    ...note.map((line, i) => {
      const y = height - 10 - (note.length - 1 - i) * LINE.note
      return textAt(PAD, y, line, `font-size="${FONT_SIZE.note}" fill="${theme.muted}"`)
    }),
  ]
  const background =
    theme.background === null ? '' : `<rect width="${width}" height="${height}" fill="${theme.background}"/>`
  const label = escapeMarkup([...title, ...subtitle].join(' '))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="${label}" font-family="${FONT}" font-size="${FONT_SIZE.label}" text-anchor="start" ` +
    `fill="${theme.colors.ink}" color="${theme.colors.ink}">${background}` +
    `${marks.join('')}${words.join('')}</svg>`
  )
}

/** Attributes of subtitles and axis labels. */
export function small(theme: PlotTheme): string {
  return `font-size="${FONT_SIZE.text}" fill="${theme.muted}"`
}

export function textAt(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escapeMarkup(words)}</text>`
}

export function px(value: number): string {
  return String(Math.round(value * 100) / 100)
}
