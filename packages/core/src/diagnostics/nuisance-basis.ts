// The basis of nuisances that bend: for every context column that is no flag x, x^2 - 1/3, sin(pi x) and cos(pi x), and the products
// of pairs of columns; flags (0 and 1) enter as they are. Columns lie in [-1, 1].

import { sineOfPi } from '@primo/numeric'
import type { MissingTable } from './cross-fit.js'

/** More columns are not tried, nor more cells held. */
const MAX_COLUMNS = 150
const MAX_CELLS = 5e7

export interface NuisanceBasis {
  readonly columns: number
  /** Rows x columns, row-major. */
  readonly cells: Float64Array
}

/** null: there is nothing to bend, or too much of it. */
export function nuisanceBasis({ context, contextWidth: width, observed }: MissingTable): NuisanceBasis | null {
  const rows = observed.length
  const bends = Array.from({ length: width }, (_, k) => !isFlag(context, k, width))
  const curved = bends.filter(Boolean).length
  const singles = width + 3 * curved
  const pairs = (width * (width - 1)) / 2
  const columns = singles + pairs <= MAX_COLUMNS ? singles + pairs : singles
  if (curved === 0 || columns > MAX_COLUMNS || rows * columns > MAX_CELLS) return null
  const cells = new Float64Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    const from = row * width
    let to = row * columns
    for (let k = 0; k < width; k++) {
      const x = context[from + k]!
      cells[to++] = x
      if (!bends[k]) continue
      cells[to++] = x * x - 1 / 3
      cells[to++] = sineOfPi(x)
      cells[to++] = sineOfPi(x + 0.5)
    }
    if (columns === singles) continue
    for (let i = 0; i < width; i++)
      for (let j = i + 1; j < width; j++) cells[to++] = context[from + i]! * context[from + j]!
  }
  return { columns, cells }
}

function isFlag(context: Float64Array, column: number, width: number): boolean {
  for (let at = column; at < context.length; at += width) if (context[at] !== 0 && context[at] !== 1) return false
  return true
}
