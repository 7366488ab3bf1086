// What `primo calibrate` prints: plain data, in the covariate's own units unless said otherwise.

import type { Correction, CorrectionClass } from '@primo/core/engine'
import type { CalibrationBin } from './calibration-curve.js'
import type { BalanceRow } from './context-balance.js'
import type { ObservationReport } from './observation-report.js'
import type { Estimate, Interval } from './weighted-mean.js'

export interface LossReport {
  /** Mean squared error over all rows, estimated from the observed ones (1/e-hat weights); null: no row is observed and has a prediction. */
  readonly mse: Estimate | null
  /** Mean of prediction - truth; per level for a category. */
  readonly bias: Estimate | Readonly<Record<string, Estimate | null>> | null
}

interface ElasticityReport {
  readonly units: string
  readonly pretrained: ElasticityBound
  readonly calibrated: ElasticityBound
}

/** Times L_Z^2 these bound the model elasticity (method#elasticity); 95% intervals, null where the rows cannot support one. */
export interface ElasticityBound {
  /** E (z - g)^2. */
  readonly all: Interval | null
  /** E (1 - b)(z - g)^2: what the missing rows alone contribute. */
  readonly missing: Interval | null
}

/** An estimate with its 95% interval and one-sided 95% limit; null: the rows cannot support them. */
export interface ConstantEstimate {
  readonly value: number
  readonly low: number | null
  readonly high: number | null
  readonly limit: number | null
}

/** Constants of the theorems in the covariate's units: what `primo bounds` takes as --delta0, --omega0 and --eta-bound. */
export interface CovariateConstantsReport {
  /** Root mean square error of the predictions against E[z | x]. */
  readonly delta0: ConstantEstimate
  /** Root mean square of z - E[z | x]. */
  readonly omega0: ConstantEstimate
  /** The largest |z - E[z | x]| seen: a lower bound of tau. */
  readonly tau: number
  /** Half the covariate's range: what 1 is in the theorems, where covariates lie in [-1, 1]. */
  readonly unit: number
}

export interface CalibrationWarning {
  readonly code: string
  readonly message: string
}

/** What a calibration found, as plain data in the covariate's own units unless said otherwise. */
export interface CalibrationReport {
  readonly n: number
  readonly observed: number
  readonly withoutPrediction: number
  readonly observation: ObservationReport
  readonly correction: {
    readonly kind: 'none' | 'correction'
    /** The class of the correction; null: g~ stays as it is. */
    readonly rung: CorrectionClass | null
    /** lambda of the power tuning; 1 when it was not tuned. */
    readonly shrinkage: number
    readonly shrinkageSe: number | null
    readonly ball: {
      readonly delta0: number | null
      /** Root mean square of the correction over all rows. */
      readonly size: number
      /** Whether the ball holds the correction back. */
      readonly active: boolean
    }
    /** Share of rows whose corrected value was brought back into the covariate's range. */
    readonly clippedShare: number
    /** Ready to be applied by compileCorrection; inside units. */
    readonly model: Correction | null
  }
  readonly loss: {
    readonly pretrained: LossReport
    readonly calibrated: LossReport
    /** calibrated - pretrained, paired by row; below 0: calibration helps. */
    readonly difference: Estimate | null
  }
  readonly elasticity: ElasticityReport
  /** null: the covariate is a category, or nothing is missing. */
  readonly constants: CovariateConstantsReport | null
  readonly diagnostics: {
    /** Held-out loss of every class that was tried, before shrinkage. */
    readonly rungs: readonly { readonly class: CorrectionClass; readonly mse: number | null }[]
    readonly calibrationCurve: { readonly before: readonly CalibrationBin[]; readonly after: readonly CalibrationBin[] }
    readonly balance: readonly BalanceRow[]
    readonly warnings: readonly CalibrationWarning[]
  }
  readonly notes: readonly string[]
}
