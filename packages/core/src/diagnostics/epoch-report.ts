// The report of an epoch (method#analysis, method#value-of-observing): what the learner knows about its own inputs and how it
// plays, with intervals, evidence and warnings, as JSON. A pure function of state, rounds and engine, made on demand (a service
// asks at the end of an epoch): the bulk simulation never pays for it. It looks at the newest 4,096 closed rounds that the
// state was learnt from; units are the user's, except gamma, sigma and elasticity, which are in units of the mean reward's
// range.

import { Random } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { engineInColumns } from '../engine/engine-in-columns.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compilePolicy } from '../engine/policy.js'
import { compileValueOfObserving } from '../engine/value-of-observing.js'
import { mapRounds } from '../epoch/grow.js'
import type { RoundTable } from '../rounds/round-table.js'
import { diagnoseMissingRewards, type MissingRewards, newestParts } from './missing-rewards.js'
import { type CovariateDiagnosis, diagnoseCovariate } from './report-covariate.js'
import { reportSample } from './report-sample.js'
import { type LearningWarning, learningWarnings } from './report-warnings.js'

/** What a learner knows of its inputs and how it plays, with intervals and warnings. */
export interface EpochDiagnosis {
  /** The running epoch and the version of its policy. */
  readonly epoch: number
  readonly version: number
  /** Rounds decided before it began, rounds learnt from, and rows that this report looked at. */
  readonly rounds: number
  readonly learnt: number
  readonly sampled: number
  readonly gamma: number
  readonly reward: { readonly sigma: number; readonly degreesOfFreedom: number; readonly clippedShare: number } | null
  /** How the policy plays the contexts of the sample; null: none yet. */
  readonly exploration: {
    /** Mean propensity of the action with the best score, and one minus it: the share of play given to learning. */
    readonly greedyPropensity: number
    readonly exploringShare: number
    readonly smallestPropensity: number
  } | null
  readonly covariates: readonly CovariateDiagnosis[]
  /** Which rewards never came, by action; absent: all did. */
  readonly missingRewards?: MissingRewards
  /**
   * Expected loss of reward per 1,000 decisions from not knowing the missing values now: each covariate's mean value of
   * observing times its missing share, added up (where several are missing at once that is an approximation); null: not known.
   */
  readonly costOfMissingness: number | null
  readonly warnings: readonly LearningWarning[]
}

/** What the newest closed rounds say about inputs, models and play. */
export function epochReport(state: EpochState, rounds: RoundTable, engine: Engine): EpochDiagnosis {
  const { columns, ...bare } = state
  if (columns !== undefined) {
    const old = engineInColumns(engine, columns)
    return epochReport(bare, mapRounds(rounds, engine, old), old)
  }
  const sample = reportSample(rounds, state.start)
  const random = Random.fromSeed(0).split('report', state.version)
  // Deciding the rows fills in what the models in use say; errors are judged against the truth of observed ones, which stays.
  const exploration = play(state, engine, sample)
  const valueAt = compileValueOfObserving(engine, state)
  const covariates = engine.encoding.covariates.map(({ name }, which) =>
    diagnoseCovariate(state, rounds, engine, sample, which, valueAt, random.split(name)),
  )
  const values = covariates.flatMap(({ valueOfObserving }) => valueOfObserving?.perThousand ?? [])
  const { rewardModel } = state
  const missing = diagnoseMissingRewards(newestParts(rounds, state.start), engine)
  const partial: Omit<EpochDiagnosis, 'warnings'> = {
    epoch: state.epoch,
    version: state.version,
    rounds: state.start,
    learnt: state.rows,
    sampled: sample.count,
    gamma: state.gamma,
    reward: rewardModel && {
      sigma: rewardModel.sigma,
      degreesOfFreedom: rewardModel.degreesOfFreedom.reduce((sum, value) => sum + value, 0),
      clippedShare: rewardModel.clippedShare,
    },
    exploration,
    covariates,
    ...(missing === null ? {} : { missingRewards: missing }),
    costOfMissingness: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0),
  }
  return { ...partial, warnings: learningWarnings(partial, engine) }
}

function play(state: EpochState, engine: Engine, sample: ReturnType<typeof reportSample>) {
  if (sample.count === 0) return null
  const policy = compilePolicy(engine, state)
  const actions = engine.encoding.actions.length
  let greedy = 0
  let smallest = 1
  for (let row = 0; row < sample.count; row++) {
    policy.decide(sample.block, row, 0)
    let best = 0
    for (let a = 1; a < actions; a++) if (policy.scores[a]! > policy.scores[best]!) best = a
    greedy += policy.propensities[best]!
    for (let a = 0; a < actions; a++) smallest = Math.min(smallest, policy.propensities[a]!)
  }
  const mean = greedy / sample.count
  return { greedyPropensity: mean, exploringShare: 1 - mean, smallestPropensity: smallest }
}
