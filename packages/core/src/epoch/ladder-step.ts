// One covariate at an end of an epoch, beyond the paper (method#ladder): sums over the known rows in units that were seen, the ladder's
// correction, what rewards say of it (guard-step.ts), and the audit's last word (audit-step.ts).

import type { AuditReport } from '../calibration/audit.js'
import { type Correction, type CovariateModel, inputPart } from '../calibration/correction.js'
import { type BasisByClass, inputBasis, numericInputs } from '../calibration/input-basis.js'
import { knownResiduals, knownSpread } from '../calibration/known-residuals.js'
import { basisOfRung, LADDER, type LadderFit } from '../calibration/ladder.js'
import { capLadder } from '../calibration/ladder-cap.js'
import { fitIsotonicRung } from '../calibration/ladder-isotonic.js'
import type { LadderReport } from '../calibration/ladder-report.js'
import { ladderSums } from '../calibration/ladder-sums.js'
import { fitWeighted } from '../calibration/ladder-weights.js'
import type { GuardReport, GuardState } from '../calibration/reward-checks.js'
import type { Engine } from '../engine/engine.js'
import type { EpochReport } from '../engine/epoch-state.js'
import { fittingScale } from '../oracle/column-scale.js'
import type { RewardModel } from '../oracle/oracle.js'
import { residualPoints } from '../residuals/residual-points.js'
import type { RoundRange } from '../rounds/block-parts.js'
import type { RoundTable } from '../rounds/round-table.js'
import { auditEvidence, auditStep } from './audit-step.js'
import { type GuardedStep, guardStep } from './guard-step.js'

export type LadderSettings = Pick<
  Engine,
  'encoding' | 'shape' | 'calibration' | 'guards' | 'oracle' | 'missing' | 'window' | 'halfLife'
>

export interface LadderStepInput {
  readonly rounds: RoundTable
  readonly memory: RoundRange
  readonly settings: LadderSettings
  /** The covariate. */
  readonly which: number
  /** Rows learnt from at this end. */
  readonly learnt: number
  /** What the end before left: of the checks, the covariate's model, the reports, the reward model. */
  readonly guard: GuardState
  readonly correction: CovariateModel | null | undefined
  readonly reports: readonly EpochReport[]
  readonly rewardModel: RewardModel | null
}

export interface LadderStep {
  readonly correction: Correction | null
  readonly ladder: LadderReport | null
  readonly guard: GuardState
  readonly report: GuardReport | null
  readonly audit: AuditReport | null
}

export function ladderStep(input: LadderStepInput): LadderStep {
  const { rounds, memory, settings, which, guard: before } = input
  const { encoding, halfLife } = settings
  const calibration = settings.calibration!
  const covariate = encoding.covariates[which]!
  const { basisAt, folds } = inSeenUnits(input)
  const basis = basisAt('rich')
  const known = folds[0]![0].count + folds[0]![1].count
  const prefixes = LADDER.map((rung) => basisAt(rung).columns)
  const evidence = auditEvidence(input, basis, folds)
  const finish = (calibrated: Correction | null, step: GuardedStep): LadderStep => {
    if (evidence === null) return { ...step, audit: null }
    const { correction, report } = auditStep(
      input,
      evidence,
      prefixes,
      calibrated,
      step.correction,
      step.guard.informed,
      basisAt,
    )
    return { ...step, correction, audit: report }
  }
  if (known < calibration.minimumRows) {
    return finish(null, { correction: null, ladder: null, guard: before, report: null })
  }
  // The audit's fits are in the basis alone.
  const isotonic =
    calibration.isotonic && evidence === null ? fitIsotonicRung(rounds, memory, covariate, which, halfLife) : null
  const { weights, fit: free } = fitWeighted({
    table: rounds,
    range: memory,
    settings,
    which,
    basis,
    prefixes,
    folds,
    isotonic,
  })
  const { fit, cap } = capLadder(free, rounds, memory, settings, which, basisAt)
  const { rung, ridge, shrinkage, loss, heldOut, rows, residualVariance } = fit
  const ladder = { rung, ridge, shrinkage, loss, heldOut, rows, residualVariance, weights, cap }
  const calibrated: Correction = {
    kind: 'correction',
    class: basisOfRung(rung),
    ...(rung === 'isotonic' ? {} : inputPart(basis)),
    coefficients: fit.coefficients,
    ...(fit.map === undefined ? {} : { map: fit.map, mapByFold: fit.mapByFold! }),
    byFold: foldCoefficients(fit),
    ...residualOf(input, fit, basisAt),
  }
  if (!settings.guards.fallback && !settings.guards.marTest)
    return finish(calibrated, { correction: calibrated, ladder, guard: before, report: null })
  const auditRejects = evidence?.report.test?.rejected ?? null
  return finish(calibrated, guardStep(input, { calibrated, ladder, folds, before, auditRejects, basis }))
}

/** The bases over g~ and the context in units of what was seen, and the sums of the rich one. The units before stay while they fit. */
function inSeenUnits({ rounds, memory, settings, which, correction }: LadderStepInput) {
  const { encoding, halfLife } = settings
  const covariate = encoding.covariates[which]!
  const { input } = settings.calibration!
  const bases =
    (scale: Correction['scale']): BasisByClass =>
    (kind) =>
      inputBasis(kind, input, encoding.context, covariate.width, scale)
  const sumsOf = (basisAt: BasisByClass) => ladderSums(rounds, memory, covariate, which, basisAt('rich'), halfLife)
  const before = correction?.kind === 'correction' ? correction.scale : undefined
  const basisAt = bases(before)
  const folds = sumsOf(basisAt)
  if (input === 'context') return { basisAt, folds }
  const fitting = fittingScale(folds[0]!, numericInputs(basisAt('rich'), encoding.context), before)
  if (fitting === before) return { basisAt, folds }
  const anew = bases(fitting)
  return { basisAt: anew, folds: sumsOf(anew) }
}

function foldCoefficients({ byFold, shrinkage }: LadderFit): readonly (readonly (readonly number[])[])[] {
  return [0, 1].map((fold) => byFold.map((pair) => pair[fold]!.map((value) => shrinkage * value)))
}

/** Only a number has a residual; a category is a probability vector already. */
function residualOf(
  { rounds, memory, settings, which }: LadderStepInput,
  fit: LadderFit,
  basisAt: BasisByClass,
): Residual {
  const covariate = settings.encoding.covariates[which]!
  if (covariate.feature.type !== 'number') return {}
  const { residuals: kind } = settings.calibration!
  const basis = basisAt(basisOfRung(fit.rung))
  const variance = fit.residualVariance[0]!
  const varies = kind === 'constant' ? {} : knownSpread(rounds, memory, settings.encoding, which, basis, fit, kind)
  const residuals = knownResiduals(rounds, memory, covariate, which, basis, fit.coefficients[0]!, varies.bySd, fit.map)
  return { moments: [1, 0, variance], points: residualPoints(residuals, variance), ...varies }
}

export type Residual = Pick<Correction, 'moments' | 'points' | 'logVariance' | 'bySd'>
