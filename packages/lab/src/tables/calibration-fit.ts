// Cross-fitted calibration of a table. A correction is core's `calibrate` with split 'swap' on some quarters; power tuning
// (method#power-tuning) shrinks it by lambda = clip(sum w y h / sum w h^2, 0, 1), y = z - g~, with h fitted on one half of these
// quarters and the sums taken over the other, both ways, w = 1/e-hat(x) with e-hat from the fitting half.
// Every row is judged by what the other fold fitted, lambda and e-hat included: nothing of its own fold is in it.

import type { ObservationOptions } from '@primo/core'
import {
  type Calibration,
  type Correction,
  type CorrectionClass,
  calibrate,
  calibrationSettings,
  compileCorrection,
  type EncodedCovariate,
  type Encoding,
  fitObservation,
  type ObservationModel,
  observationProbability,
  observationSettings,
} from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import {
  ALL_QUARTERS,
  type CalibrationRows,
  covariateRowsOf,
  halves,
  isIn,
  observationRowsOf,
  type Quarters,
} from './calibration-rows.js'
import type { Estimate } from './weighted-mean.js'

export interface FitSettings {
  readonly observation: ObservationOptions
  readonly weights: 'ipw' | 'none'
  readonly shrinkage: 'power' | 'none'
  /** delta0 in inside units; undefined: no ball. */
  readonly radius: number | undefined
}

export interface Shrunk {
  /** lambda times the correction; null: too few observed rows. */
  readonly correction: Correction | null
  /** null: it could not be tuned and is 1. */
  readonly shrinkage: Estimate | null
  readonly report: Calibration['report']
}

export class CalibrationFits {
  readonly rows: CalibrationRows
  readonly #encoding: Encoding
  readonly #covariate: EncodedCovariate
  readonly #settings: FitSettings
  readonly #random: Random
  readonly #corrections = new Map<string, Calibration>()
  readonly #observations = new Map<Quarters, ObservationModel>()

  constructor(rows: CalibrationRows, encoding: Encoding, settings: FitSettings, random: Random) {
    this.rows = rows
    this.#encoding = encoding
    this.#covariate = encoding.covariates[0]!
    this.#settings = settings
    this.#random = random
  }

  observation(quarters: Quarters): ObservationModel {
    const known = this.#observations.get(quarters)
    if (known !== undefined) return known
    const rows = observationRowsOf(this.rows, quarters)
    const model = fitObservation(rows, observationSettings(this.#settings.observation))
    this.#observations.set(quarters, model)
    return model
  }

  /** e-hat of every row from the other fold. */
  heldOutProbabilities(): Float64Array {
    const probabilities = new Float64Array(this.rows.count)
    for (const [train, test] of bothWays(ALL_QUARTERS)) {
      const model = this.observation(train)
      for (let row = 0; row < this.rows.count; row++) {
        if (isIn(test, this.rows, row)) probabilities[row] = this.#probability(model, row)
      }
    }
    return probabilities
  }

  #probability(model: ObservationModel, row: number): number {
    return observationProbability(model, this.rows.context, row * this.rows.contextWidth)
  }

  #fit(kind: CorrectionClass, quarters: Quarters): Calibration {
    const key = `${kind} ${quarters}`
    const known = this.#corrections.get(key)
    if (known !== undefined) return known
    const { observation, weights, radius } = this.#settings
    // A basis needs more rows before it is better than nothing (method#defaults).
    const minimumRows = kind === 'basis' ? 30 : 8
    const options = { class: kind, split: 'swap', weights, minimumRows, observation } as const
    const fitted = calibrate(
      covariateRowsOf(this.rows, quarters),
      this.#encoding.context,
      calibrationSettings(options, [this.#covariate.name]),
      radius,
      this.#random.split('fit', kind, quarters),
    )
    this.#corrections.set(key, fitted)
    return fitted
  }

  /** The correction fitted on these quarters, shrunk as the settings say. */
  shrunk(kind: CorrectionClass, quarters: Quarters): Shrunk {
    const { correction, report } = this.#fit(kind, quarters)
    if (correction === null || this.#settings.shrinkage === 'none') return { correction, shrinkage: null, report }
    const shrinkage = this.#tune(kind, quarters)
    return { correction: scaled(correction, shrinkage?.value ?? 1), shrinkage, report }
  }

  #tune(kind: CorrectionClass, quarters: Quarters): Estimate | null {
    const { truth, pretrained, width } = this.rows
    let cross = 0
    let square = 0
    // sum (w h (y - lambda h))^2 as a polynomial in lambda.
    const spread = [0, 0, 0]
    for (const [train, test] of bothWays(quarters)) {
      const { correction } = this.#fit(kind, train)
      if (correction === null) return null
      const model = this.observation(train)
      this.#apply(correction, 'none', test, (row, values) => {
        if (this.rows.known[row] !== 1) return
        const weight = 1 / this.#probability(model, row)
        for (let k = 0; k < width; k++) {
          const g = pretrained[row * width + k]!
          const y = truth[row * width + k]! - g
          const h = values[k]! - g
          cross += weight * y * h
          square += weight * h * h
          const wh = weight * h
          spread[0]! += (wh * y) ** 2
          spread[1]! += wh * wh * y * h
          spread[2]! += (wh * h) ** 2
        }
      })
    }
    if (!(square > 0)) return null
    const value = Math.min(1, Math.max(0, cross / square))
    const variance = spread[0]! - 2 * value * spread[1]! + value * value * spread[2]!
    return { value, se: Math.sqrt(Math.max(0, variance)) / square }
  }

