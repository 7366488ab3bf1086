// The ladder's isotonic rung (method#ladder, option): z as an increasing function m of g~, for models that order people rightly and
// measure them wrongly (a saturated or compressed scale), which no basis of the context mends cheaply. On each fold the known rows are
// put into at most 64 bins of equal size by g~ and the bin means pooled until they increase; m_f runs straight between them.
// Folds are those of the other rungs, and it is judged as they are: held = sum_f sum over the other fold of (z - m_f(g~))^2.

import { BLOCK_ROUNDS, poolAdjacentViolators } from '@primo/numeric'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { foldOfRound } from './ladder-sums.js'
import { compileMap, type MonotoneMap } from './monotone-map.js'

export interface IsotonicRung {
  /** m_f(g~) - g~ as fitted on each fold. */
  readonly maps: readonly [MonotoneMap, MonotoneMap]
  /** sum_f over the other fold: (y - d_f)^2, y d_f, d_f^2 and y^2, with y = z - g~; and the weight of all rows. */
  readonly heldOut: number
  readonly product: number
  readonly square: number
  readonly before: number
  readonly weight: number
}

const MAX_BINS = 64
const FEWEST_ROWS = 30
/** Fewer rows than this are no bin. */
const SMALLEST_BIN = 5

interface KnownRow {
  readonly pretrained: number
  readonly truth: number
  readonly weight: number
}

/** null: too few rows, or a covariate of several columns. */
export function fitIsotonicRung(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  halfLife: number | null,
): IsotonicRung | null {
  if (covariate.width !== 1) return null
  const folds = knownRows(table, range, covariate, which, halfLife)
  if (folds[0].length + folds[1].length < FEWEST_ROWS) return null
  const maps = [monotone(folds[0]), monotone(folds[1])] as const
  if (maps[0] === null || maps[1] === null) return null
  let heldOut = 0
  let product = 0
  let square = 0
  let before = 0
  let total = 0
  for (const f of [0, 1] as const) {
    const d = compileMap(maps[f]!)
    for (const { pretrained, truth, weight } of folds[f === 0 ? 1 : 0]) {
      const y = truth - pretrained
      const moved = d(pretrained)
      heldOut += weight * (y - moved) ** 2
      product += weight * y * moved
      square += weight * moved * moved
      before += weight * y * y
      total += weight
    }
  }
  return { maps: [maps[0], maps[1]], heldOut, product, square, before, weight: total }
}

function knownRows(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  halfLife: number | null,
): readonly [KnownRow[], KnownRow[]] {
  const { covariateWidth, covariateCount } = table.shape
  const useLater = revealsOf(covariate.feature) === 'context'
  const folds: [KnownRow[], KnownRow[]] = [[], []]
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      const flag = block.observed[row * covariateCount + which]
      const at = row * covariateWidth + covariate.at
      if (block.status[row] !== RoundStatus.closed || Number.isNaN(block.pretrained[at])) continue
      if (flag !== Observed.atDecision && !(useLater && flag === Observed.later)) continue
      const round = block.index * BLOCK_ROUNDS + row
      folds[foldOfRound(round)].push({
        pretrained: block.pretrained[at]!,
        truth: flag === Observed.atDecision ? block.covariates[at]! : block.revealed![at]!,
        weight: halfLife === null ? 1 : 2 ** (-(range.to - round) / halfLife),
      })
    }
  }
  return folds
}

/** null: fewer than two places on the scale of g~. */
function monotone(rows: KnownRow[]): MonotoneMap | null {
  rows.sort((a, b) => a.pretrained - b.pretrained || a.truth - b.truth)
  const size = Math.max(SMALLEST_BIN, Math.ceil(rows.length / MAX_BINS))
  const bins: { x: number; y: number; weight: number }[] = []
  for (let from = 0; from < rows.length; ) {
    let to = Math.min(rows.length, from + size)
    // Equal predictions stay together, and a last bin that would be too small joins the one before.
    while (to < rows.length && (rows[to]!.pretrained === rows[to - 1]!.pretrained || rows.length - to < size)) to++
    let [x, y, weight] = [0, 0, 0]
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      x += row.weight * row.pretrained
      y += row.weight * row.truth
      weight += row.weight
    }
    if (weight > 0) bins.push({ x: x / weight, y: y / weight, weight })
    from = to
  }
  const distinct = bins.filter(({ x }, i) => i === 0 || x > bins[i - 1]!.x)
  if (distinct.length < 2) return null
  const { starts, values } = poolAdjacentViolators(
    Float64Array.from(distinct, ({ y }) => y),
    Float64Array.from(distinct, ({ weight }) => weight),
  )
  const y = new Float64Array(distinct.length)
  for (let block = 0; block < values.length; block++) y.fill(values[block]!, starts[block], starts[block + 1])
  return { x: distinct.map(({ x }) => x), y: distinct.map(({ x }, i) => y[i]! - x) }
}
