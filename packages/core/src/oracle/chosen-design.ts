// The reward model's products chosen from the data (interactions 'auto'): candidates are summed beside the plain columns, the evidence
// says which of them stay (choose-columns.ts), and the model has only those. Up to MAX_ROWS rows this is done at every end of an
// epoch; after that each time the rows have doubled, on the newest blocks.

import { BLOCK_ROUNDS, type Sums } from '@primo/numeric'
import { actionSums, forgetSums, type SummableRows } from './action-sums.js'
import type { Candidates } from './candidate-products.js'
import { chooseColumns } from './choose-columns.js'
import { fittingScale } from './column-scale.js'
import type { Design } from './design.js'
import { pooledRewards } from './pooled-rewards.js'
import { rewardFences } from './reward-fences.js'

const MAX_BLOCKS = 8
const MAX_ROWS = MAX_BLOCKS * BLOCK_ROUNDS

export interface DesignChoice {
  /** Rows that there were when the products were chosen. */
  readonly rows: number
  /** By column, without the indicators: the ridges of the coefficients and those of the widths. */
  readonly ridges: readonly number[]
  readonly wide: readonly number[]
}

export interface ChosenDesign {
  readonly design: Design
  readonly chosen: DesignChoice
  /** Per-action sums of the design. */
  readonly sums: readonly Sums[]
}

export function chosenDesign(
  rows: SummableRows & { readonly count: number; readonly tested?: boolean },
  plain: Design,
  candidates: Candidates,
  ridge: number,
  before: { readonly design: Design; readonly chosen?: DesignChoice } | null,
): ChosenDesign {
  const { count } = rows
  const sumsOf = (design: Design) => actionSums(rows, design, `chosen/${plain.indicator}`)
  const kept = before?.chosen
  if (kept !== undefined && count > MAX_ROWS && count < 2 * kept.rows) {
    forgetSums(rows, 'candidates')
    const { products, scale, fences } = before!.design
    const design = inUnits({ ...plain, products }, scale, fences)
    return { design, chosen: kept, sums: sumsOf(design) }
  }
  const { numbers } = candidates
  const some = newest(rows)
  const all = candidates.design(before?.design.products ?? [])
  const fences = rewardFences(some, before?.design.fences)
  const sumsIn = (scale: Design['scale']) => actionSums(some, inUnits(all, scale, fences), 'candidates')
  let scale = before?.design.scale
  let sums = sumsIn(scale)
  const fitting = fittingScale(sums, numbers, scale)
  if (fitting !== scale) {
    scale = fitting
    sums = sumsIn(scale)
  }
  const { columns, ridges, wide } = chooseColumns({
    sums,
    numbers,
    alike: candidates.alike(all),
    ridge,
    mean: pooledRewards(sums).mean,
    sure: rows.tested === true,
  })
  const products = columns.slice(numbers.length).map((column) => all.products[column - numbers.length]!)
  const design = inUnits({ ...plain, products }, scale, fences)
  return {
    design,
    chosen: { rows: count, ridges, wide },
    sums: count > MAX_ROWS || plain.indicator !== 'none' ? sumsOf(design) : sums.map((sum) => columnsOf(sum, columns)),
  }
}

function inUnits(design: Design, scale: Design['scale'], fences: Design['fences']): Design {
  return { ...design, ...(scale === undefined ? {} : { scale }), ...(fences === undefined ? {} : { fences }) }
}

/** The rows of the newest blocks. */
function newest(rows: SummableRows & { readonly count: number }): SummableRows {
  if (rows.count <= MAX_ROWS || rows.parts === undefined) return rows
  const parts = [...rows.parts]
  const last = parts.at(-1)!.block.index
  return { ...rows, parts: parts.filter(({ block }) => block.index > last - MAX_BLOCKS) }
}

/** The sums of some of the columns, in increasing order. */
export function columnsOf({ columns, count, weight, gram }: Sums, chosen: readonly number[]): Sums {
  const from = [...chosen, columns]
  const width = from.length
  const made = new Float64Array(width * width)
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) made[i * width + j] = gram[from[i]! * (columns + 1) + from[j]!]!
  }
  return { columns: chosen.length, count, weight, gram: made }
}
