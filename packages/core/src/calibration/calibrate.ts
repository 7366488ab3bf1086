// Cal (Alg.2): from rows (x, b, z where b = 1) to an observation model e-hat and a corrected model
//   g-hat = g~ + h,  h in argmin sum over D2, b = 1, of w (z - g~ - h)^2 + ridge |beta|^2,  ||h|| <= delta0,
// with w = 1/e-hat(x) from D1, h a function of x, and the norm taken over all rows of D, observed or not.
// 'half' is the paper's random half split; 'swap' lets the halves change places and averages the two corrections;
// 'none' uses all rows for both fits. A category is corrected level by level.
// Population fact (E16): for well-specified h the minimiser does not depend on e-hat.

import type { Random } from '@primo/numeric'
import {
  BLOCK_ROUNDS,
  type BlockSums,
  featureGram,
  featureTarget,
  invalidOption,
  mergeBlocks,
  residualSum,
  type Sums,
  sumRows,
  targetSquare,
} from '@primo/numeric'
import { fitObservation } from '../missingness/fit-observation.js'
import { type ObservationModel, observationProbability } from '../missingness/observation-model.js'
import type { EncodedFeature } from '../problem/encoding.js'
import type { HeldOutLoss } from '../regression/selector.js'
import type { CovariateBatch, CovariateRows } from '../rounds/covariate-rows.js'
import { solveInBall } from './ball.js'
import { foldPairs, foldsOf, observationRows } from './calibration-folds.js'
import type { Correction } from './correction.js'
import { type CorrectionBasis, correctionBasis } from './correction-basis.js'
import type { CalibrationSettings } from './settings.js'

export interface FoldReport {
  readonly observation: ObservationModel
  /** Known rows that the correction was fitted on. */
  readonly rows: number
  /** Per column of the covariate. */
  readonly columns: readonly {
    readonly multiplier: number
    /** ||h|| over all contexts (without a ball: over those of the first block), inside units. */
    readonly size: number
    /** Weighted mean squared error on the fitted rows, before and after, inside units squared. */
    readonly lossBefore: number
    readonly lossAfter: number
  }[]
  /** Per column: the held-out losses of the classes that a selector chose among. */
  readonly selection?: readonly (readonly HeldOutLoss[])[]
}

/** A correction of one pre-trained model, and how it was fitted. */
export interface Calibration {
  /** null: too few known rows, g~ stays as it is. */
  readonly correction: Correction | null
  readonly report: {
    readonly rows: number
    readonly known: number
    readonly withoutPrediction: number
    readonly folds: readonly FoldReport[]
  }
}

/** `radius` is delta0 in inside units, or undefined for no ball. */
export function calibrate(
  rows: CovariateRows,
  context: readonly EncodedFeature[],
  settings: CalibrationSettings,
  radius: number | undefined,
  random: Random,
): Calibration {
  const summary = { rows: rows.count, known: rows.knownCount, withoutPrediction: rows.withoutPrediction }
  if (rows.knownCount < settings.minimumRows) return { correction: null, report: { ...summary, folds: [] } }

  // Function classes have a fit of their own: class-calibrate.ts.
  if (typeof settings.class === 'object') invalidOption('calibration.class', 'a basis here', settings.class.kind)
  const kind = settings.class
  const basis = correctionBasis(kind, context)
  const fold = foldsOf(rows.count, settings.split, random)
  const folds: FoldReport[] = []
  const total = Array.from({ length: rows.width }, () => new Float64Array(basis.columns))
  let fits = 0
  for (const [observationFold, correctionFold] of foldPairs(settings.split)) {
    const observation = fitObservation(
      observationRows(rows, fold, observationFold),
      settings.observation,
      random.split('observation', observationFold),
    )
    const sums = correctionSums(
      rows,
      fold,
      correctionFold,
      basis,
      settings.weights === 'ipw' ? observation : null,
      radius !== undefined,
    )
    const known = sums.known[0]!
    if (known.count === 0) continue
    fits++
    const p = basis.columns
    const norm = featureGram(sums.contexts)
    for (let i = 0; i < norm.length; i++) norm[i] = norm[i]! / sums.contexts.count
    const columns = sums.known.map((column, k) => {
      const fit = solveInBall({
        normal: featureGram(column, settings.ridge),
        target: featureTarget(column),
        norm,
        radius,
      })
      for (let i = 0; i < p; i++) total[k]![i] = total[k]![i]! + fit.coefficients[i]!
      return {
        multiplier: fit.multiplier,
        size: fit.size,
        lossBefore: targetSquare(column) / column.weight,
        lossAfter: residualSum(column, fit.coefficients) / column.weight,
      }
    })
    folds.push({ observation, rows: known.count, columns })
  }
  if (fits === 0) return { correction: null, report: { ...summary, folds } }
  const coefficients = total.map((column) => Array.from(column, (value) => value / fits))
  // Second moment of what the correction leaves open, for distributional imputation of a number.
  const variance = folds.reduce((sum, { columns: [first] }) => sum + first!.lossAfter / fits, 0)
  const moments = rows.width === 1 ? { moments: [1, 0, variance] } : {}
  return {
    correction: { kind: 'correction', class: kind, coefficients, ...moments },
    report: { ...summary, folds },
  }
}

