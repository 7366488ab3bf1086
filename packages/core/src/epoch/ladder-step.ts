// One covariate at an end of an epoch, beyond the paper (method#ladder, method#reward-informed): the ladder's correction, then
// what rewards say of it. Rewards are asked at doublings of the rows, from 64 on, at every calibration of the first 32,768 while they
// inform it, or when all that counts is new where old rounds are forgotten:
//   fallback: g~ instead of g-hat where it predicts the rewards of missing rows clearly better (from 64 missing rows on);
//   MAR test at 1% (from 32 missing rows on); the correction is informed by rewards while the last two tests rejected, or the last
//   one at 0.1%, if that holds (inform-by-rewards.ts). The reward model that is asked is of a wider class where
//   observed rows show that the policy's own is wrong (wider-reward.ts);
//   with guards.bounds the set of the mean over missing rows that rewards allow (method#missing-set): the correction moves to its middle
//   where the 99% set excludes it.
// Both questions are put to at most 2^13 rows or so, in blocks that are spread over all: more would tell nothing that matters.

import { Random } from '@primo/numeric'
import type { AuditReport } from '../calibration/audit.js'
import { columnRidge } from '../calibration/column-ridge.js'
import {
  basisOf,
  type Correction,
  type CovariateModel,
  inputPart,
  spreadOf,
  uncorrected,
} from '../calibration/correction.js'
import { type BasisByClass, type InputBasis, inputBasis, numericInputs } from '../calibration/input-basis.js'
import { knownResiduals, knownSpread } from '../calibration/known-residuals.js'
import { basisOfRung, LADDER, type LadderFit } from '../calibration/ladder.js'
import { capLadder } from '../calibration/ladder-cap.js'
import { fitIsotonicRung } from '../calibration/ladder-isotonic.js'
import type { LadderReport } from '../calibration/ladder-report.js'
import { ladderSums } from '../calibration/ladder-sums.js'
import { fitWeighted } from '../calibration/ladder-weights.js'
import { marTester } from '../calibration/missing-at-random.js'
import { compileMap } from '../calibration/monotone-map.js'
import type { GuardReport, GuardState } from '../calibration/reward-checks.js'
import { rewardLosses } from '../calibration/reward-informed.js'
import type { RewardInput } from '../calibration/reward-probe.js'
import { widerReward } from '../calibration/wider-reward.js'
import type { Engine } from '../engine/engine.js'
import type { EpochReport } from '../engine/epoch-state.js'
import { memoryOf, recentRange, roundsSince } from '../engine/memory.js'
import { fittingScale } from '../oracle/column-scale.js'
import { type LinearModel, withoutIndicators } from '../oracle/linear-model.js'
import type { RewardModel } from '../oracle/oracle.js'
import { residualPoints } from '../residuals/residual-points.js'
import { type BlockPart, blockParts, type RoundRange, spreadParts } from '../rounds/block-parts.js'
import { closedCounts } from '../rounds/closed-counts.js'
import { completeRows } from '../rounds/reward-rows.js'
import type { RoundTable } from '../rounds/round-table.js'
import { auditEvidence, auditStep } from './audit-step.js'
import { informByRewards } from './inform-by-rewards.js'
import { rewardSet, shifted, shiftInto } from './reward-set.js'

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

/** A step before the audit has its say. */
type GuardedStep = Omit<LadderStep, 'audit'>

const FALLBACK_ROWS = 64
/** g~ must predict rewards better by this share of their squared error, divided by the root of the rows. */
const FALLBACK_MARGIN = 0.5
/** Missing rows that are asked about, and complete ones that the wider class is fitted on; whole blocks, so perhaps some more. */
const ASKED_ROWS = 2 ** 13
const TEST_ROWS = 64
const TEST_MISSING = 32
/** Up to here a correction that rewards inform is made anew with every calibration. */
const FRESH_ROWS = 32_768
/** Two-sided 1% point of the standard normal. */
const CRITICAL = 2.5758
/** The 0.1% point: enough at once, and the level where the reward class is known to be wrong. */
const CRITICAL_CLEAR = 3.2905

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
  return finish(calibrated, guarded(input, { calibrated, ladder, folds, before, auditRejects, basis }))
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

type Residual = Pick<Correction, 'moments' | 'points' | 'logVariance' | 'bySd'>

interface Fitted {
  readonly calibrated: Correction
  readonly ladder: LadderReport
  readonly folds: ReturnType<typeof ladderSums>
  readonly before: GuardState
  /** What the audit's test says; null: it was not made. */
  readonly auditRejects: boolean | null
  /** The rich one. */
  readonly basis: InputBasis
}

