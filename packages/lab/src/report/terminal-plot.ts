// Curves in characters: one mark per curve, y from 0 (or the smallest value) upwards, labels at the right where curves end.

/** A curve of a plot in characters. */
export interface Curve {
  readonly label: string
  readonly mark: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface PlotOptions {
  readonly title: string
  readonly xLabel: string
  /** Characters; default 64 x 16. */
  readonly width?: number
  readonly height?: number
}

/** Draws curves in characters. */
export function terminalPlot(curves: readonly Curve[], options: PlotOptions): string {
  const { title, xLabel, width = 64, height = 16 } = options
  const points = curves.flatMap((curve) => curve.points)
  if (points.length === 0) return `${title}\n(nothing to draw)`
  const maxX = Math.max(...points.map(({ x }) => x))
  const minX = Math.min(...points.map(({ x }) => x))
  const maxY = Math.max(...points.map(({ y }) => y), 0)
  const minY = Math.min(...points.map(({ y }) => y), 0)
  const spanX = maxX - minX || 1
  const spanY = maxY - minY || 1
  const rowOf = (y: number) => Math.round(((maxY - y) / spanY) * (height - 1))
  const grid = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '))
  for (const curve of curves) {
    for (let column = 0; column < width; column++) {
      const y = interpolate(curve.points, minX + (column / (width - 1)) * spanX)
      if (y !== undefined) grid[rowOf(y)]![column] = curve.mark
    }
  }
  const ends = new Map<number, string[]>()
  for (const curve of [...curves].sort((a, b) => (b.points.at(-1)?.y ?? 0) - (a.points.at(-1)?.y ?? 0))) {
    const last = curve.points.at(-1)
    if (last === undefined) continue
    const row = rowOf(last.y)
    ends.set(row, [...(ends.get(row) ?? []), `${curve.mark} ${curve.label}`])
  }
  const scale = (value: number) => value.toLocaleString('en', { maximumFractionDigits: spanY < 10 ? 2 : 0 })
  const left = Math.max(scale(maxY).length, scale(minY).length)
  const lines = grid.map((cells, row) => {
    const tick =
      row === 0
        ? scale(maxY)
        : row === height - 1
          ? scale(minY)
          : row === Math.floor(height / 2)
            ? scale(maxY - (row / (height - 1)) * spanY)
            : ''
    return `${tick.padStart(left)} ┤${cells.join('')} ${(ends.get(row) ?? []).join(', ')}`.trimEnd()
  })
  const axis = `${' '.repeat(left)} └${'─'.repeat(width)}`
  const first = minX.toLocaleString('en')
  const last = maxX.toLocaleString('en')
  const footer = `${' '.repeat(left + 2)}${first}${xLabel.padStart(Math.floor((width + xLabel.length) / 2) - first.length).padEnd(width - first.length - last.length)}${last}`
  return [title, ...lines, axis, footer].join('\n')
}

function interpolate(points: Curve['points'], x: number): number | undefined {
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]!
    const b = points[i]!
    if (x >= a.x && x <= b.x) return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x)
  }
  return points.length === 1 && points[0]!.x === x ? points[0]!.y : undefined
}