  /** Visits the rows of some quarters with their corrected values (inside units). */
  #apply(
    correction: Correction | null,
    clip: 'range' | 'none',
    quarters: Quarters,
    visit: (row: number, values: Float64Array) => void,
  ): void {
    const { rows } = this
    const correct =
      correction === null ? null : compileCorrection(correction, this.#encoding.context, this.#covariate, clip)
    const values = new Float64Array(rows.width)
    for (let row = 0; row < rows.count; row++) {
      if (!isIn(quarters, rows, row)) continue
      for (let k = 0; k < rows.width; k++) values[k] = rows.pretrained[row * rows.width + k]!
      correct?.(rows.context, row * rows.contextWidth, values, 0)
      visit(row, values)
    }
  }

  /** g-hat of every row from the other fold; `kind` null: g~ itself. */
  heldOut(kind: CorrectionClass | null, shrink = true): Float64Array {
    const { width } = this.rows
    const out = new Float64Array(this.rows.pretrained)
    if (kind === null) return out
    for (const [train, test] of bothWays(ALL_QUARTERS)) {
      const { correction } = shrink ? this.shrunk(kind, train) : this.#fit(kind, train)
      this.#apply(correction, 'range', test, (row, values) => out.set(values, row * width))
    }
    return out
  }

  /** Root mean square of the correction over all rows before clipping, and the share of rows that clipping changes. */
  size(correction: Correction | null): { readonly size: number; readonly clippedShare: number } {
    const { width, count, pretrained } = this.rows
    if (correction === null || count === 0) return { size: 0, clippedShare: 0 }
    const low = this.#covariate.feature.type === 'number' ? -1 : 0
    let square = 0
    let clipped = 0
    this.#apply(correction, 'none', ALL_QUARTERS, (row, values) => {
      let outside = false
      for (let k = 0; k < width; k++) {
        square += (values[k]! - pretrained[row * width + k]!) ** 2
        if (values[k]! < low || values[k]! > 1) outside = true
      }
      if (outside) clipped++
    })
    return { size: Math.sqrt(square / count), clippedShare: clipped / count }
  }
}

/** Fit on one half, judge on the other, and the other way round. */
function bothWays(quarters: Quarters): readonly (readonly [train: Quarters, test: Quarters])[] {
  const [a, b] = halves(quarters)
  return [
    [a, b],
    [b, a],
  ]
}

function scaled(correction: Correction, factor: number): Correction {
  return { ...correction, coefficients: correction.coefficients.map((column) => column.map((value) => factor * value)) }
}
