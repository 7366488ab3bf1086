// A line of a few pixels: how it went, without axes. Places where nothing is known are passed over: they are not a stretch of time.

interface SparklineProps {
  readonly values: readonly (number | null)[]
  readonly width?: number
  readonly height?: number
  /** As wide as there is room. */
  readonly fill?: boolean
}

/** Fewer points draw a line that says nothing. */
const FEWEST = 4

export function hasCourse(values: readonly (number | null)[]): boolean {
  return values.filter((value) => value !== null).length >= FEWEST
}

export function Sparkline({ values, width = 64, height = 18, fill = false }: SparklineProps) {
  const known = values.filter((value) => value !== null)
  if (!hasCourse(values)) return <svg className="sparkline" width={width} height={height} aria-hidden="true" />
  const min = Math.min(...known)
  const span = Math.max(...known) - min
  const x = (i: number) => 1 + ((width - 2) * i) / (known.length - 1)
  const y = (value: number) => (span === 0 ? height / 2 : height - 2 - ((height - 4) * (value - min)) / span)
  const path = known.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('')
  return (
    <svg
      className="sparkline"
      width={fill ? '100%' : width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
