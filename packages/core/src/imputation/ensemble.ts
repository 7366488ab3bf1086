// Several pre-trained models m_1 ... m_J of one covariate (beyond the paper, which names it as future work): g~ = sum_j w_j m_j,
// w >= 0, sum w = 1. Calibration stacks them on the closed rounds of its window whose value was seen and in which every member
// spoke:  w minimises  w'(S + (RIDGE/n) tr(S)/J I) w,  S the covariance of the residuals z - m_j,
// so a common bias costs nothing (the correction takes it) and few rows leave the weights near equal. The members were
// trained elsewhere, so these rows are held out for all of them. Members that spoke in fewer than half as many rounds as the
// most talkative one get no weight. When the weights move, g~ of the window's rounds is combined anew, so that the correction
// is always one of the present g~. Where a member is silent the others share its weight.

import { BLOCK_ROUNDS, nonnegativeLeastSquares } from '@primo/numeric'
import type { EncodedCovariate, Encoding } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../rounds/round-table.js'

/** Where the members of one covariate stand among the member columns of a round. */
export interface EnsembleLayout {
  readonly names: readonly string[]
  /** First column; member j has the covariate's width of columns at at + j * width. */
  readonly at: number
}

export interface EnsembleReport {
  /** Rounds in which all members were judged. */
  readonly rows: number
  readonly weights: Readonly<Record<string, number>>
  /** Variance of what each member leaves open, inside units, summed over columns; null: it spoke too rarely. */
  readonly residualVariance: Readonly<Record<string, number | null>>
}

const RIDGE = 4
const FEWEST_ROWS = 8
/** Members are judged on the newest rounds only; a handful of weights needs no more. */
const MAX_ROUNDS = 65_536
/** Weights that moved less than this stay, and with them the sums that were computed. */
const SMALLEST_MOVE = 0.01

/** One entry per covariate; null: it has one model. */
export function ensembleLayouts(encoding: Encoding): {
  readonly layouts: readonly (EnsembleLayout | null)[]
  readonly memberWidth: number
} {
  let at = 0
  const layouts = encoding.covariates.map(({ feature: { imputer }, width }) => {
    if (imputer.kind !== 'ensemble') return null
    const names = Object.keys(imputer.members)
    at += names.length * width
    return { names, at: at - names.length * width }
  })
  return { layouts, memberWidth: at }
}

/** What each member says of its covariate, as features with places of their own. */
export function memberFeatures(
  { covariates }: Encoding,
  layouts: readonly (EnsembleLayout | null)[],
): readonly EncodedCovariate[] {
  return covariates.flatMap((covariate, which) => {
    const { names = [], at: first = 0 } = layouts[which] ?? {}
    const { name, width } = covariate
    return names.map((member, j) => ({ ...covariate, name: `${name}=${member}`, at: first + j * width }))
  })
}

export function equalWeights({ names }: EnsembleLayout): readonly number[] {
  return names.map(() => 1 / names.length)
}

/** Writes g~ of one round from what its members said; leaves it where none did. */
export type Combiner = (block: RoundBlock, row: number, pretrained: Float64Array) => void

export function compileCombiner(
  encoding: Encoding,
  layouts: readonly (EnsembleLayout | null)[],
  memberWidth: number,
  weights: readonly (readonly number[] | null)[] | undefined,
): Combiner | null {
  const parts = layouts.flatMap((layout, which) => {
    if (layout === null) return []
    const { at, width } = encoding.covariates[which]!
    const count = layout.names.length
    return [{ to: at, from: layout.at, width, count, weights: weights?.[which] ?? equalWeights(layout) }]
  })
  if (parts.length === 0) return null
  const { covariateWidth } = encoding
  return (block, row, pretrained) => {
    const { members } = block
    if (members === null) return
    for (const { to, from, width, count, weights: w } of parts) {
      const first = row * memberWidth + from
      let spoke = 0
      let total = 0
      for (let j = 0; j < count; j++) {
        if (Number.isNaN(members[first + j * width])) continue
        spoke++
        total += w[j]!
      }
      if (spoke === 0) continue
      for (let k = 0; k < width; k++) {
        let sum = 0
        for (let j = 0; j < count; j++) {
          const value = members[first + j * width + k]!
          if (!Number.isNaN(value)) sum += (total > 0 ? w[j]! / total : 1 / spoke) * value
        }
        pretrained[row * covariateWidth + to + k] = sum
      }
    }
  }
}

