// The rows that guards look at: closed rounds in which exactly one covariate was missing and the pre-trained model said
// something, with the reward that came back. Their rewards say something about the missing value (method#reward-informed): the reward
// model of the complete rounds is right whatever made the value go missing, as long as that did not depend on the noise. The placebo
// looks at rounds in which all were seen, in the same way.

import { addDots, BLOCK_ROUNDS, simdScratch } from '@primo/numeric'
import type { InputRow } from '../oracle/oracle.js'
import type { Encoding } from '../problem/encoding.js'
import type { BlockPart } from '../rounds/block-parts.js'
import { Observed, type RoundBlock, RoundStatus } from '../rounds/round-table.js'
import type { InputBasis } from './input-basis.js'
import { foldOfRound } from './ladder-sums.js'
import type { CompiledMap } from './monotone-map.js'

/** Rows in buffers of their own, so that values can be tried in place of the missing one. */
export interface MissingRows extends InputRow {
  count: number
  readonly action: Uint16Array
  readonly reward: Float64Array
  /** g~(x), inside units. */
  readonly pretrained: Float64Array
  readonly modelSd: Float64Array
  /** Buffers for input rows of a basis and for B, row-major; in one memory. */
  readonly inputs: Float64Array
  readonly b: Float64Array
}

/** Rows that are handed out together, so that they and their features stay in a near cache. */
export const MISSING_ROWS = 64

/** What the expansion of a row may reach beyond it. */
const SLACK = 2

/** One walk over the missing rows is made at a time. */
const cells = simdScratch()

/**
 * The rows where numeric covariate `which` alone is missing, in round order, some at a time, with buffers for this basis; they are
 * the same each time. With a fold, those of its rounds alone.
 */
export function missingRows(
  parts: Iterable<BlockPart>,
  encoding: Encoding,
  which: number,
  basis: Pick<InputBasis, 'columns' | 'inputWidth'>,
  fold?: 0 | 1,
): Iterable<MissingRows> {
  return rowsWhere(false, parts, encoding, which, basis, fold)
}

/** The rows where all covariates were seen; the value of covariate `which` is among their covariates. */
export function seenRows(
  parts: Iterable<BlockPart>,
  encoding: Encoding,
  which: number,
  basis: Pick<InputBasis, 'columns' | 'inputWidth'>,
): Iterable<MissingRows> {
  return rowsWhere(true, parts, encoding, which, basis, undefined)
}

function* rowsWhere(
  seen: boolean,
  parts: Iterable<BlockPart>,
  encoding: Encoding,
  which: number,
  { columns, inputWidth }: Pick<InputBasis, 'columns' | 'inputWidth'>,
  fold: 0 | 1 | undefined,
): Iterable<MissingRows> {
  const { contextWidth: p, covariateWidth: m } = encoding
  const c = encoding.covariates.length
  const at = encoding.covariates[which]!.at
  const space = cells(MISSING_ROWS * (p + inputWidth + columns) + SLACK)
  const rows: MissingRows = {
    count: 0,
    context: space.subarray(0, MISSING_ROWS * p),
    inputs: space.subarray(MISSING_ROWS * p, MISSING_ROWS * (p + inputWidth)),
    b: space.subarray(MISSING_ROWS * (p + inputWidth)),
    covariates: new Float64Array(MISSING_ROWS * m),
    // What else there is was seen.
    observed: Uint8Array.from({ length: MISSING_ROWS * c }, (_, k) => (k % c === which && !seen ? 0 : 1)),
    action: new Uint16Array(MISSING_ROWS),
    reward: new Float64Array(MISSING_ROWS),
    pretrained: new Float64Array(MISSING_ROWS),
    modelSd: new Float64Array(MISSING_ROWS * c).fill(Number.NaN),
  }
  for (const { block, start, end } of parts) {
    for (let row = start; row < end; ) {
      row = fill(rows, block, row, end, p, m, c, at, which, seen, fold)
      if (rows.count < MISSING_ROWS) break
      yield rows
      rows.count = 0
    }
  }
  if (rows.count > 0) yield rows
}

/** Takes rows of the block until the buffers are full; returns the row to go on with. */
function fill(
  rows: MissingRows,
  block: RoundBlock,
  start: number,
  end: number,
  p: number,
  m: number,
  c: number,
  at: number,
  which: number,
  seen: boolean,
  fold: 0 | 1 | undefined,
): number {
  const { context, covariates } = rows
  const { modelSd } = block
  // May come from an archive: taken once.
  const contexts = block.context
  let count = rows.count
  let row = start
  for (; row < end && count < MISSING_ROWS; row++) {
    if (block.status[row] !== RoundStatus.closed || !isWanted(block, row, c, which, seen)) continue
    if (fold !== undefined && foldOfRound(block.index * BLOCK_ROUNDS + row) !== fold) continue
    const pretrained = block.pretrained[row * m + at]!
    if (Number.isNaN(pretrained)) continue
    for (let k = 0, from = row * p, to = count * p; k < p; k++) context[to + k] = contexts[from + k]!
    for (let k = 0, from = row * m, to = count * m; k < m; k++) covariates[to + k] = block.covariates[from + k]!
    for (let k = 0; k < c; k++) rows.modelSd[count * c + k] = modelSd === null ? Number.NaN : modelSd[row * c + k]!
    rows.action[count] = block.action[row]!
    rows.reward[count] = block.reward[row]!
    rows.pretrained[count] = pretrained
    count++
  }
  rows.count = count
  return row
}

/** Writes B of the rows. */
export function expandMissing({ context, pretrained, count, inputs, b }: MissingRows, basis: InputBasis): void {
  const { gather, expandRows, columns, inputWidth, own } = basis
  const width = inputWidth - own
  for (let row = 0; row < count; row++) gather(context, row * width, pretrained, row, inputs, row * inputWidth)
  expandRows(inputs, 0, count, b, 0, columns)
}

/**
 * g = g~ + d(g~) + B'coefficients of the rows, d where something `moved` it and there are coefficients; B has `columns` columns, the
 * coefficients may be those of the first ones.
 */
export function correctMissing(
  { count, pretrained, b }: MissingRows,
  columns: number,
  coefficients: ArrayLike<number>,
  g: Float64Array,
  moved?: CompiledMap,
): void {
  for (let row = 0; row < count; row++) g[row] = pretrained[row]!
  // No coefficients at all: g~ itself.
  if (moved !== undefined && coefficients.length > 0)
    for (let row = 0; row < count; row++) g[row] = g[row]! + moved(g[row]!)
  addDots(b, count, columns, coefficients, coefficients.length, g)
}

/** Whether the covariate was seen or not, as asked, and all others were. */
function isWanted(block: RoundBlock, row: number, covariateCount: number, which: number, seen: boolean): boolean {
  for (let k = 0; k < covariateCount; k++) {
    const known = block.observed[row * covariateCount + k] === Observed.atDecision
    if (known !== (seen || k !== which)) return false
  }
  return true
}
