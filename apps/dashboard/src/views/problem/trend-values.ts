// How a figure of a problem went, for a sparkline: without a last stretch that has only begun.

import type { Trend } from '@primo/contract'

type Point = Trend['points'][number]

export function trendValues(
  { points }: Pick<Trend, 'points'>,
  of: (point: Point) => number | null,
): readonly (number | null)[] {
  const last = points.at(-1)
  const before = points.at(-2)
  const begun = last !== undefined && before !== undefined && last.decisions < before.decisions / 2
  return (begun ? points.slice(0, -1) : points).map(of)
}
