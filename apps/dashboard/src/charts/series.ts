// What a chart draws, and what can be read from it at a place.

export interface Point {
  readonly x: number
  /** null: not known. The line has a gap there. */
  readonly y: number | null
  /** Limits of an interval around y. */
  readonly low?: number
  readonly high?: number
}

export interface Line {
  readonly name: string
  readonly color: string
  readonly points: readonly Point[]
  readonly dash?: string
  readonly thick?: boolean
  /** A dot at each point. */
  readonly dots?: boolean
  /** An earlier line, kept for comparison: faint, without name or values. */
  readonly ghost?: boolean
}

export interface KnownPoint extends Point {
  readonly y: number
}

/** The stretches between gaps; a gap no wider than `bridge` is passed over. */
export function runsOf(points: readonly Point[], bridge = 0): KnownPoint[][] {
  const runs: KnownPoint[][] = []
  let open = false
  for (const point of points) {
    if (point.y === null) {
      open = false
      continue
    }
    const last = runs.at(-1)?.at(-1)
    if (last !== undefined && (open || point.x - last.x <= bridge)) runs.at(-1)!.push(point as KnownPoint)
    else runs.push([point as KnownPoint])
    open = true
  }
  return runs
}

/** Points in order with a gap wherever two or more of them are left out. */
export function withGaps(points: readonly Point[], spacing: number): Point[] {
  return points.flatMap((point, i) => {
    const before = points[i - 1]
    return before !== undefined && point.x - before.x > 2.5 * spacing
      ? [{ x: before.x + spacing, y: null }, point]
      : [point]
  })
}

/** The line's own point at x: none that is further away than half of its spacing, so that no value is older than it seems. */
export function pointAt(points: readonly Point[], x: number): KnownPoint | null {
  const at = nearest(points.length, (i) => points[i]!.x, x)
  if (at === null) return null
  const point = points[at]!
  const spacing = Math.min(distance(points, at, -1), distance(points, at, 1))
  const near = Math.abs(point.x - x) <= (Number.isFinite(spacing) ? spacing / 2 : 0)
  return near && point.y !== null ? (point as KnownPoint) : null
}

function distance(points: readonly Point[], at: number, step: number): number {
  const other = points[at + step]
  return other === undefined ? Number.POSITIVE_INFINITY : Math.abs(other.x - points[at]!.x)
}

/** The index of the nearest of ascending places. */
export function nearest(count: number, place: (index: number) => number, x: number): number | null {
  if (count === 0) return null
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (place(middle) < x) low = middle + 1
    else high = middle
  }
  return low > 0 && x - place(low - 1) <= place(low) - x ? low - 1 : low
}

/** Each line upon those before it; a point that is not known stays so. */
export function stacked(lines: readonly Line[]): Line[] {
  const reached = new Map<number, number>()
  return lines.map((line) => ({
    ...line,
    points: line.points.map(({ x, y }) => {
      if (y === null) return { x, y }
      const low = reached.get(x) ?? 0
      reached.set(x, low + y)
      return { x, y, low, high: low + y }
    }),
  }))
}
