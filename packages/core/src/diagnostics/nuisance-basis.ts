// The columns that nuisances are fitted on, written row by row when they are read, so that a long table costs no more memory: the context
// as it is, or a basis that bends. That is for every context column that is no flag x, x^2 - 1/3, sin(pi x) and cos(pi x), and the
// products of pairs of columns; flags (0 and 1) enter as they are. Columns lie in [-1, 1].

import { sineOfPi } from '@primo/numeric'
import type { MissingTable } from './cross-fit.js'

/** More columns are not tried. */
const MAX_COLUMNS = 150

/** A column that fills less of [-1, 1] than this part is stretched. */
const FILLED = 1 / 4

/**
 * The table with numbers that fill a small part of their declared range stretched over all of [-1, 1]: as they are, nothing would bend. The
 * same table where there are none.
 */
export function inSeenRange(table: MissingTable): MissingTable {
  const { context, contextWidth: width } = table
  const narrow = Array.from({ length: width }, (_, k) => k).flatMap((column) => {
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (let at = column; at < context.length; at += width) {
      min = Math.min(min, context[at]!)
      max = Math.max(max, context[at]!)
    }
    const half = (max - min) / 2
    return half > 0 && half < FILLED ? [{ column, centre: min + half, half }] : []
  })
  if (narrow.length === 0) return table
  const stretched = context.slice()
  for (const { column, centre, half } of narrow)
    for (let at = column; at < context.length; at += width) stretched[at] = (context[at]! - centre) / half
  return { ...table, context: stretched }
}

export interface NuisanceBasis {
  readonly columns: number
  readonly write: (row: number, out: Float64Array, at: number) => void
}

export function plainBasis({ context, contextWidth: width }: MissingTable): NuisanceBasis {
  return {
    columns: width,
    write: (row, out, at) => {
      for (let k = 0; k < width; k++) out[at + k] = context[row * width + k]!
    },
  }
}

/** null: there is nothing to bend, or too much of it. */
export function bentBasis({ context, contextWidth: width }: MissingTable): NuisanceBasis | null {
  const bends = Array.from({ length: width }, (_, k) => !isFlag(context, k, width))
  const curved = bends.filter(Boolean).length
  const singles = width + 3 * curved
  const pairs = (width * (width - 1)) / 2
  const columns = singles + pairs <= MAX_COLUMNS ? singles + pairs : singles
  if (curved === 0 || columns > MAX_COLUMNS) return null
  return {
    columns,
    write: (row, out, at) => {
      const from = row * width
      let to = at
      for (let k = 0; k < width; k++) {
        const x = context[from + k]!
        out[to++] = x
        if (!bends[k]) continue
        out[to++] = x * x - 1 / 3
        out[to++] = sineOfPi(x)
        out[to++] = sineOfPi(x + 0.5)
      }
      if (columns === singles) return
      for (let i = 0; i < width; i++)
        for (let j = i + 1; j < width; j++) out[to++] = context[from + i]! * context[from + j]!
    },
  }
}

function isFlag(context: Float64Array, column: number, width: number): boolean {
  for (let at = column; at < context.length; at += width) if (context[at] !== 0 && context[at] !== 1) return false
  return true
}
