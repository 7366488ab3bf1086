// A candidate beside the live policy (method#promotion): it learns from the same log at the ends at which it is looked at, and in between says of every
// decision what it would have done. The difference of its propensities from those that were played, weighted by the logged ones, is its gain.
// A function of the log alone: the learner thread and the replay both follow it so.
// Rounds before it was set teach it and do not judge it: whoever chose it may have looked at them. With a reward window rounds are
// judged in order, up to the first that is still open, so that early rewards do not speak for late ones; without one, as rewards come.

import type { ProblemDefinition } from '@primo/contract'
import type { Code } from '@primo/core'
import {
  type ContextArchive,
  createGuardedDecider,
  type EpochState,
  type GuardedDecider,
  RoundStatus,
  type ServedProblem,
  type ServedRequest,
} from '@primo/core/engine'
import { DifferenceSequence, type JudgedRow } from '@primo/lab/evaluation'
import { BLOCK_ROUNDS, seedKey } from '@primo/numeric'
import { changedDefinition } from '../ledger/candidate.js'
import type { LogEntry } from '../ledger/facts.js'
import type { CandidateRecord, DecisionRecord, OperationRecord, ProblemRecord } from '../ledger/records.js'
import { createFollower, type EpochSummary, type Follower } from './follower.js'

/** Records after one, up to and with another, so many. */
export type ReadLog = (after: number, upTo: number, limit: number) => Promise<readonly LogEntry[]>

export interface Looked {
  readonly rounds: number
  /** In the user's units. */
  readonly gain: { readonly low: number; readonly high: number }
}

export interface CandidateFollower {
  /** The end at which it learnt last; 0: none. */
  readonly looked: () => number
  /** Judges and learns up to this end. */
  readonly look: (cut: number) => Promise<Looked>
  /** What it has learnt, and how. */
  readonly learnt: () => {
    readonly state: EpochState
    readonly engine: Follower['engine']
    readonly report: EpochSummary
  }
}

interface Waiting {
  readonly round: number
  readonly row: Omit<JudgedRow, 'reward'>
  readonly weights: Float64Array
}

interface CandidateOptions {
  readonly read: ReadLog
  /** The record that began the version of the problem, and the one that set the candidate. */
  readonly start: number
  readonly since: number
  readonly archive?: ((contextWidth: number) => ContextArchive) | null
  readonly code?: readonly Code[]
}

const PAGE = 2000

/** A candidate that has not been looked at. */
export async function followCandidate(options: CandidateOptions): Promise<CandidateFollower> {
  const { read, start, since, archive = null, code = [] } = options
  const [entry] = await read(since - 1, since, 1)
  const record = JSON.parse(entry!.body) as CandidateRecord
  const changed = Object.keys(record.imputers ?? {})
  let definition: ProblemDefinition | null = null
  let seed = 0
  let state: EpochState | null = null
  let decider: GuardedDecider | null = null
  let looked = 0
  let gains: DifferenceSequence | null = null
  let waiting: Waiting[] = []

  /** What others' models said of its own covariates is of no use to it. */
  const own = ({ learning, request }: DecisionRecord) => ({
    ...Object.fromEntries(Object.entries(learning.predictions).filter(([name]) => !changed.includes(name))),
    ...request.predictions,
  })

  const follower = createFollower(start - 1, archive, code, {
    definition: (given) => {
      definition = changedDefinition(given, record)
      decider = null
      return definition
    },
    decided: (decision, { seq, round }) => {
      const predictions = own(decision) as DecisionRecord['learning']['predictions']
      const played = decision.imported === undefined && decision.request.served === undefined
      if (seq < since || state === null || !played)
        return changed.length === 0 ? { predictions } : { predictions, used: undefined }
      return { predictions, used: judge(decision, round!, predictions) }
    },
  })

  /** Notes what it would have done; returns the values it would have used. */
  function judge(decision: DecisionRecord, round: number, predictions: DecisionRecord['learning']['predictions']) {
    const engine = follower.engine()
    decider ??= createGuardedDecider({
      definition: definition as ServedProblem,
      engine,
      state: state!,
      root: seedKey(seed),
    })
    const aside = { predictions, notes: {} } as Parameters<GuardedDecider['decide']>[2]
    const { choice, propensities } = decider.decide(decision.request as ServedRequest, decision.id, aside)
    const { actions, actionIndex } = engine.encoding
    const logged = new Float64Array(actions.length)
    for (const { action, propensity } of decision.reply.ranking) logged[actionIndex.get(action)!] = propensity
    waiting.push({
      round,
      row: {
        action: actionIndex.get(decision.learning.action)!,
        propensity: decision.learning.propensity,
        propensities: logged,
        model: choice.scores.map((score) => Math.min(1, Math.max(0, unit(score)))),
      },
      weights: propensities.map((p, a) => p - logged[a]!),
    })
    return Array.from(choice.covariates)
  }

  /** From units of the mean reward's range to those of the reward's. */
  function unit(value: number): number {
    const { min, max, mean = { min, max } } = definition!.reward
    return (mean.min + value * (mean.max - mean.min) - min) / (max - min)
  }

  /** Adds the rounds whose rewards are final. */
  function judgeClosed(): void {
    const table = follower.rounds()
    const left: Waiting[] = []
    let held = false
    for (const one of waiting) {
      const block = table.block(one.round)
      const at = one.round % BLOCK_ROUNDS
      const status = block.status[at]
      held ||= status === RoundStatus.open && definition!.reward.window !== undefined
      if (held || status === RoundStatus.open) left.push(one)
      else if (status === RoundStatus.closed) gains!.add({ ...one.row, reward: unit(block.reward[at]!) }, one.weights)
    }
    waiting = left
  }

  async function look(cut: number): Promise<Looked> {
    while (follower.position() < cut) {
      const page = await read(follower.position(), cut, PAGE)
      if (page.length === 0) throw new Error(`the log has no record ${follower.position() + 1} to ${cut}`)
      for (const next of page) {
        if (next.kind === 'problem') ({ seed } = JSON.parse(next.body) as ProblemRecord)
        follower.take(next)
      }
    }
    gains ??= new DifferenceSequence(follower.engine().encoding.actions.length)
    judgeClosed()
    state = follower.learn(state, cut === since ? record.closed : undefined)
    decider = null
    looked = cut
    const { min, max } = definition!.reward
    const { low, high } = gains.limits((1 - record.level) / 2)
    return { rounds: gains.rows, gain: { low: (max - min) * low, high: (max - min) * high } }
  }

  return {
    looked: () => looked,
    look,
    learnt: () => ({ state: state!, engine: follower.engine, report: follower.report(state!) }),
  }
}

/** A candidate as it was after the looks of the log up to this one. */
export async function resumeCandidate(options: CandidateOptions, upTo: number): Promise<CandidateFollower> {
  const follower = await followCandidate(options)
  for (let after = options.since; follower.looked() < upTo; ) {
    const page = await options.read(after, Number.MAX_SAFE_INTEGER, PAGE)
    if (page.length === 0) throw new Error(`the log has no look at ${upTo}`)
    for (const { kind, body } of page) {
      const { operation, cut } = (kind === 'operation' ? JSON.parse(body) : {}) as Partial<OperationRecord>
      if (operation === 'look' && follower.looked() < upTo) await follower.look(cut!)
    }
    after = page.at(-1)!.seq
  }
  return follower
}
