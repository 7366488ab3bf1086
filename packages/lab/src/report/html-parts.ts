// Parts of report pages. What is named `html` is HTML already; everything else is escaped here.

import { typeset } from './number-format.js'
import { escapeMarkup } from './svg-text.js'
import type { Table } from './tables.js'

/** Width and height of pictures for a phone. */
export const narrowFrame = { width: 400, height: 500 }

export interface Setting {
  readonly name: string
  readonly html: string
}

export function settingsList(settings: readonly Setting[]): string {
  const shown = settings.filter(({ html }) => html !== '')
  return `<dl>${shown.map(({ name, html }) => `<dt>${escapeMarkup(name)}</dt><dd>${html}</dd>`).join('')}</dl>`
}

/** The first column names the row; `mark` is HTML put before a name, `strong` are rows to stand out. */
export function htmlTable(
  { header, rows }: Table,
  options: { readonly mark?: (name: string) => string; readonly strong?: (name: string) => boolean } = {},
): string {
  const { mark = () => '', strong = () => false } = options
  const head = header.map((title) => `<th scope="col">${escapeMarkup(title)}</th>`).join('')
  const body = rows.map(([name = '', ...cells]) => {
    const values = cells.map((cell) => `<td>${escapeMarkup(cell === '-' ? '–' : typeset(cell))}</td>`)
    const title = `<th scope="row">${mark(name)}${escapeMarkup(name)}</th>`
    return `<tr${strong(name) ? ' class="strong"' : ''}>${title}${values.join('')}</tr>`
  })
  return `<div class="table" tabindex="0" role="region" aria-label="${escapeMarkup(header.join(', '))}"><table>
<thead><tr>${head}</tr></thead>
<tbody>${body.join('\n')}</tbody></table></div>`
}

/** One picture in two sizes, of which the reader's screen shows one. */
export function htmlFigure({ wide, narrow, caption }: { wide: string; narrow: string; caption: string }): string {
  const words = caption === '' ? '' : `<figcaption>${escapeMarkup(caption)}</figcaption>`
  return `<figure><div class="wide">${wide}</div><div class="narrow">${narrow}</div>${words}</figure>`
}
