// A cell as CSV text: quoted where it must be, so that empty text (quoted) and no value (nothing) stay apart.

export function csvCell(cell: number | string | null): string {
  if (typeof cell === 'string') return csvText(cell)
  if (cell === null || Number.isNaN(cell)) return ''
  return Object.is(cell, -0) ? '-0' : String(cell)
}

function csvText(text: string): string {
  return text === '' || /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
