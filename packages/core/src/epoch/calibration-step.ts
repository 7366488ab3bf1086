// The calibration part of an end of an epoch: for each covariate the paper's Cal, the ladder with its guards, or the mean of
// what was seen; the ladder only when the rounds have grown enough since the last time.

import type { Random } from '@primo/numeric'
import { calibrate } from '../calibration/calibrate.js'
import { calibrateClass } from '../calibration/class-calibrate.js'
import type { CovariateModel } from '../calibration/correction.js'
import { jointResiduals } from '../calibration/joint-residuals.js'
import type { GuardState } from '../calibration/reward-checks.js'
import { radiusOf } from '../calibration/settings.js'
import type { Engine } from '../engine/engine.js'
import type { CovariateReport, EpochReport, EpochState } from '../engine/epoch-state.js'
import { memoryOf, roundsSince } from '../engine/memory.js'
import { observedMean } from '../imputation/observed-mean.js'
import { insideUnit } from '../problem/feature.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { covariateRows } from '../rounds/covariate-rows.js'
import type { RoundTable } from '../rounds/round-table.js'
import { ensembleStep } from './ensemble-step.js'
import { type LadderSettings, ladderStep } from './ladder-step.js'

type StepReport = Pick<CovariateReport, 'calibration' | 'ladder' | 'guard' | 'audit' | 'ensemble'>

export interface CalibrationStep {
  readonly corrections: readonly (CovariateModel | null)[]
  readonly guards: readonly GuardState[]
  readonly ensembles: EpochState['ensembles']
  readonly calibratedRows: number
  readonly imputationVersion: number
  readonly reports: readonly StepReport[]
}

/** What a calibration remembers from the ends before. */
type Before = Pick<
  EpochState,
  'corrections' | 'guards' | 'ensembles' | 'calibratedRows' | 'imputationVersion' | 'reports' | 'rewardModel'
>
type CalibrationStepSettings = LadderSettings & Pick<Engine, 'imputation' | 'ensembles' | 'shape'>

const NOTHING: StepReport = { calibration: null, ladder: null, guard: null, audit: null }

export function unchanged({
  corrections,
  guards,
  ensembles,
  calibratedRows,
  imputationVersion,
}: Before): CalibrationStep {
  return {
    corrections,
    guards,
    ensembles,
    calibratedRows,
    imputationVersion,
    reports: corrections.map(() => NOTHING),
  }
}

/** From so many rows on what was fitted on half of them is as good. */
const MANY_ROWS = 2 ** 15

/** When the rows have grown enough, or enough of what counts is new. */
function calibrationDue(before: Before, decided: number, settings: CalibrationStepSettings, learnt: number): boolean {
  const given = settings.calibration?.growth ?? 1
  const growth = given > 1 && learnt > MANY_ROWS ? Math.max(2, given) : given
  if (before.calibratedRows === 0 || learnt >= growth * before.calibratedRows) return true
  const calibrated = ({ covariates }: EpochReport) =>
    covariates.some(({ calibration, ladder }) => calibration !== null || ladder !== null)
  return roundsSince(before.reports, decided, calibrated) >= (growth - 1) * memoryOf(settings)
}

export function calibrationStep(
  before: Before,
  rounds: RoundTable,
  memory: RoundRange,
  settings: CalibrationStepSettings,
  learnt: number,
  random: Random,
): CalibrationStep {
  const { encoding, calibration, imputation } = settings
  const due = calibrationDue(before, rounds.count, settings, learnt)
  if (imputation === 'zero' || (imputation === 'model' && (calibration === null || !due))) {
    return unchanged(before)
  }
  const corrections = [...before.corrections]
  const guards = [...before.guards]
  const stacked = imputation === 'model' ? ensembleStep(before.ensembles, rounds, memory, settings) : null
  const reports = encoding.covariates.map((covariate, which): StepReport => {
    if (imputation === 'mean') {
      corrections[which] = observedMean(rounds, memory, covariate, which) ?? corrections[which]!
      return NOTHING
    }
    if (calibration!.class === 'ladder') {
      const step = ladderStep({
        rounds,
        memory,
        settings,
        which,
        learnt,
        guard: before.guards[which]!,
        correction: before.corrections[which],
        reports: before.reports,
        rewardModel: before.rewardModel,
      })
      corrections[which] = step.correction
      guards[which] = step.guard
      return { calibration: null, ladder: step.ladder, guard: step.report, audit: step.audit }
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
    return { ...NOTHING, calibration: report }
  })
  if (calibration?.class === 'ladder' && settings.missing === 'distribution') {
    jointResiduals(rounds, memory, encoding, corrections).forEach((joint, which) => {
      const model = corrections[which]
      if (joint !== null && model?.kind === 'correction') corrections[which] = { ...model, joint }
    })
  }
  return {
    corrections,
    guards,
    ensembles: stacked?.ensembles ?? before.ensembles,
    calibratedRows: learnt,
    imputationVersion: before.imputationVersion + 1,
    reports: reports.map((report, which) => {
      const ensemble = stacked?.reports[which] ?? null
      return ensemble === null ? report : { ...report, ensemble }
    }),
  }
}
