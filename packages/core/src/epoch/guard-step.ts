// What rewards say of the ladder's correction of one covariate (method#reward-informed). They are asked at doublings of the rows, from 64
// on, at every calibration of the first 32,768 while they inform it, or when all that counts is new where old rounds are forgotten:
//   fallback: g~ instead of g-hat where it predicts the rewards of missing rows clearly better (from 64 missing rows on);
//   MAR test at 1% (from 32 missing rows on); after two rejections in a row, or one at 0.1%, rewards inform the correction if that
//   holds (inform-by-rewards.ts). The reward model that is asked is of a wider class where observed rows show that the policy's own
//   is wrong (wider-reward.ts);
//   with guards.bounds the set of the mean over missing rows that rewards allow (method#missing-set): the correction moves to its middle
//   where the 99% set excludes it.
// Both questions are put to at most 2^13 rows or so, in blocks that are spread over all: more would tell nothing that matters.

import { Random } from '@primo/numeric'
import { columnRidge } from '../calibration/column-ridge.js'
import {
  basisOf,
  type Correction,
  type CovariateModel,
  inputPart,
  spreadOf,
  uncorrected,
} from '../calibration/correction.js'
import { type InputBasis, scaleName } from '../calibration/input-basis.js'
import type { LadderReport } from '../calibration/ladder-report.js'
import { ladderSums } from '../calibration/ladder-sums.js'
import { marTester } from '../calibration/missing-at-random.js'
import { compileMap } from '../calibration/monotone-map.js'
import type { GuardState } from '../calibration/reward-checks.js'
import { rewardLosses } from '../calibration/reward-informed.js'
import type { RewardInput } from '../calibration/reward-probe.js'
import { widerReward } from '../calibration/wider-reward.js'
import type { EpochReport } from '../engine/epoch-state.js'
import { memoryOf, recentRange, roundsSince } from '../engine/memory.js'
import { type LinearModel, withoutIndicators } from '../oracle/linear-model.js'
import { type BlockPart, blockParts, spreadParts } from '../rounds/block-parts.js'
import { closedCounts } from '../rounds/closed-counts.js'
import { completeRows } from '../rounds/reward-rows.js'
import { informByRewards } from './inform-by-rewards.js'
import type { LadderStep, LadderStepInput, Residual } from './ladder-step.js'
import { rewardSet, shifted, shiftInto } from './reward-set.js'

/** A step before the audit has its say. */
export type GuardedStep = Omit<LadderStep, 'audit'>

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

export interface Fitted {
  readonly calibrated: Correction
  readonly ladder: LadderReport
  readonly folds: ReturnType<typeof ladderSums>
  readonly before: GuardState
  /** What the audit's test says; null: it was not made. */
  readonly auditRejects: boolean | null
  /** The rich one. */
  readonly basis: InputBasis
}

export function guardStep(input: LadderStepInput, fitted: Fitted): GuardedStep {
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

/** Between two looks at the rewards what they said last stays in force; what was said in other columns or units does not. */
function between(
  previous: CovariateModel | null | undefined,
  { calibrated, ladder, before, basis }: Fitted,
): GuardedStep {
  const { input, scale } = inputPart(basis)
  const kept =
    before.informed &&
    previous?.kind === 'correction' &&
    previous.input === input &&
    scaleName(previous.scale) === scaleName(scale)
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
