// The ladder with weighted known rows (method#ladder, E16, options): 'none'; 'ipw', 1/e-hat, for the best fit over all
// contexts; 'missing', (1 - e-hat)/e-hat, for that over the missing ones; 'auto' fits all three and takes the one with the
// smallest held-out loss weighted by 1/e-hat. With a class that holds g* - g~ all three find it and 'none' has the smallest
// variance.

import type { Sums } from '@primo/numeric'
import { fitObservation } from '../missingness/fit-observation.js'
import { type ObservationModel, observationProbability } from '../missingness/observation-model.js'
import type { Encoding } from '../problem/encoding.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { covariateRows } from '../rounds/covariate-rows.js'
import type { RoundTable, TableShape } from '../rounds/round-table.js'
import { observationRows } from './calibration-folds.js'
import type { InputBasis } from './input-basis.js'
import { fitLadder, type LadderFit } from './ladder.js'
import type { IsotonicRung } from './ladder-isotonic.js'
import { ladderSums, type RowWeight } from './ladder-sums.js'
import type { CalibrationSettings } from './settings.js'

const RICH_ROWS = 30

export type LadderWeights = 'none' | 'ipw' | 'missing'

/** What a ladder's fit needs to know of the engine. */
export interface LadderFitSettings {
  readonly encoding: Encoding
  readonly shape: TableShape
  readonly calibration: CalibrationSettings | null
  readonly halfLife: number | null
}

export interface WeightedInput {
  readonly table: RoundTable
  readonly range: RoundRange
  readonly settings: LadderFitSettings
  readonly which: number
  readonly basis: InputBasis
  readonly prefixes: readonly number[]
  /** Sums without weights. */
  readonly folds: readonly (readonly [Sums, Sums])[]
  /** One more rung where rows have no weights; absent: none. */
  readonly isotonic?: IsotonicRung | null
}

export function fitWeighted(input: WeightedInput): { readonly weights: LadderWeights; readonly fit: LadderFit } {
  const { folds, prefixes, settings, basis } = input
  const { weights, ridges, rule } = settings.calibration!
  const fitOn = (sums: WeightedInput['folds'], judge?: WeightedInput['folds']) =>
    fitLadder({ folds: sums, prefixes, ridge: ridges, basis, richRows: RICH_ROWS, rule, judge })
  if (weights === 'none')
    return {
      weights,
      fit: fitLadder({
        folds,
        prefixes,
        ridge: ridges,
        basis,
        richRows: RICH_ROWS,
        rule,
        isotonic: input.isotonic ?? null,
      }),
    }
  const model = observationModel(input)
  const ipw = weightedSums(input, (x, at) => 1 / observationProbability(model, x, at))
  if (weights === 'ipw') return { weights, fit: fitOn(ipw) }
  const missing = weightedSums(input, (x, at) => {
    const e = observationProbability(model, x, at)
    return Math.max(1e-6, (1 - e) / e)
  })
  if (weights === 'missing') return { weights, fit: fitOn(missing) }
  const candidates = [
    { weights: 'none' as const, fit: fitOn(folds, ipw) },
    { weights: 'ipw' as const, fit: fitOn(ipw) },
    { weights: 'missing' as const, fit: fitOn(missing, ipw) },
  ]
  return candidates.reduce((best, one) => (one.fit.loss.calibrated < best.fit.loss.calibrated ? one : best))
}

function observationModel({ table, range, settings, which }: WeightedInput): ObservationModel {
  const { covariates } = settings.encoding
  const rows = covariateRows(table, range, covariates[which]!, which)
  // All rows: fold 2.
  return fitObservation(observationRows(rows, new Uint8Array(0), 2), settings.calibration!.observation)
}

function weightedSums({ table, range, settings, which, basis }: WeightedInput, weigh: RowWeight) {
  return ladderSums(table, range, settings.encoding.covariates[which]!, which, basis, settings.halfLife, 'known', weigh)
}