interface CorrectionSums {
  /** B over all contexts, or over those of one block when there is no ball to measure; the target is 0. */
  readonly contexts: Sums
  /** Per column of the covariate: weighted sums of [B, z - g~] over the known rows of the fold. */
  readonly known: readonly Sums[]
}

function correctionSums(
  rows: CovariateRows,
  fold: Uint8Array,
  wanted: number,
  basis: CorrectionBasis,
  weighting: ObservationModel | null,
  allContexts: boolean,
): CorrectionSums {
  const p = basis.columns
  const width = p + 1
  const all = new Float64Array(BLOCK_ROUNDS * width)
  const scratch = new Float64Array(BLOCK_ROUNDS * width)
  const chosen = new Float64Array(BLOCK_ROUNDS * width)
  const weights = new Float64Array(BLOCK_ROUNDS)
  const residuals = Array.from({ length: rows.width }, () => new Float64Array(BLOCK_ROUNDS))
  const contextLeaves: BlockSums[] = []
  const knownLeaves: BlockSums[][] = Array.from({ length: rows.width }, () => [])
  const expand = ({ context }: CovariateBatch, row: number, out: Float64Array, to: number) =>
    basis.expand(context, row * rows.contextWidth, out, to)
  let position = 0
  for (const batch of rows.batches) {
    let count = 0
    const contexts = allContexts || contextLeaves.length === 0
    for (let row = 0; row < batch.count; row++, position++) {
      if (contexts) {
        expand(batch, row, all, row * width)
        all[row * width + p] = 0
      }
      if (batch.known[row] !== 1 || (wanted !== 2 && fold[position] !== wanted)) continue
      expand(batch, row, chosen, count * width)
      weights[count] =
        weighting === null ? 1 : 1 / observationProbability(weighting, batch.context, row * rows.contextWidth)
      for (let k = 0; k < rows.width; k++) {
        residuals[k]![count] = batch.truth[row * rows.width + k]! - batch.pretrained[row * rows.width + k]!
      }
      count++
    }
    if (contexts) contextLeaves.push({ block: batch.block, sums: sumRows(all, 0, batch.count, p, null, 0, scratch) })
    if (count === 0) continue
    for (let k = 0; k < rows.width; k++) {
      for (let row = 0; row < count; row++) chosen[row * width + p] = residuals[k]![row]!
      knownLeaves[k]!.push({ block: batch.block, sums: sumRows(chosen, 0, count, p, weights, 0, scratch) })
    }
  }
  return {
    contexts: mergeBlocks(contextLeaves, p),
    known: knownLeaves.map((leaves) => mergeBlocks(leaves, p)),
  }
}
