// Which model of a covariate is in use, what was said of it last, and what it would say for the rows of a report.

import type { ImputerModel } from '../imputer/imputer-model.js'
import type { AuditReport } from '../calibration/audit.js'
import type { ClassCorrection } from '../calibration/class-correction.js'
import { type Correction, compileCorrection, isCorrection } from '../calibration/correction.js'
import type { LadderReport } from '../calibration/ladder-report.js'
import { foldOfRound } from '../calibration/ladder-sums.js'
import type { GuardReport } from '../calibration/reward-checks.js'
import { radiusOf } from '../calibration/settings.js'
import { correctionCompiler, type Engine, imputationModels } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { insideUnit } from '../problem/feature.js'
import type { ReportSample } from './report-sample.js'

export interface CorrectionInUse {
  readonly use: 'pretrained' | 'calibrated' | 'reward-informed' | 'audited' | 'constant'
  /** Class of the correction in use; null: none. */
  readonly rung: string | null
  /** Of the newest ladder; null: no ladder. */
  readonly shrinkage: number | null
  /** Radius, root mean square of the correction over contexts, whether the ball binds; the covariate's units. */
  readonly ball: { readonly delta0: number | null; readonly size: number; readonly active: boolean }
  /** Standard deviation of what the imputation leaves open; the covariate's units. */
  readonly residualSd: number | null
}

export interface Evidence {
  readonly ladder: LadderReport | null
  readonly guard: GuardReport | null
  readonly audit: AuditReport | null
}

/** What ladder, guards and audit said last. */
export function newestEvidence(state: EpochState, which: number): Evidence {
  const last = <T>(pick: (report: EpochState['reports'][number]['covariates'][number]) => T | null): T | null => {
    for (let i = state.reports.length - 1; i >= 0; i--) {
      const found = pick(state.reports[i]!.covariates[which]!)
      if (found !== null) return found
    }
    return null
  }
  return { ladder: last(({ ladder }) => ladder), guard: last(({ guard }) => guard), audit: last(({ audit }) => audit) }
}

/** The value that the model in use would give each row, by the other fold's fit where that is known. */
export function fittedValues(
  state: EpochState,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
): { fitted: Float64Array; crossFitted: boolean } {
  const { encoding, shape } = engine
  const { contextWidth: p, covariateWidth: m } = shape
  const covariate = encoding.covariates[which]!
  const { at, width } = covariate
  const model = imputationModels(engine, state)[which] ?? null
  const fitted = new Float64Array(rows.length * width)
  const clip = engine.calibration?.clip ?? 'range'
  const byFold = model?.kind === 'correction' ? model.byFold : undefined
  const correctors = !isCorrection(model)
    ? null
    : [0, 1].map((fold) =>
        compileCorrection(
          byFold === undefined || model.kind !== 'correction'
            ? model
            : { ...model, coefficients: byFold[fold]!, ...(model.mapByFold ? { map: model.mapByFold[fold]! } : {}) },
          encoding.context,
          covariate,
          clip,
          correctionCompiler(engine),
        ),
      )
  rows.forEach((row, i) => {
    for (let k = 0; k < width; k++) {
      fitted[i * width + k] = model?.kind === 'constant' ? model.values[k]! : sample.block.pretrained[row * m + at + k]!
    }
    // A row is judged by the fit of the other fold.
    correctors?.[1 - foldOfRound(sample.rounds[row]!)]?.(sample.block.context, row * p, fitted, i * width)
  })
  return { fitted, crossFitted: byFold !== undefined }
}

export function correctionInUse(
  state: EpochState,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
  newest: Evidence,
): CorrectionInUse {
  const { encoding, shape } = engine
  const { name, feature } = encoding.covariates[which]!
  const unit = insideUnit(feature)
  const model = imputationModels(engine, state)[which] ?? null
  const delta0 = engine.calibration === null ? null : (radiusOf(engine.calibration, name) ?? null)
  if (!isCorrection(model)) {
    const use = model?.kind === 'constant' ? ('constant' as const) : ('pretrained' as const)
    return { use, rung: null, shrinkage: null, ball: { delta0, size: 0, active: false }, residualSd: null }
  }
  const { at, width } = encoding.covariates[which]!
  const correct = compileCorrection(
    model,
    encoding.context,
    encoding.covariates[which]!,
    'none',
    correctionCompiler(engine),
  )
  const values = new Float64Array(width)
  let square = 0
  for (const row of rows) {
    const from = row * shape.covariateWidth + at
    values.set(sample.block.pretrained.subarray(from, from + width))
    correct(sample.block.context, row * shape.contextWidth, values, 0)
    for (let k = 0; k < width; k++) square += (values[k]! - sample.block.pretrained[from + k]!) ** 2
  }
  const guard = state.guards[which]!
  const folds = newestFolds(state, which)
  const use =
    newest.audit?.use != null
      ? ('audited' as const)
      : guard.informed
        ? ('reward-informed' as const)
        : guard.fallback || isZero(model)
          ? ('pretrained' as const)
          : ('calibrated' as const)
  const variance = model.moments?.[2]
  return {
    use,
    rung: model.kind === 'correction' && model.map !== undefined ? 'isotonic' : model.class,
    shrinkage: newest.ladder?.shrinkage ?? null,
    ball: {
      delta0,
      size: rows.length === 0 ? 0 : unit * Math.sqrt(square / rows.length),
      active:
        newest.ladder?.cap?.active === true ||
        folds.some(({ columns }) => columns.some(({ multiplier }) => multiplier > 0)),
    },
    residualSd: variance === undefined ? null : unit * Math.sqrt(variance),
  }
}

function isZero(model: Correction | ClassCorrection | ImputerModel): boolean {
  if (model.kind === 'imputer') return false
  return model.kind === 'correction'
    ? model.map === undefined && model.coefficients.every((column) => column.every((value) => value === 0))
    : model.parts.every((parts) => parts.every(({ scale }) => scale === 0))
}

function newestFolds(state: EpochState, which: number) {
  for (let i = state.reports.length - 1; i >= 0; i--) {
    const { calibration } = state.reports[i]!.covariates[which]!
    if (calibration !== null) return calibration.folds
  }
  return []
}
