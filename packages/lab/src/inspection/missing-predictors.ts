// Which columns tell whether another is missing, one by one: AUC = P(predictor larger where missing) + half the ties. A category
// ranks the rows of each half by the share of missing values that its level has in the other half, so that chance gives 1/2.

import type { Column, Table, TextColumn } from '../tables/table.js'
import { MISSING_CODE } from '../tables/table.js'
import { isMissing } from './missing-patterns.js'

export interface MissingPredictor {
  readonly column: string
  readonly predictor: string
  /** 1/2: it tells nothing. */
  readonly auc: number
  /** Distance from 1/2 in standard errors of pure chance. */
  readonly z: number
}

/** Rows looked at, evenly spaced. */
const MAX_ROWS = 20_000
const LEAST_Z = 4
const LEAST_DISTANCE = 0.02

/** For each column that is missing somewhere, what predicts that, the best first; at most three each. */
export function missingPredictors(
  table: Table,
  targets: readonly string[],
  predictors: readonly string[],
): readonly MissingPredictor[] {
  const step = Math.max(1, Math.ceil(table.rows / MAX_ROWS))
  const picked = Array.from({ length: Math.ceil(table.rows / step) }, (_, k) => k * step)
  return targets.flatMap((column) => {
    const target = table.columns.get(column)!
    const missing = Uint8Array.from(picked, (row) => (isMissing(target, row) ? 1 : 0))
    return predictors
      .filter((predictor) => predictor !== column)
      .flatMap((predictor) => {
        const found = tells(table.columns.get(predictor)!, picked, missing)
        return found === null ? [] : [{ column, predictor, ...found }]
      })
      .filter(({ auc: value, z }) => Math.abs(z) >= LEAST_Z && Math.abs(value - 0.5) >= LEAST_DISTANCE)
      .sort((a, b) => Math.abs(b.auc - 0.5) - Math.abs(a.auc - 0.5))
      .slice(0, 3)
  })
}

type Told = Pick<MissingPredictor, 'auc' | 'z'>

/** How well a column tells which of the picked rows are marked; null: too few of either kind. */
export function tells(column: Column, picked: readonly number[], missing: Uint8Array): Told | null {
  const rows = picked.map((_, k) => k)
  if (column.kind === 'number')
    return auc(
      Float64Array.from(picked, (row) => column.values[row]!),
      missing,
      rows,
    )
  const scores = levelScores(column, picked, missing)
  const halves = [0, 1].map((half) =>
    auc(
      scores,
      missing,
      rows.filter((k) => k % 2 === half),
    ),
  )
  const [even, odd] = halves
  if (even == null || odd == null) return even ?? odd ?? null
  return { auc: (even.auc + odd.auc) / 2, z: (even.z + odd.z) / Math.SQRT2 }
}

function levelScores(column: TextColumn, picked: readonly number[], missing: Uint8Array): Float64Array {
  const size = column.levels.length
  const counts = [new Float64Array(size), new Float64Array(size)]
  const hits = [new Float64Array(size), new Float64Array(size)]
  picked.forEach((row, k) => {
    const code = column.codes[row]!
    if (code === MISSING_CODE) return
    counts[k % 2]![code]!++
    hits[k % 2]![code]! += missing[k]!
  })
  return Float64Array.from(picked, (row, k) => {
    const code = column.codes[row]!
    const other = 1 - (k % 2)
    return code === MISSING_CODE || counts[other]![code] === 0
      ? Number.NaN
      : hits[other]![code]! / counts[other]![code]!
  })
}

/** null: too few rows of a kind. */
function auc(values: Float64Array, missing: Uint8Array, rows: readonly number[]): Told | null {
  const known = Uint32Array.from(rows.filter((k) => !Number.isNaN(values[k])))
  known.sort((a, b) => values[a]! - values[b]!)
  let ranks = 0
  let ones = 0
  for (let first = 0; first < known.length; ) {
    let end = first
    while (end < known.length && values[known[end]!] === values[known[first]!]) end++
    for (let k = first; k < end; k++) {
      if (missing[known[k]!] !== 1) continue
      ranks += (first + end + 1) / 2
      ones++
    }
    first = end
  }
  const zeros = known.length - ones
  if (ones < 10 || zeros < 10) return null
  const value = (ranks - (ones * (ones + 1)) / 2) / (ones * zeros)
  return { auc: value, z: (value - 0.5) / Math.sqrt((known.length + 1) / (12 * ones * zeros)) }
}
