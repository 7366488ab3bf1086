// Rounds decided elsewhere, or earlier, as rounds of this engine: what a warm start learns from and what a policy is
// evaluated on. Actions, propensities and rewards stay as they were logged. A missing covariate keeps what the decision
// used; where the log does not say, the pre-trained prediction stands in, and the imputer is asked where there is none.
// As in the paper (SPEC A3) the reward fit is unweighted: propensities are kept for evaluation.

import {
  covariateRecord,
  type EncodedCovariate,
  encodeContext,
  encodeModelSd,
  encodePrediction,
  writeNeutral,
} from '../data/encoding.js'
import { encodeValue, type FeatureValue } from '../data/feature.js'
import { type Problem, problemFingerprint } from '../data/problem.js'
import {
  membersOf,
  modelSdOf,
  Observed,
  offsetOf,
  type RoundBlock,
  RoundStatus,
  RoundTable,
} from '../data/round-table.js'
import { initialState } from '../epoch/epoch-state.js'
import { invalidOption, PrimoError, show } from '../errors.js'
import { compileCombiner } from '../imputation/ensemble.js'
import {
  type Context,
  type MemberImputer,
  type MemberPredictions,
  type Prediction,
  predictWith,
} from '../imputation/imputer.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import { createEngine, type Engine, type EngineOptions } from './engine.js'
import { askMembers, isMembers } from './request.js'
import { checkReward, scaleReward } from './rounds.js'
import { packRounds, SNAPSHOT_FORMAT, type Snapshot } from './snapshot.js'

type Named<T> = Readonly<Record<string, T | null | undefined>>

export interface LoggedRound {
  readonly id?: string
  readonly context: Context
  /** Truths known at the decision; null or absent: missing. */
  readonly covariates?: Named<FeatureValue>
  /** What the pre-trained models said. */
  readonly predictions?: Named<Prediction | MemberPredictions>
  /** What the decision used in place of missing values. */
  readonly imputed?: Named<Prediction>
  /** Truths that came later. */
  readonly revealed?: Named<FeatureValue>
  readonly action: string
  /** In (0, 1]. */
  readonly propensity: number
  /** null: there is none, and the round is not learnt from. */
  readonly reward: number | null
}

export interface LoggedRounds {
  readonly table: RoundTable
  /** Ids that are not bare numbers, with their round counted from 0. */
  readonly ids: Map<string, number>
  readonly add: (round: LoggedRound) => void
}

const NUMBER_ID = /^(0|[1-9][0-9]*)$/

