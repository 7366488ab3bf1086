// What the calibration of one covariate reads: the closed rounds of a window, block by block in round order, with the
// pre-trained prediction and, where it is known, the truth. Batches can be iterated any number of times.

import type { Cause } from '../missingness/causes-observation.js'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { blockParts, type RoundRange } from './block-parts.js'
import { allClosed } from './closed-counts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from './round-table.js'

/** The rows of one block. */
export interface CovariateBatch {
  readonly block: number
  readonly count: number
  readonly context: Float64Array
  /** g~(x), one value per column of the covariate. */
  readonly pretrained: Float64Array
  /** z*, meaningful where known is 1. */
  readonly truth: Float64Array
  readonly known: Uint8Array
  /** Why a value is missing: 1 + place among `causes`; absent: nobody said. */
  readonly reasons?: Uint8Array
}

/** What the calibration of one covariate reads. */
export interface CovariateRows {
  readonly contextWidth: number
  /** Columns of the covariate: 1, or one per level. */
  readonly width: number
  readonly count: number
  readonly knownCount: number
  /** Closed rounds left out because the pre-trained model gave nothing there. */
  readonly withoutPrediction: number
  /** The covariate's declared reasons; absent: none. */
  readonly causes?: readonly Cause[]
  readonly batches: Iterable<CovariateBatch>
}

/** The rounds of the range as calibration data for one covariate (`which` is its index). */
export function covariateRows(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
): CovariateRows {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const { at, width } = covariate
  const causes = causesOf(covariate.feature)
  const useLater = revealsOf(covariate.feature) === 'context'
  let count = 0
  let knownCount = 0
  let withoutPrediction = 0
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      if (block.status[row] !== RoundStatus.closed) continue
      if (Number.isNaN(block.pretrained[row * covariateWidth + at])) withoutPrediction++
      else {
        count++
        if (isKnown(block.observed[row * covariateCount + which]!, useLater)) knownCount++
      }
    }
  }
  return {
    contextWidth,
    width,
    count,
    knownCount,
    withoutPrediction,
    ...(causes === undefined ? {} : { causes }),
    batches: {
      *[Symbol.iterator]() {
        for (const { block, start, end } of blockParts(table, range)) {
          const size = end - start
          const whole = qualifies(block, start, end, covariateWidth, at)
          const context = whole
            ? block.context.subarray(start * contextWidth, end * contextWidth)
            : new Float64Array(size * contextWidth)
          const pretrained = new Float64Array(size * width)
          const truth = new Float64Array(size * width)
          const known = new Uint8Array(size)
          const reasons = causes === undefined || block.reasons === null ? null : new Uint8Array(size)
          let taken = 0
          for (let row = start; row < end; row++) {
            const from = row * covariateWidth + at
            if (!whole) {
              if (block.status[row] !== RoundStatus.closed || Number.isNaN(block.pretrained[from])) continue
              context.set(block.context.subarray(row * contextWidth, (row + 1) * contextWidth), taken * contextWidth)
            }
            const flag = block.observed[row * covariateCount + which]!
            const source = flag === Observed.later ? block.revealed! : block.covariates
            known[taken] = isKnown(flag, useLater) ? 1 : 0
            if (reasons !== null) reasons[taken] = block.reasons![row * covariateCount + which]!
            for (let k = 0; k < width; k++) {
              pretrained[taken * width + k] = block.pretrained[from + k]!
              truth[taken * width + k] = known[taken] === 1 ? source[from + k]! : 0
            }
            taken++
          }
          if (taken > 0) {
            const told = reasons === null ? {} : { reasons }
            yield { block: block.index, count: taken, context, pretrained, truth, known, ...told }
          }
        }
      },
    },
  }
}

function causesOf({ reasons }: EncodedCovariate['feature']): readonly Cause[] | undefined {
  return reasons && Object.entries(reasons).map(([reason, kind]) => ({ reason, kind }))
}

/** Whether every round of the part is closed and has a prediction. */
function qualifies(block: RoundBlock, start: number, end: number, covariateWidth: number, at: number): boolean {
  if (!allClosed(block, start, end)) return false
  for (let row = start; row < end; row++) if (Number.isNaN(block.pretrained[row * covariateWidth + at])) return false
  return true
}

function isKnown(flag: number, useLater: boolean): boolean {
  return flag === Observed.atDecision || (useLater && flag === Observed.later)
}
