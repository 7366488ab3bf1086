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
import { ladderStep } from './ladder-step.js'

type StepReport = Pick<CovariateReport, 'calibration' | 'ladder' | 'guard' | 'audit' | 'ensemble'>

export interface CalibrationStep {
  readonly corrections: readonly (CovariateModel | null)[]
  readonly guards: readonly GuardState[]
  readonly ensembles: EpochState['ensembles']
  readonly calibratedRows: number
  readonly imputationVersion: number
  readonly reports: readonly StepReport[]
}

const NOTHING: StepReport = { calibration: null, ladder: null, guard: null, audit: null }

export function unchanged(state: EpochState, engine: Engine): CalibrationStep {
  const { corrections, guards, ensembles, calibratedRows, imputationVersion } = state
  return {
    corrections,
    guards,
    ensembles,
    calibratedRows,
    imputationVersion,
    reports: engine.encoding.covariates.map(() => NOTHING),
  }
}

/** When the rows have grown enough, or enough of what counts is new. */
function calibrationDue(state: EpochState, rounds: RoundTable, engine: Engine, learnt: number): boolean {
  const growth = engine.calibration?.growth ?? 1
  if (state.calibratedRows === 0 || learnt >= growth * state.calibratedRows) return true
  const calibrated = ({ covariates }: EpochReport) =>
    covariates.some(({ calibration, ladder }) => calibration !== null || ladder !== null)
  return roundsSince(state.reports, rounds.count, calibrated) >= (growth - 1) * memoryOf(engine)
}

export function calibrationStep(
  state: EpochState,
  rounds: RoundTable,
  window: RoundRange,
  engine: Engine,
  learnt: number,
  random: Random,
): CalibrationStep {
  const { encoding, calibration } = engine
  const due = calibrationDue(state, rounds, engine, learnt)
  if (engine.imputation === 'zero' || (engine.imputation === 'model' && (calibration === null || !due))) {
    return unchanged(state, engine)
  }
  const corrections = [...state.corrections]
  const guards = [...state.guards]
  const stacked = engine.imputation === 'model' ? ensembleStep(state, rounds, window, engine) : null
  const reports = encoding.covariates.map((covariate, which): StepReport => {
    if (engine.imputation === 'mean') {
      corrections[which] = observedMean(rounds, window, covariate, which) ?? corrections[which]!
      return NOTHING
    }
    if (calibration!.class === 'ladder') {
      const step = ladderStep({ state, rounds, window, engine, which, learnt })
      corrections[which] = step.correction
      guards[which] = step.guard
      return { calibration: null, ladder: step.ladder, guard: step.report, audit: step.audit }
    }
    const delta0 = radiusOf(calibration!, covariate.name)
    const rows = covariateRows(rounds, window, covariate, which)
    const radius = delta0 === undefined ? undefined : delta0 / insideUnit(covariate.feature)
    const own = random.split('calibration', covariate.name)
    const { correction, report } =
      typeof calibration!.class === 'object'
        ? calibrateClass(rows, calibration!, calibration!.class, radius, own)
        : calibrate(rows, encoding.context, calibration!, radius, own)
    corrections[which] = correction
    return { ...NOTHING, calibration: report }
  })
  if (calibration?.class === 'ladder' && engine.missing === 'distribution') {
    jointResiduals(rounds, window, encoding, corrections).forEach((joint, which) => {
      const model = corrections[which]
      if (joint !== null && model?.kind === 'correction') corrections[which] = { ...model, joint }
    })
  }
  return {
    corrections,
    guards,
    ensembles: stacked?.ensembles ?? state.ensembles,
    calibratedRows: learnt,
    imputationVersion: state.imputationVersion + 1,
    reports: reports.map((report, which) => {
      const ensemble = stacked?.reports[which] ?? null
      return ensemble === null ? report : { ...report, ensemble }
    }),
  }
}
