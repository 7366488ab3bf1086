// Rounds decided elsewhere, or earlier, as rounds of this engine: what a warm start learns from and what a policy is
// evaluated on. Actions, propensities and rewards stay as they were logged. A missing covariate keeps what the decision
// used; where the log does not say, the pre-trained prediction stands in, and the imputer is asked where there is none.
// As in the paper (method#reward-fit) the reward fit is unweighted: propensities are kept for evaluation.

import { invalidOption, PrimoError, show } from '@primo/numeric'
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.js'
import { initialState } from '../engine/epoch-state.js'
import { covariateRecord } from '../problem/encoding.js'
import type { FeatureValue } from '../problem/feature.js'
import type { Context, MemberPredictions, Prediction } from '../problem/imputer.js'
import { type Problem, problemFingerprint } from '../problem/problem.js'
import { offsetOf, RoundStatus, RoundTable } from '../rounds/round-table.js'
import { checkTruths, createRoundWriter } from './round-writer.js'
import { checkReward } from './rounds.js'
import { packRounds } from './rounds-snapshot.js'
import { SNAPSHOT_FORMAT, type Snapshot } from './snapshot.js'

type Named<T> = Readonly<Record<string, T | null | undefined>>

/** A round that was decided elsewhere or earlier. */
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
  const table = new RoundTable(engine.shape)
  const ids = new Map<string, number>()
  const { append, reveal, close } = createRoundWriter(engine, table, { ask: true })

  /** Truths of values that the decision did not have; null: none came. */
  function truthsOf({ covariates, revealed }: LoggedRound): Record<string, FeatureValue> | null {
    if (revealed === undefined) return null
    const given = covariateRecord(engine.encoding, 'revealed', revealed)
    const came = Object.entries(given).filter(([name, value]) => value != null && covariates?.[name] == null)
    if (came.length === 0) return null
    const truths = Object.fromEntries(came) as Record<string, FeatureValue>
    checkTruths(engine, truths, { field: 'revealed' })
    return truths
  }

  return {
    table,
    ids,
    add: (given) => {
      const { id, propensity, reward } = given
      if (id !== undefined && ids.has(id))
        throw new PrimoError('duplicate-id', `id must be new, got ${show(id)} again`, { id })
      if (!(propensity > 0 && propensity <= 1)) invalidOption('propensity', 'in (0, 1]', propensity)
      if (reward !== null) checkReward(engine.problem.reward, reward)
      const truths = truthsOf(given)
      const { context, covariates = {}, predictions, imputed, action } = given
      const round = append({ context, covariates, predictions, imputed, action, propensity })
      if (truths !== null) reveal(round, truths)
      if (reward === null) table.block(round).status[offsetOf(round)] = RoundStatus.dropped
      else close(round, reward)
      if (id !== undefined && !NUMBER_ID.test(id)) ids.set(id, round)
    },
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
    rounds: packRounds(table, engine.remembers !== null),
  }
}
