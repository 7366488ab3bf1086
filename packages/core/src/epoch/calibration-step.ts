// The calibration part of an end of an epoch: for each covariate the paper's Cal, or the mean of the observed values.

import type { Random } from '@primo/numeric'
import { calibrate } from '../calibration/calibrate.js'
import { calibrateClass } from '../calibration/class-calibrate.js'
import type { CovariateModel } from '../calibration/correction.js'
import { radiusOf } from '../calibration/settings.js'
import type { Engine } from '../engine/engine.js'
import type { CovariateReport, EpochState } from '../engine/epoch-state.js'
import { observedMean } from '../imputation/observed-mean.js'
import { insideUnit } from '../problem/feature.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { covariateRows } from '../rounds/covariate-rows.js'
import type { RoundTable } from '../rounds/round-table.js'
import { ensembleStep } from './ensemble-step.js'

type StepReport = Pick<CovariateReport, 'calibration' | 'ensemble'>

export interface CalibrationStep {
  readonly corrections: readonly (CovariateModel | null)[]
  readonly ensembles: EpochState['ensembles']
  readonly imputationVersion: number
  readonly reports: readonly StepReport[]
}

type Before = Pick<EpochState, 'corrections' | 'ensembles' | 'imputationVersion'>
type CalibrationStepSettings = Pick<Engine, 'encoding' | 'calibration' | 'imputation' | 'ensembles' | 'shape'>

export function unchanged({ corrections, ensembles, imputationVersion }: Before): CalibrationStep {
  return { corrections, ensembles, imputationVersion, reports: corrections.map(() => ({ calibration: null })) }
}

export function calibrationStep(
  before: Before,
  rounds: RoundTable,
  memory: RoundRange,
  settings: CalibrationStepSettings,
  random: Random,
): CalibrationStep {
  const { encoding, calibration, imputation } = settings
  if (imputation === 'zero' || (imputation === 'model' && calibration === null)) return unchanged(before)
  const corrections = [...before.corrections]
  const stacked = imputation === 'model' ? ensembleStep(before.ensembles, rounds, memory, settings) : null
  const reports = encoding.covariates.map((covariate, which): StepReport => {
    if (imputation === 'mean') {
      corrections[which] = observedMean(rounds, memory, covariate, which) ?? corrections[which]!
      return { calibration: null }
    }
    const delta0 = radiusOf(calibration!, covariate.name)
    const rows = covariateRows(rounds, memory, covariate, which)
    const radius = delta0 === undefined ? undefined : delta0 / insideUnit(covariate.feature)
    const own = random.split('calibration', covariate.name)
    const { correction, report } =
      typeof calibration!.class === 'object'
        ? calibrateClass(rows, calibration!, calibration!.class, radius, own)
        : calibrate(rows, encoding.context, calibration!, radius, own)
    corrections[which] = correction
    const ensemble = stacked?.reports[which] ?? null
    return { calibration: report, ...(ensemble === null ? {} : { ensemble }) }
  })
  return {
    corrections,
    ensembles: stacked?.ensembles ?? before.ensembles,
    imputationVersion: before.imputationVersion + 1,
    reports,
  }
}