/** An empty table of rounds that takes logged ones; a round that is refused leaves it as it was. */
export function loggedRounds(engine: Engine): LoggedRounds {
  const { encoding, problem, shape } = engine
  const table = new RoundTable(shape)
  const ids = new Map<string, number>()
  const { contextWidth, covariateWidth, covariateCount } = shape
  const truth = new Float64Array(covariateWidth)
  const scratch = new Float64Array(contextWidth)
  const members = shape.memberWidth === undefined ? null : new Float64Array(shape.memberWidth)
  const combine = compileCombiner(encoding, engine.ensembles, shape.memberWidth ?? 0, undefined)

  /** Writes g~ of one covariate; why there is none, or null. */
  function predict(
    covariate: EncodedCovariate,
    which: number,
    context: Context,
    supplied: unknown,
    block: RoundBlock,
    row: number,
  ): string | null {
    const { imputer } = covariate.feature
    const to = row * covariateWidth + covariate.at
    if (imputer.kind === 'ensemble' && (supplied == null || isMembers(supplied))) {
      const { failure } = askMembers(engine, which, context, supplied ?? undefined, members!)
      const { at: from, names } = engine.ensembles[which]!
      const part = members!.subarray(from, from + names.length * covariate.width)
      membersOf(block, shape).set(part, row * members!.length + from)
      combine!(block, row, block.pretrained)
      return failure
    }
    const said = (supplied ?? asked(engine, imputer as MemberImputer, context)) as Prediction | null
    const failure = encodePrediction(covariate, said, block.pretrained, to)
    const sd = failure === null ? encodeModelSd(covariate, said!) : Number.NaN
    if (!Number.isNaN(sd)) modelSdOf(block, shape)[row * covariateCount + which] = sd
    return failure
  }

  function fill(given: LoggedRound, round: number): void {
    const block = table.block(round)
    const row = offsetOf(round)
    const context = Object.freeze({ ...encodeContext(encoding, given.context, scratch) })
    block.context.set(scratch, row * contextWidth)
    const covariates = covariateRecord(encoding, 'covariates', given.covariates)
    const predictions = covariateRecord(encoding, 'predictions', given.predictions)
    const imputed = covariateRecord(encoding, 'imputed', given.imputed)
    const revealed = covariateRecord(encoding, 'revealed', given.revealed)
    const first = row * covariateWidth
    encoding.covariates.forEach((covariate, which) => {
      const { name, at, width, feature } = covariate
      const flag = row * covariateCount + which
      const failed = predict(covariate, which, context, predictions[name], block, row)
      if (failed !== null) block.pretrained.fill(Number.NaN, first + at, first + at + width)
      const value = covariates[name] ?? null
      block.observed[flag] = value === null ? Observed.missing : Observed.atDecision
      if (value !== null) encodeValue(`covariates.${name}`, feature, value, block.covariates, first + at)
      else if (encodePrediction(covariate, imputed[name] as Prediction, block.covariates, first + at) !== null) {
        if (failed !== null) writeNeutral(covariate, block.covariates, first + at)
        else for (let k = at; k < at + width; k++) block.covariates[first + k] = block.pretrained[first + k]!
      }
      const later = revealed[name] ?? null
      if (later === null || value !== null) return
      encodeValue(`revealed.${name}`, feature, later, truth, at)
      block.revealed ??= new Float64Array(BLOCK_ROUNDS * covariateWidth)
      for (let k = at; k < at + width; k++) block.revealed[first + k] = truth[k]!
      block.observed[flag] = Observed.later
    })
    const action = encoding.actionIndex.get(given.action)
    if (action === undefined) {
      const known = encoding.actions.map(show).join(', ')
      throw new PrimoError('unknown-action', `action must be among ${known}, got ${show(given.action)}`, {
        action: given.action,
      })
    }
    const { propensity, reward } = given
    if (!(propensity > 0 && propensity <= 1)) invalidOption('propensity', 'in (0, 1]', propensity)
    block.action[row] = action
    block.propensity[row] = propensity
    block.status[row] = RoundStatus.dropped
    if (reward === null) return
    checkReward(problem.reward, reward)
    block.reward[row] = scaleReward(problem.reward, reward)
    block.arrivals[row] = 1
    block.status[row] = RoundStatus.closed
  }

  return {
    table,
    ids,
    add: (given) => {
      const { id } = given
      if (id !== undefined && ids.has(id))
        throw new PrimoError('duplicate-id', `id must be new, got ${show(id)} again`, { id })
      const round = table.append()
      try {
        fill(given, round)
      } catch (error) {
        table.retract()
        throw error
      }
      if (id !== undefined && !NUMBER_ID.test(id)) ids.set(id, round)
    },
  }
}

function asked(engine: Engine, imputer: MemberImputer, context: Context): Prediction | null {
  try {
    return predictWith(imputer, engine.problem.context, context, undefined) ?? null
  } catch {
    return null
  }
}

/** A learner that has these rounds behind it: its first decision ends an epoch and learns from them. For `restoreLearner`. */
export function warmStart(
  problem: Problem,
  options: EngineOptions & { readonly seed?: number },
  rounds: Iterable<LoggedRound>,
): Snapshot {
  const { seed = 0, ...engineOptions } = options
  const engine = createEngine(problem, engineOptions)
  const { table, ids, add } = loggedRounds(engine)
  for (const round of rounds) add(round)
  return {
    format: SNAPSHOT_FORMAT,
    problem: problemFingerprint(engine.problem),
    options: engineOptions,
    seed,
    state: initialState(engine.encoding.covariates.length),
    ids: [...ids],
    rounds: packRounds(table),
  }
}
