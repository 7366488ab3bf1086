// Slope of log y on log x measured in every repetition by itself, so that the mean slope has a standard error.

import { type Summary, slope, summarise } from '@primo/lab'

/** `columns[i]` holds the repetitions at x[i]; all have the same length. */
export function repeatedSlope(x: readonly number[], columns: readonly (readonly number[])[]): Summary {
  const logs = x.map(Math.log)
  const slopes = columns[0]!.map((_, k) =>
    slope(
      logs,
      columns.map((column) => Math.log(column[k]!)),
    ),
  )
  return summarise(slopes)
}
