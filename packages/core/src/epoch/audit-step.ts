// The audit's part of a calibration: counts, claim and test first, because the guards listen to the test; then, where the claim
// holds, a correction that audited rows have the last word on.

import { scaleSums } from '@primo/numeric'
import {
  type AuditModel,
  type AuditReport,
  answersNeed,
  auditClaim,
  auditCounts,
  dueRange,
  type Folds,
  fitAudit,
} from '../calibration/audit.js'
import { auditLimits } from '../calibration/audit-limits.js'
import { auditTest } from '../calibration/audit-test.js'
import { auditedRows } from '../calibration/audited-rows.js'
import { type Correction, inputPart } from '../calibration/correction.js'
import type { BasisByClass, InputBasis } from '../calibration/input-basis.js'
import { knownResiduals } from '../calibration/known-residuals.js'
import { ladderSums } from '../calibration/ladder-sums.js'
import { meanShare } from '../problem/audit-spec.js'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { residualPoints } from '../residuals/residual-points.js'
import { effectiveScale } from '../rounds/audit-weight.js'
import type { RoundRange } from '../rounds/block-parts.js'
import type { RoundTable } from '../rounds/round-table.js'
import type { LadderStepInput } from './ladder-step.js'

type AuditStepInput = Pick<LadderStepInput, 'rounds' | 'memory' | 'settings' | 'which'>

export interface AuditEvidence {
  readonly report: AuditReport
  /** Sums over the audited rows per column; empty where the claim does not hold. */
  readonly folds: readonly Folds[]
}

/** null: the covariate is not audited, or its reveals are not to be learnt from. */
export function auditEvidence(
  { rounds, memory, settings, which }: AuditStepInput,
  basis: InputBasis,
  known: readonly Folds[],
): AuditEvidence | null {
  const covariate = settings.encoding.covariates[which]!
  const { audit } = covariate.feature
  if (audit === undefined || revealsOf(covariate.feature) !== 'random') return null
  const range = dueRange(memory, audit)
  const counts = auditCounts(rounds, range, which)
  const claim = auditClaim(counts)
  const late = claim === 'dropped' ? answersNeed(rounds, memory, which) : null
  const { ridge, minimumRows } = settings.calibration!
  const folds = claim === 'held' ? auditedSums(rounds, range, covariate, which, basis, settings.halfLife) : []
  const seen = known[0]![0].count + known[0]![1].count
  const testable = folds.length === 1 && seen >= minimumRows && foldCount(folds[0]!) > 0
  return {
    folds: folds.length > 0 && foldCount(folds[0]!) > 0 ? folds : [],
    report: {
      share: meanShare(audit),
      ...counts,
      responseRate: counts.asked === 0 ? null : counts.answered / counts.asked,
      claim,
      ...(late === null ? {} : { holdsWithin: late }),
      test: testable ? auditTest(known[0]!, auditedRows(rounds, range, covariate, which, basis), ridge, basis) : null,
      // All rounds, whatever the memory: the limits hold over all looks.
      limits:
        claim === 'held' && covariate.width === 1
          ? auditLimits(rounds, dueRange({ from: 0, to: rounds.count }, audit), covariate, which)
          : null,
      use: null,
    },
  }
}

function auditedSums(
  rounds: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: InputBasis,
  halfLife: number | null,
): readonly Folds[] {
  const folds = ladderSums(rounds, range, covariate, which, basis, halfLife, 'audited')
  const scale = effectiveScale(covariate.feature.audit!, rounds, range, which)
  // A share asks for all alike.
  if (scale === 1) return folds
  return folds.map(([a, b]): Folds => [scaleSums(a, scale), scaleSums(b, scale)])
}

function foldCount([a, b]: Folds): number {
  return a.count + b.count
}

export interface Audited {
  readonly correction: Correction | null
  readonly report: AuditReport
}

/** `calibrated`: the ladder's own correction; `inUse`: what the guards made of it; `informed`: whether rewards did. */
export function auditStep(
  { rounds, memory, settings, which }: AuditStepInput,
  { report, folds }: AuditEvidence,
  prefixes: readonly number[],
  calibrated: Correction | null,
  inUse: Correction | null,
  informed: boolean,
  basisAt: BasisByClass,
): Audited {
  if (folds.length === 0) return { correction: inUse, report }
  const covariate = settings.encoding.covariates[which]!
  const { ridge } = settings.calibration!
  const models: AuditModel[] = [{ name: 'pretrained', coefficients: folds.map(() => []) }]
  if (calibrated !== null) models.push({ name: 'calibrated', coefficients: calibrated.coefficients })
  if (informed && inUse !== null) models.push({ name: 'reward-informed', coefficients: inUse.coefficients })
  const fit = fitAudit(folds, models, prefixes, ridge, basisAt('rich'))
  const variance = fit.residualVariance ?? inUse?.moments?.[2] ?? fit.ladder.residualVariance[0]!
  const basis = basisAt(fit.class)
  const residual =
    covariate.feature.type === 'number'
      ? {
          ...(inUse?.logVariance === undefined ? {} : { logVariance: inUse.logVariance }),
          ...(inUse?.bySd === undefined ? {} : { bySd: inUse.bySd }),
          moments: [1, 0, variance],
          points: residualPoints(
            knownResiduals(rounds, memory, covariate, which, basis, fit.coefficients[0]!, inUse?.bySd),
            variance,
          ),
        }
      : {}
  const { rung, shrinkage, loss } = fit.ladder
  return {
    correction: {
      kind: 'correction',
      class: fit.class,
      ...inputPart(basis),
      coefficients: fit.coefficients,
      ...residual,
      ...(inUse === null ? {} : { beforeAudit: inUse.coefficients }),
    },
    report: {
      ...report,
      use: { base: fit.base.name, rung, shrinkage, losses: { ...fit.losses, audited: loss.calibrated } },
    },
  }
}
