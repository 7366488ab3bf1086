// What an epoch's report wants to be noticed: a stable code, a sentence, and the numbers behind it. A page shows the sentence, a
// program acts on the code.

import type { Engine } from '../engine/engine.js'
import type { EpochDiagnosis } from './epoch-report.js'
import type { MissingRewards } from './missing-rewards.js'
import type { CovariateDiagnosis } from './report-covariate.js'

/** What a warning is about, as a stable word for programs. */
export type LearningWarningCode =
  | 'nothing-learnt'
  | 'predictions-clipped'
  | 'too-few-known-rows'
  | 'imputer-fails'
  | 'poor-overlap'
  | 'few-effective-rows'
  | 'ball-binds'
  | 'set-excludes-correction'
  | 'set-is-empty'
  | 'audit-rejects'
  | 'audit-unanswered'
  | 'audit-late'
  | 'audit-drift'
  | 'rewards-missing-by-action'
  | 'rewards-rarely-seen'

/** Something in a report that deserves a look, in a sentence. */
export interface LearningWarning {
  readonly code: LearningWarningCode
  readonly message: string
  /** The covariate it is about. */
  readonly covariate?: string
  readonly facts: Readonly<Record<string, number | string>>
}

const CLIPPED_SHARE = 0.05
const FAILED_SHARE = 0.05
const FLOOR_SHARE = 0.01
/** The 0.1% point of the standard normal. */
const NARROW = 3.2905

export function learningWarnings(report: Omit<EpochDiagnosis, 'warnings'>, engine: Engine): readonly LearningWarning[] {
  const warnings: LearningWarning[] = []
  const { reward } = report
  if (reward === null) {
    warnings.push({
      code: 'nothing-learnt',
      message: 'no round has been learnt from yet: play is uniform',
      facts: { rounds: report.rounds },
    })
  } else if (reward.clippedShare > CLIPPED_SHARE) {
    warnings.push({
      code: 'predictions-clipped',
      message:
        'many predicted rewards lie outside the range they are kept in: the reward class or the range may be wrong',
      facts: { clippedShare: reward.clippedShare },
    })
  }
  if (report.missingRewards !== undefined) warnings.push(...missingRewardWarnings(report.missingRewards))
  for (const covariate of report.covariates) warnings.push(...covariateWarnings(covariate, engine))
  return warnings
}

function missingRewardWarnings({ actions, deviate, ...rest }: MissingRewards): readonly LearningWarning[] {
  const warnings: LearningWarning[] = []
  if (deviate > NARROW) {
    const distance = ({ seenShare, expectedShare }: MissingRewards['actions'][number]) => seenShare - expectedShare
    const [least] = [...actions].sort((a, b) => distance(a) - distance(b))
    const { action, seenShare, expectedShare } = least!
    warnings.push({
      code: 'rewards-missing-by-action',
      message: `whether a reward comes depends on the action: of "${action}" ${percent(seenShare)} came where its contexts explain ${percent(expectedShare)}; means of rewards that came do not compare actions`,
      facts: { action, seenShare, expectedShare, deviate },
    })
  }
  if (rest.clippedShare > FLOOR_SHARE)
    warnings.push({
      code: 'rewards-rarely-seen',
      message: 'in some contexts a reward almost never comes: what is learnt there rests on a few',
      facts: { shareAtFloor: rest.clippedShare, smallest: rest.smallest },
    })
  return warnings
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`
}

function covariateWarnings(one: CovariateDiagnosis, engine: Engine): readonly LearningWarning[] {
  const { covariate, audit, overlap, correction, unsupported, missingSet } = one
  const warnings: LearningWarning[] = []
  const warn = (code: LearningWarningCode, message: string, facts: LearningWarning['facts']) =>
    warnings.push({ code, message, covariate, facts })
  const needed = engine.calibration?.minimumRows ?? 0
  if (engine.calibration !== null && one.known < needed)
    warn('too-few-known-rows', 'too few values are known to calibrate its model', { known: one.known, needed })
  if (one.failedShare > FAILED_SHARE)
    warn('imputer-fails', 'its pre-trained model often has no usable prediction', { failedShare: one.failedShare })
  if (overlap !== null && overlap.shareAtFloor > FLOOR_SHARE)
    warn('poor-overlap', 'in some contexts it is almost never observed: corrections there are extrapolated', {
      shareAtFloor: overlap.shareAtFloor,
      smallest: overlap.smallest,
    })
  if (unsupported !== null)
    warn('few-effective-rows', `its errors and elasticity are not shown: ${unsupported.message}`, unsupported.facts)
  if (correction.ball.active)
    warn('ball-binds', 'the correction is held back by the ball around its model: delta0 may be too small', {
      delta0: correction.ball.delta0 ?? 'estimated',
      size: correction.ball.size,
    })
  if (missingSet?.excluded === true && missingSet.limits !== null)
    warn(
      'set-excludes-correction',
      'rewards exclude what stands in for it: its mean where it is missing lies elsewhere, whatever made it missing',
      { used: missingSet.used, lower: missingSet.limits.lower, upper: missingSet.limits.upper },
    )
  if (missingSet?.limits === null)
    warn(
      'set-is-empty',
      'no values of it agree with the rewards: their noise depends on why it is missing, or the reward class is wrong',
      {
        used: missingSet.used,
      },
    )
  if (audit?.test?.rejected === true)
    warn(
      'audit-rejects',
      'audited values differ from what observed ones say: not missing at random, or the class is wrong',
      {
        eValue: audit.test.eValue,
        shift: audit.test.shift,
      },
    )
  if (audit?.limits?.drift?.changed === true)
    warn('audit-drift', 'the mean error of its pre-trained model on missing values has changed', {
      from: audit.limits.drift.from,
      before: audit.limits.drift.before.estimate,
      since: audit.limits.drift.since.estimate,
    })
  if (audit?.claim === 'dropped' && audit.holdsWithin !== undefined)
    warn(
      'audit-late',
      `truths of its audit come later than audit.within allows, so that none is learnt from: set audit.within to ${audit.holdsWithin}`,
      { within: audit.holdsWithin, asked: audit.asked, answered: audit.answered },
    )
  else if (audit?.claim === 'dropped')
    warn('audit-unanswered', 'too many requests of its audit go unanswered: audited values are not learnt from', {
      asked: audit.asked,
      answered: audit.answered,
    })
  return warnings
}
