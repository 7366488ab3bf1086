// A table for the terminal: the first column to the left, the others to the right.

/** A table in characters: the first column to the left, the others to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, k) => Math.max(title.length, ...rows.map((row) => (row[k] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, k) => (k === 0 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)))
      .join('  ')
      .trimEnd()
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
