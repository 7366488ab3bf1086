// One covariate at an end of an epoch, beyond the paper (SPEC F, G1): the ladder's correction, then what rewards say of it.
// Rewards are asked at doublings of the rows, from 64 on:
//   fallback: g~ instead of g-hat where it predicts the rewards of missing rows better (from 64 missing rows on);
//   MAR test at 1% (from 32 missing rows on); after two rejections in a row the correction is informed by rewards from then on.

import type { RoundRange } from '../data/block-parts.js'
import type { EncodedCovariate } from '../data/encoding.js'
import { completeRows } from '../data/reward-rows.js'
import type { RoundTable } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import type { Engine } from '../learner/engine.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { Random } from '../random/random.js'
import type { Correction, CovariateModel } from './correction.js'
import { correctionBasis } from './correction-basis.js'
import type { GuardReport, GuardState } from './guard.js'
import { fitLadder, LADDER, type LadderFit } from './ladder.js'
import { ladderSums } from './ladder-sums.js'
import { marTest } from './mar-test.js'
import { rewardInformed, rewardLosses } from './reward-informed.js'
import type { RewardInput } from './reward-probe.js'

export type LadderReport = Pick<LadderFit, 'rung' | 'shrinkage' | 'loss' | 'heldOut' | 'rows' | 'residualVariance'>

export interface LadderStepInput {
  readonly state: EpochState
  readonly rounds: RoundTable
  readonly window: RoundRange
  readonly engine: Engine
  readonly which: number
  /** Rows learnt from at this end. */
  readonly learnt: number
}

export interface LadderStep {
  readonly correction: Correction | null
  readonly ladder: LadderReport | null
  readonly guard: GuardState
  readonly report: GuardReport | null
}

const RICH_ROWS = 30
const FALLBACK_ROWS = 64
const TEST_ROWS = 64
const TEST_MISSING = 32
/** Two-sided 1% point of the standard normal. */
const CRITICAL = 2.5758

export function ladderStep(input: LadderStepInput): LadderStep {
  const { state, rounds, window, engine, which } = input
  const { encoding } = engine
  const settings = engine.calibration!
  const covariate = encoding.covariates[which]!
  const before = state.guards[which]!
  const basis = correctionBasis('rich', encoding.context)
  const folds = ladderSums(rounds, window, covariate, which, basis, engine.halfLife)
  const known = folds[0]![0].count + folds[0]![1].count
  if (known < settings.minimumRows) return { correction: null, ladder: null, guard: before, report: null }
  const prefixes = LADDER.map((rung) => correctionBasis(rung, encoding.context).columns)
  const fit = fitLadder({ folds, prefixes, ridge: settings.ridge, richRows: RICH_ROWS })
  const { rung, shrinkage, loss, heldOut, rows, residualVariance } = fit
  const ladder = { rung, shrinkage, loss, heldOut, rows, residualVariance }
  const calibrated: Correction = {
    kind: 'correction',
    class: rung,
    coefficients: fit.coefficients,
    ...momentsOf(covariate, fit),
  }
  if (!engine.guards.fallback && !engine.guards.marTest)
    return { correction: calibrated, ladder, guard: before, report: null }
  return guarded(input, { calibrated, ladder, folds, before })
}

/** Only a number has residual moments; a category is a probability vector already. */
function momentsOf({ feature }: EncodedCovariate, fit: LadderFit): { moments?: readonly number[] } {
  return feature.type === 'number' ? { moments: [1, 0, fit.residualVariance[0]!] } : {}
}

interface Fitted {
  readonly calibrated: Correction
  readonly ladder: LadderReport
  readonly folds: ReturnType<typeof ladderSums>
  readonly before: GuardState
}

function guarded({ state, rounds, window, engine, which, learnt }: LadderStepInput, fitted: Fitted): LadderStep {
  const { calibrated, ladder, folds, before } = fitted
  const { encoding, oracle } = engine
  const asIs = { correction: calibrated, ladder, guard: before, report: null }
  const complete = completeRows(rounds, window, encoding.actions.length, engine.halfLife)
  if (encoding.covariates[which]!.feature.type === 'category' || complete.count === 0) return asIs
  const due = learnt >= TEST_ROWS && learnt >= 2 * before.testedRows
  if (!due) return between(state.corrections[which], fitted)
  // The complete rounds need no spread and no imputation, so this fit draws on sums that are already there.
  const completeCase = oracle.fit(complete, Random.fromSeed(0)) as LinearModel
  if (completeCase.covariance === null) return asIs
  const spread = encoding.covariates.map((_, k) =>
    k === which && engine.missing === 'distribution' ? (calibrated.moments ?? null) : null,
  )
  const basis = correctionBasis('rich', encoding.context)
  const rewards: RewardInput = {
    table: rounds,
    range: recent(window, engine.halfLife),
    encoding,
    which,
    completeCase,
    basis,
    spread,
  }
  const candidates = [[], calibrated.coefficients[0]!]
  const ridge = engine.calibration!.ridge
  const { missing, losses } = rewardLosses(
    { ...rewards, basis: correctionBasis(ladder.rung, encoding.context) },
    candidates,
  )
  const fallback = engine.guards.fallback && missing >= FALLBACK_ROWS && losses[0]! < losses[1]!
  const test =
    engine.guards.marTest && missing >= TEST_MISSING ? marTest({ ...rewards, folds: folds[0]!, ridge }) : null
  const rejected = test !== null && Math.abs(test.statistic) > CRITICAL
  const rejections = test === null ? before.rejections : rejected ? before.rejections + 1 : 0
  const informed = before.informed || rejections >= 2
  let correction = fallback ? pretrainedWith(calibrated) : calibrated
  let informedLoss: number | null = null
  if (informed) {
    const coefficients = rewardInformed(rewards, candidates[fallback ? 0 : 1]!, ridge)
    informedLoss = rewardLosses(rewards, [coefficients]).losses[0]!
    correction = { ...calibrated, class: 'rich', coefficients: [coefficients] }
  }
  return {
    correction,
    ladder,
    guard: { testedRows: learnt, rejections, informed, fallback },
    report: {
      use: informed ? 'reward-informed' : fallback ? 'pretrained' : 'calibrated',
      missing,
      losses: missing === 0 ? null : { pretrained: losses[0]!, calibrated: losses[1]!, informed: informedLoss },
      test: test === null ? null : { statistic: test.statistic, rejected, information: test.information },
    },
  }
}

/** Where old rounds count less, the guards look at those of the last three half-lives. */
function recent({ from, to }: RoundRange, halfLife: number | null): RoundRange {
  return { from: halfLife === null ? from : Math.max(from, to - Math.ceil(3 * halfLife)), to }
}

/** Between two looks at the rewards what they said last stays in force. */
function between(previous: CovariateModel | null | undefined, { calibrated, ladder, before }: Fitted): LadderStep {
  const kept = before.informed && previous?.kind === 'correction' ? { ...previous, ...residualOf(calibrated) } : null
  return {
    correction: kept ?? (before.fallback ? pretrainedWith(calibrated) : calibrated),
    ladder,
    guard: before,
    report: null,
  }
}

function residualOf({ moments }: Correction): { moments?: readonly number[] } {
  return moments === undefined ? {} : { moments }
}

/** g~ as it is, with what is known of the residual. */
function pretrainedWith(calibrated: Correction): Correction {
  return { ...calibrated, class: 'bias', coefficients: [[0]] }
}
