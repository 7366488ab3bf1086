// The three departures of sensitivity.ts applied to a calibration: what they do to the bias on missing rows and to the gain of
// calibrating, and how much of each it takes to undo the gain.

import type { Random } from '@primo/numeric'
import type { AnalysisRows } from './analysis-rows.js'
import type { CrossFitted } from './cross-fitted-correction.js'
import { type Bounds, boundsWithBand, type MissingValues, robustnessValue, tiltedMean } from './sensitivity.js'

interface DepartureRow {
  /** E[g - z] over missing rows. */
  readonly bias: { readonly pretrained: number; readonly calibrated: number }
  /** Squared error over missing rows, calibrated - pretrained: below 0, calibration helps there. */
  readonly difference: number
}

export interface MissingSensitivity {
  /** Standard deviation of z given the context, the scale of shifts and tilts. */
  readonly residualSd: number
  /** By the shift of E[z | x] on missing rows. */
  readonly shift: readonly (DepartureRow & { readonly delta: number })[]
  /** The shift nearest to 0 at which calibrating no longer helps on missing rows; null: none does. */
  readonly shiftThatUndoes: number | null
  /** Bias of the calibrated model over all rows, by shift and by the share of missing rows that are shifted. */
  readonly contour: readonly { readonly delta: number; readonly share: number; readonly bias: number }[]
  /** By the exponential tilt, in standard deviations of z given the context. */
  readonly tilt: readonly (DepartureRow & { readonly alpha: number })[]
  /** By the odds ratio. */
  readonly odds: {
    readonly bias: { readonly pretrained: readonly Bounds[]; readonly calibrated: readonly Bounds[] }
    readonly difference: readonly Bounds[]
  }
  /** The smallest odds ratio at which the sign cannot be told; 1: not even under MAR; null: beyond 100. */
  readonly robustness: { readonly pretrainedBias: number | null; readonly gain: number | null }
}

const SHIFTS = [-1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1]
const SHARES = [0.25, 0.5, 0.75, 1]
const TILTS = [-1, -0.5, -0.25, 0, 0.25, 0.5, 1]
const ODDS = [1, 1.1, 1.25, 1.5, 2, 3]

export function missingSensitivity(
  rows: AnalysisRows,
  { calibrated, nuisances }: CrossFitted,
  random: Random,
): MissingSensitivity {
  const { truth, pretrained, observed } = rows
  const { probabilities } = nuisances
  const kept: number[] = []
  for (let row = 0; row < rows.count; row++) if (observed[row] === 1) kept.push(row)
  const weights = Float64Array.from(kept, (row) => (1 - probabilities[row]!) / probabilities[row]!)
  const column = (of: (row: number) => number): MissingValues => ({ values: Float64Array.from(kept, of), weights })
  const biasBefore = column((row) => pretrained[row]! - truth[row]!)
  const biasAfter = column((row) => calibrated[row]! - truth[row]!)
  const difference = column((row) => (truth[row]! - calibrated[row]!) ** 2 - (truth[row]! - pretrained[row]!) ** 2)
  const { fitted: expected } = nuisances.regression(truth)
  const residuals = Float64Array.from(kept, (row) => truth[row]! - expected[row]!)
  const mean = (values: MissingValues) => tiltedMean(values, residuals, 0)
  const square = mean({ values: residuals.map((one) => one * one), weights })
  const residualSd = Math.sqrt(square)
  const [before, after, gain] = [mean(biasBefore), mean(biasAfter), mean(difference)]
  // (z + delta - g)^2 - (z - g)^2 = delta^2 - 2 delta (g - z), for both models.
  const shifted = (delta: number): DepartureRow => ({
    bias: { pretrained: before - delta, calibrated: after - delta },
    difference: gain - 2 * delta * (after - before),
  })
  const undoes = after === before ? null : gain / (2 * (after - before))
  const missingShare = 1 - kept.length / rows.count
  const biasSeen = kept.reduce((sum, row) => sum + calibrated[row]! - truth[row]!, 0) / kept.length
  return {
    residualSd,
    shift: SHIFTS.map((step) => ({ delta: step * residualSd, ...shifted(step * residualSd) })),
    shiftThatUndoes: gain >= 0 ? 0 : undoes,
    contour: SHIFTS.flatMap((step) =>
      SHARES.map((share) => ({
        delta: step * residualSd,
        share,
        bias: (1 - missingShare) * biasSeen + missingShare * (after - share * step * residualSd),
      })),
    ),
    tilt: TILTS.map((alpha) => ({
      alpha,
      bias: {
        pretrained: tiltedMean(biasBefore, residuals, alpha),
        calibrated: tiltedMean(biasAfter, residuals, alpha),
      },
      difference: tiltedMean(difference, residuals, alpha),
    })),
    odds: {
      bias: {
        pretrained: boundsWithBand(biasBefore, ODDS, random.split('pretrained')),
        calibrated: boundsWithBand(biasAfter, ODDS, random.split('calibrated')),
      },
      difference: boundsWithBand(difference, ODDS, random.split('difference')),
    },
    robustness: { pretrainedBias: robustnessValue(biasBefore), gain: robustnessValue(difference) },
  }
}