/** The weights that the window's rounds speak for; null: too few of them, or they are those in use already. */
export function stackMembers(
  table: RoundTable,
  window: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  layout: EnsembleLayout,
  inUse: readonly number[],
): { readonly weights: readonly number[]; readonly report: EnsembleReport } | null {
  const { names } = layout
  const rows = judgedRows(table, window, covariate, which, layout)
  const spoke = names.map((_, j) => rows.filter(({ residuals }) => residuals[j] !== null).length)
  const most = Math.max(...spoke)
  const judged = names.flatMap((_, j) => (spoke[j]! > 0 && 2 * spoke[j]! >= most ? [j] : []))
  const usable = rows.filter(({ residuals }) => judged.every((j) => residuals[j] !== null))
  if (judged.length === 0 || usable.length < FEWEST_ROWS) return null
  const covariance = residualCovariance(usable, judged, covariate.width)
  const size = judged.length
  const ridged = covariance.slice()
  let trace = 0
  for (let i = 0; i < size; i++) trace += covariance[i * size + i]!
  // A little is added even to members that are all perfect.
  for (let i = 0; i < size; i++)
    ridged[i * size + i] = ridged[i * size + i]! + (RIDGE / usable.length) * (trace / size) + 1e-12
  const solved = nonnegativeLeastSquares(ridged, new Float64Array(size).fill(1))
  const total = solved.reduce((sum, value) => sum + value, 0)
  if (!(total > 0)) return null
  const weights = names.map((_, j) => (judged.includes(j) ? solved[judged.indexOf(j)]! / total : 0))
  const moved = weights.some((weight, j) => Math.abs(weight - inUse[j]!) >= SMALLEST_MOVE)
  const kept = moved ? weights : inUse
  return {
    weights: kept,
    report: {
      rows: usable.length,
      weights: Object.fromEntries(names.map((name, j) => [name, kept[j]!])),
      residualVariance: Object.fromEntries(
        names.map((name, j) => {
          const i = judged.indexOf(j)
          return [name, i < 0 ? null : covariance[i * size + i]!]
        }),
      ),
    },
  }
}

interface JudgedRow {
  readonly round: number
  /** z - m_j per column; null: member j was silent. */
  readonly residuals: readonly (readonly number[] | null)[]
}

function judgedRows(
  table: RoundTable,
  window: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  { names, at }: EnsembleLayout,
): JudgedRow[] {
  const { covariateWidth, covariateCount, memberWidth = 0 } = table.shape
  const { width } = covariate
  const useLater = revealsOf(covariate.feature) === 'context'
  const rows: JudgedRow[] = []
  const newest = { from: Math.max(window.from, window.to - MAX_ROUNDS), to: window.to }
  for (const { block, start, end } of blockParts(table, newest)) {
    const { members } = block
    if (members === null) continue
    for (let row = start; row < end; row++) {
      if (block.status[row] !== RoundStatus.closed) continue
      const flag = block.observed[row * covariateCount + which]
      if (flag !== Observed.atDecision && !(useLater && flag === Observed.later)) continue
      const truth = flag === Observed.later ? block.revealed! : block.covariates
      const residuals = names.map((_, j) => {
        const from = row * memberWidth + at + j * width
        if (Number.isNaN(members[from])) return null
        return Array.from(
          { length: width },
          (_, k) => truth[row * covariateWidth + covariate.at + k]! - members[from + k]!,
        )
      })
      if (residuals.some((list) => list !== null)) rows.push({ round: block.index * BLOCK_ROUNDS + row, residuals })
    }
  }
  return rows
}

function residualCovariance(rows: readonly JudgedRow[], judged: readonly number[], width: number): Float64Array {
  const size = judged.length
  const covariance = new Float64Array(size * size)
  const total = rows.length
  for (let k = 0; k < width; k++) {
    const means = judged.map((j) => rows.reduce((sum, { residuals }) => sum + residuals[j]![k]!, 0) / total)
    rows.forEach(({ residuals }) => {
      for (let a = 0; a < size; a++)
        for (let b = 0; b < size; b++) {
          const product = (residuals[judged[a]!]![k]! - means[a]!) * (residuals[judged[b]!]![k]! - means[b]!)
          covariance[a * size + b] = covariance[a * size + b]! + product / total
        }
    })
  }
  return covariance
}

/** Combines the rounds of the window anew. Blocks are replaced, so nothing that was computed from them is used again. */
export function recombine(table: RoundTable, window: RoundRange, combine: Combiner): void {
  for (const { block, start, end } of [...blockParts(table, window)]) {
    if (block.members === null) continue
    const pretrained = block.pretrained.slice()
    for (let row = start; row < end; row++) combine(block, row, pretrained)
    table.blocks[block.index] = { ...block, pretrained }
  }
}