function guarded(input: LadderStepInput, fitted: Fitted): GuardedStep {
  const { calibrated, ladder, folds, before, auditRejects, basis } = fitted
  const { rounds, memory, settings, which, learnt } = input
  const { encoding, oracle, halfLife, guards } = settings
  const asIs = { correction: calibrated, ladder, guard: before, report: null }
  const complete = completeRows(rounds, memory, encoding.actions.length, halfLife)
  if (encoding.covariates[which]!.feature.type === 'category' || complete.count === 0) return asIs
  // In a sliding window the rows stop growing; then rewards are asked again when all of what counts is new.
  const askedIn = ({ covariates }: EpochReport) => covariates[which]!.guard !== null
  const grown =
    learnt >= 2 * before.testedRows ||
    (before.informed && learnt <= FRESH_ROWS) ||
    roundsSince(input.reports, rounds.count, askedIn) >= memoryOf(settings)
  if (learnt < TEST_ROWS || !grown) return between(input.correction, fitted)
  // The complete rounds need no spread and no imputation, so this fit draws on sums that are already there.
  // The guards read the linear class; other classes have none.
  if (oracle.kind !== 'linear') return asIs
  const plain = oracle.fit(complete, Random.fromSeed(0), withoutIndicators(input.rewardModel)) as LinearModel
  if (plain.covariance === null) return asIs
  const some = { ...complete, parts: spreadParts([...complete.parts!], ASKED_ROWS, ({ count }) => count) }
  const { model: wide, lackOfFit } = widerReward(some, plain, encoding, which)
  const wrong = lackOfFit > CRITICAL
  const completeCase = wrong ? wide : plain
  const spread = encoding.covariates.map((_, k) =>
    k === which && settings.missing === 'distribution' ? spreadOf(calibrated) : null,
  )
  const { ridge } = settings.calibration!
  const asked = [...blockParts(rounds, recentRange(memory, halfLife))]
  const countsIn = ({ block, start, end }: BlockPart) => closedCounts(block, start, end, encoding.covariates.length)
  const seenIn = (part: BlockPart) => countsIn(part).seen[which]!
  const missingIn = (part: BlockPart) => countsIn(part).closed - seenIn(part)
  const rewards: RewardInput = {
    parts: spreadParts(asked, ASKED_ROWS, missingIn),
    encoding,
    which,
    completeCase,
    basis,
    spread,
    ...(calibrated.map === undefined ? {} : { moved: compileMap(calibrated.map) }),
  }
  /** What the isotonic rung leaves is the basis' to explain: the test must not take the map for missing at random. */
  const movedFolds = () =>
    rewards.moved === undefined
      ? folds[0]!
      : ladderSums(
          rounds,
          memory,
          encoding.covariates[which]!,
          which,
          basis,
          halfLife,
          'known',
          null,
          rewards.moved,
        )[0]!
  const candidates = [[], calibrated.coefficients[0]!]
  const tester = guards.marTest ? marTester({ ...rewards, folds: movedFolds(), ridge, narrow: plain, wide }) : undefined
  // The correction is in a prefix of the rich basis.
  const { missing, losses } = rewardLosses(
    tester === undefined ? { ...rewards, basis: basisOf(calibrated, encoding.context) } : rewards,
    candidates,
    tester,
  )
  // Where the covariate hardly matters for rewards both predict them alike, and chance must not undo the calibration.
  const clearly = 1 - FALLBACK_MARGIN / Math.sqrt(missing)
  const fallback = guards.fallback && missing >= FALLBACK_ROWS && losses[0]! < clearly * losses[1]!
  const test = tester !== undefined && missing >= TEST_MISSING ? tester.result() : null
  const rejected = test !== null && Math.abs(test.statistic) > (wrong ? CRITICAL_CLEAR : CRITICAL)
  const audit = guards.marTest ? auditRejects : null
  const tested = test !== null || audit !== null
  const rejections = !tested ? before.rejections : rejected || audit === true ? before.rejections + 1 : 0
  const clear = test !== null && !wrong && Math.abs(test.statistic) > CRITICAL_CLEAR
  const told =
    rejections < 2 && !clear
      ? null
      : informByRewards({
          // What rejections lead to is judged and fitted on all rounds.
          rewards: {
            ...rewards,
            parts: asked,
            completeCase: wrong ? widerReward(complete, plain, encoding, which, wide.design.products).model : plain,
          },
          seen: spreadParts(asked, ASKED_ROWS, seenIn),
          calibrated,
          fallback,
          ridges: columnRidge(ridge, folds[0]![0], basis),
        })
  const informed = told !== null && told.correction !== null
  const correction = told?.correction ?? (fallback ? uncorrected(calibrated) : calibrated)
  const { clip } = settings.calibration!
  const found = guards.bounds ? rewardSet({ rounds, memory, halfLife, encoding, which, correction, clip }) : null
  const shift = found === null ? 0 : shiftInto(found)
  return {
    correction: shifted(correction, shift),
    ladder,
    guard: { testedRows: learnt, rejections, informed, fallback, ...(shift === 0 ? {} : { shift }) },
    report: {
      use: informed ? 'reward-informed' : fallback ? 'pretrained' : 'calibrated',
      missing,
      losses: missing === 0 ? null : { pretrained: losses[0]!, calibrated: losses[1]!, informed: told?.loss ?? null },
      ...(told === null || told.placebo === null ? {} : { placebo: told.placebo }),
      test: test === null ? null : { statistic: test.statistic, rejected, information: test.information, lackOfFit },
    },
  }
}

/** Between two looks at the rewards what they said last stays in force; what an older version said in other columns does not. */
function between(
  previous: CovariateModel | null | undefined,
  { calibrated, ladder, before, basis }: Fitted,
): GuardedStep {
  const kept =
    before.informed && previous?.kind === 'correction' && previous.input === inputPart(basis).input
      ? { ...withoutAudit(previous), ...residualPart(calibrated) }
      : null
  return {
    correction: kept ?? shifted(before.fallback ? uncorrected(calibrated) : calibrated, before.shift ?? 0),
    ladder,
    guard: before,
    report: null,
  }
}

/** What was there before the audit added to it; a reward-informed correction is in the rich class. */
function withoutAudit({ beforeAudit, ...correction }: Correction): Correction {
  return beforeAudit === undefined ? correction : { ...correction, class: 'rich', coefficients: beforeAudit }
}

function residualPart({ moments, points, logVariance, bySd }: Correction): Residual {
  return {
    ...(moments === undefined ? {} : { moments }),
    ...(points === undefined ? {} : { points }),
    ...(logVariance === undefined ? {} : { logVariance }),
    ...(bySd === undefined ? {} : { bySd }),
  }
}
