// The learner: decide, reward, reveal, snapshot. It keeps the log in columns, ends epochs when they are due and answers
// with a frozen policy in between. A call that throws leaves it as it was. No clock, no I/O: the same calls give the same
// learner on any machine.

import { BLOCK_ROUNDS, invalidOption, PrimoError, Random, requireOptions, seedKey, show } from '@primo/numeric'
import { type EpochDiagnosis, epochReport } from '../diagnostics/epoch-report.js'
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.js'
import { type EpochReport, type EpochState, initialState } from '../engine/epoch-state.js'
import { missingCode, namedOptions } from '../engine/named-options.js'
import { countedRounds, endEpoch, epochQuota } from '../epoch/end-epoch.js'
import { clippedValues, covariateRecord } from '../problem/encoding.js'
import { encodeValue, type FeatureValue, wrongType } from '../problem/feature.js'
import { frozenCopy } from '../problem/frozen-copy.js'
import type { Context } from '../problem/imputer.js'
import {
  type CovariateSpecs,
  checkProblem,
  type DeclaredProblem,
  type Features,
  type Problem,
  problemFingerprint,
} from '../problem/problem.js'
import type { ActionOf, ContextOf, CovariatesOf, SomeValues, ValuesOf } from '../problem/values-of.js'
import type { LogRecord } from '../rounds/log.js'
import { Observed, offsetOf, RoundStatus, RoundTable } from '../rounds/round-table.js'
import { compileRowDecider, type RowDecider } from './decide-row.js'
import type { Decision } from './decision.js'
import { createRequestEncoder, type DecisionRequest } from './request.js'
import { restoreState } from './restore-state.js'
import { checkReward, closeWindow, type RewardAnswer, takeReward } from './rounds.js'
import { packRounds, unpackRounds } from './rounds-snapshot.js'
import { takeSignals } from './signals.js'
import { checkSnapshot, restoreClipped, restoreIds, SNAPSHOT_FORMAT, type Snapshot } from './snapshot.js'

/** The options of a learner: its profile, its seed, any option of learning, and who receives the log. */
export interface LearnerOptions extends EngineOptions {
  /** Whole number >= 0; default 0. */
  readonly seed?: number
  /** Called with every change of state, in order: the log. When it throws, the call throws and nothing has changed. */
  readonly onRecord?: (record: LogRecord) => void
}

/** Its types are those of its problem; where they are not known, as in a problem read from JSON, any names and values. */
export interface Learner<Given = Context, Covariates = Context, Action extends string = string> {
  // Methods, so that the learner of a declared problem passes as a `Learner`.
  decide(request: DecisionRequest<Given, Covariates, Action>): Decision<Action, keyof Covariates>
  /** Reports the reward of a round. 'duplicate': the same value had been reported. */
  readonly reward: (id: string, value: number) => RewardAnswer
  /** A covariate's truth that arrived after the decision. It never rewrites the decision. */
  reveal(id: string, covariates: SomeValues<Covariates>): RewardAnswer
  /** What was seen after the decision and before its reward is final: the problem's signals, by name. */
  readonly signal: (id: string, signals: Readonly<Record<string, FeatureValue>>) => RewardAnswer
  /** This decision was never played: it is not learnt from. */
  readonly void: (id: string) => RewardAnswer
  readonly snapshot: () => Snapshot
  /** What was learnt at each end of an epoch. */
  readonly epochs: () => readonly EpochReport[]
  /** What the learner knows of its inputs and how it plays, with intervals and warnings; takes a fraction of a second. */
  readonly report: () => EpochDiagnosis
  /** Rounds decided and rounds closed so far, and by feature that takes values outside its range how many came. */
  readonly counts: () => {
    readonly decided: number
    readonly closed: number
    readonly clipped?: Readonly<Record<string, number>>
  }
}

/** The learner of a problem: `LearnerOf<typeof problem>`. */
export type LearnerOf<P extends Problem> = Learner<ContextOf<P>, CovariatesOf<P>, ActionOf<P>>

/**
 * A new learner for a problem. Its types come from the problem, so a misspelt name does not compile.
 * @example
 * const learner = createLearner(problem, { seed: 7 })
 * const d = learner.decide({ context: { age: 63 }, covariates: { carrier: null } })
 * learner.reward(d.id, 1)
 */
export function createLearner<
  const Context extends Features,
  const Covariates extends CovariateSpecs,
  const Action extends string,
>(
  problem: DeclaredProblem<Context, Covariates, Action>,
  options?: LearnerOptions,
): Learner<ValuesOf<Context>, ValuesOf<Covariates>, Action>
export function createLearner(problem: Problem, options: LearnerOptions = {}): Learner {
  if (typeof options !== 'object' || options === null) invalidOption('options', 'an object', options)
  const { seed = 0, onRecord, ...engineOptions } = options
  checkOnRecord(onRecord)
  const { options: named, rules, classes } = namedOptions(engineOptions)
  const own = frozenCopy(named)
  const engine = createEngine(problem, { ...own, use: [...rules, ...classes] })
  return buildLearner(engine, {
    seed,
    onRecord,
    options: own,
    state: initialState(engine.encoding.covariates.length),
    table: new RoundTable(engine.shape),
    ids: new Map(),
    clipped: {},
  })
}

/**
 * The learner that a snapshot was taken of. The problem must be the same; what comes next is what would have come. Code of your own
 * that it names is given in `use`.
 * @example
 * const saved = JSON.stringify(learner.snapshot())
 * const again = restoreLearner(problem, JSON.parse(saved))
 */
export function restoreLearner<
  const Context extends Features,
  const Covariates extends CovariateSpecs,
  const Action extends string,
>(
  problem: DeclaredProblem<Context, Covariates, Action>,
  saved: unknown,
  options?: Pick<LearnerOptions, 'onRecord' | 'use'>,
): Learner<ValuesOf<Context>, ValuesOf<Covariates>, Action>
export function restoreLearner(
  problem: Problem,
  saved: unknown,
  options: Pick<LearnerOptions, 'onRecord' | 'use'> = {},
): Learner {
  // Everything else comes from the snapshot.
  requireOptions('options', options, ['onRecord', 'use'])
  checkOnRecord(options.onRecord)
  const snapshot = checkSnapshot(saved, problemFingerprint(checkProblem(problem)))
  const { use = [] } = options
  const missing = missingCode(snapshot.options, use)
  if (missing !== null) {
    const { field, kind, version, got } = missing
    throw new PrimoError(
      'snapshot-mismatch',
      `snapshot.options.${field} must come with its code: give { use: [...] } with kind "${kind}" in version "${version}", got ${got}`,
      { field, kind, version },
    )
  }
  const engine = createEngine(problem, { ...snapshot.options, use })
  return buildLearner(engine, {
    seed: snapshot.seed,
    onRecord: options.onRecord,
    options: frozenCopy(snapshot.options),
    state: restoreState(snapshot, engine),
    table: unpackRounds(snapshot.rounds, engine),
    ids: restoreIds(snapshot),
    clipped: restoreClipped(snapshot, engine.encoding),
  })
}

function checkOnRecord(onRecord: unknown): void {
  if (onRecord !== undefined && typeof onRecord !== 'function') invalidOption('onRecord', 'a function', onRecord)
}

interface Start {
  readonly seed: number
  readonly onRecord: ((record: LogRecord) => void) | undefined
  readonly options: EngineOptions
  readonly state: EpochState
  readonly table: RoundTable
  readonly ids: Map<string, number>
  readonly clipped: Readonly<Record<string, number>>
}

const NUMBER_ID = /^(0|[1-9][0-9]*)$/

function buildLearner(engine: Engine, start: Start): Learner {
  const { table, ids, onRecord } = start
  const random = new Random(seedKey(start.seed))
  const rewardSpec = engine.problem.reward
  let state = start.state
  const encode = createRequestEncoder(engine)
  let decider: RowDecider = compileRowDecider(engine, state, seedKey(start.seed))
  let quota = epochQuota(state, engine)
  let closed = countClosed(table)
  const clipped: Record<string, number> = { ...start.clipped }

  function roundOf(id: unknown): number {
    if (typeof id === 'string') {
      const own = ids.get(id)
      if (own !== undefined) return own
      const round = NUMBER_ID.test(id) ? Number(id) - 1 : -1
      if (round >= 0 && round < table.count && !renamed.has(round)) return round
    }
    throw new PrimoError('unknown-round', `id must be that of a decided round, got ${show(id)}`, { id })
  }
  // Rounds that have an id of their own cannot be addressed by number.
  const renamed = new Set(ids.values())

  function checkId(id: unknown): void {
    if (id === undefined) return
    if (typeof id !== 'string' || id === '')
      throw new PrimoError('wrong-type', `id must be non-empty text, got ${show(id)}`, { id })
    if (NUMBER_ID.test(id) && id !== String(table.count + 1)) {
      throw new PrimoError(
        'invalid-request',
        `id must not be a bare number other than the next round's (${table.count + 1}), got ${show(id)}`,
        { id },
      )
    }
    if (ids.has(id)) throw new PrimoError('duplicate-id', `id must be new, got ${show(id)} again`, { id })
  }

  /** Hands a record on; when that fails, so does the call, and nothing has changed. */
  function record(entry: LogRecord, undo: () => void): void {
    try {
      onRecord?.(entry)
    } catch (error) {
      undo()
      throw error
    }
  }

  function endEpochIfDue(): void {
    if (countedRounds(engine, table.count, closed) < quota) return
    const ended = state.epoch
    const next = endEpoch(state, table, engine, closed, random.split('epoch', ended))
    const nextDecider = compileRowDecider(engine, next, seedKey(start.seed))
    onRecord?.({ type: 'epoch', epoch: ended, cut: table.count })
    state = next
    decider = nextDecider
    quota = epochQuota(state, engine)
  }

  return {
    decide: (request) => {
      const encoded = encode(request)
      checkId(request.id)
      endEpochIfDue()
      const round = table.append()
      const id = request.id ?? String(round + 1)
      if (!NUMBER_ID.test(id)) {
        ids.set(id, round)
        renamed.add(round)
      }
      const block = table.block(round)
      const row = offsetOf(round)
      const asked = decider.decide(encoded, id, block, row)
      const decision = decider.describe(encoded, id, block, row, asked)
      record(
        {
          type: 'decision',
          id,
          context: encoded.named,
          covariates: Object.fromEntries(
            engine.encoding.covariates.map(({ name }) => [name, encoded.given[name] ?? null]),
          ),
          predictions: encoded.predictions,
          ...(request.missing === undefined ? {} : { missing: { ...request.missing } }),
          ...(request.actions === undefined ? {} : { actions: [...request.actions] }),
          ...(Object.keys(asked).length === 0 ? {} : { asked }),
          action: decision.action,
          propensity: decision.propensity,
          epoch: decision.epoch,
        },
        () => {
          table.retract()
          ids.delete(id)
          renamed.delete(round)
        },
      )
      for (const name of clippedValues(engine.encoding, encoded.named, encoded.given))
        clipped[name] = (clipped[name] ?? 0) + 1
      const { window } = rewardSpec
      if (window !== undefined && round >= window && closeWindow(rewardSpec, table, round - window)) closed++
      return decision
    },

    reward: (id, value) => {
      const round = roundOf(id)
      checkReward(rewardSpec, value)
      const block = table.block(round)
      const row = offsetOf(round)
      const before = { reward: block.reward[row]!, arrivals: block.arrivals[row]!, status: block.status[row]! }
      const answer = takeReward(rewardSpec, table, round, id, value)
      if (answer === 'duplicate') return answer
      record({ type: 'reward', id, value }, () => {
        if (block.status[row] !== before.status) table.reopen(round)
        block.reward[row] = before.reward
        block.arrivals[row] = before.arrivals
      })
      if (block.status[row] === RoundStatus.closed) closed++
      return answer
    },

    reveal: (id, covariates) => {
      const round = roundOf(id)
      if (covariates === undefined) throw wrongType('covariates', 'an object', covariates)
      const given = covariateRecord(engine.encoding, 'covariates', covariates)
      const { covariateWidth, covariateCount } = engine.shape
      const block = table.block(round)
      const row = offsetOf(round)
      const truth = new Float64Array(covariateWidth)
      const fresh: number[] = []
      engine.encoding.covariates.forEach(({ name, feature, at, width }, which) => {
        if (!(name in given)) return
        encodeValue(`covariates.${name}`, feature, given[name], truth, at)
        const flag = block.observed[row * covariateCount + which]!
        if (flag === Observed.missing || flag === Observed.asked) {
          fresh.push(which)
          return
        }
        const known = flag === Observed.atDecision ? block.covariates : block.revealed!
        for (let k = at; k < at + width; k++) {
          if (known[row * covariateWidth + k] === truth[k]) continue
          throw new PrimoError(
            'reveal-conflict',
            `covariates.${name} of round ${show(id)} must stay what was first reported, got ${show(given[name])}`,
            {
              id,
              covariate: name,
            },
          )
        }
      })
      if (fresh.length === 0) return 'duplicate'
      onRecord?.({ type: 'reveal', id, covariates: { ...covariates } })
      block.revealed ??= new Float64Array(BLOCK_ROUNDS * covariateWidth)
      for (const which of fresh) {
        const { at, width } = engine.encoding.covariates[which]!
        for (let k = at; k < at + width; k++) block.revealed[row * covariateWidth + k] = truth[k]!
        const flag = row * covariateCount + which
        block.observed[flag] = block.observed[flag] === Observed.asked ? Observed.audited : Observed.later
      }
      return 'accepted'
    },

    signal: (id, signals) => {
      const round = roundOf(id)
      const accept = () => onRecord?.({ type: 'signal', id, signals: { ...signals } })
      return takeSignals(engine.encoding, table, round, id, signals, accept) ? 'accepted' : 'duplicate'
    },

    void: (id) => {
      const round = roundOf(id)
      const block = table.block(round)
      const row = offsetOf(round)
      const status = block.status[row]
      if (status === RoundStatus.voided) return 'duplicate'
      if (status !== RoundStatus.open)
        throw new PrimoError('round-closed', `a round to void must be open, got ${show(id)} which is closed`, { id })
      onRecord?.({ type: 'void', id })
      block.status[row] = RoundStatus.voided
      return 'accepted'
    },

    snapshot: () => ({
      format: SNAPSHOT_FORMAT,
      problem: problemFingerprint(engine.problem),
      options: start.options,
      seed: start.seed,
      state,
      ids: [...ids],
      rounds: packRounds(table, engine.remembers !== null),
      ...(Object.keys(clipped).length === 0 ? {} : { clipped: { ...clipped } }),
    }),

    epochs: () => state.reports,
    report: () => epochReport(state, table, engine),
    counts: () => ({
      decided: table.count,
      closed,
      ...(engine.encoding.clips.length === 0 ? {} : { clipped: { ...clipped } }),
    }),
  }
}

function countClosed(table: RoundTable): number {
  let closed = 0
  for (const block of table.blocks) {
    const rows = Math.min(BLOCK_ROUNDS, table.count - block.index * BLOCK_ROUNDS)
    for (let row = 0; row < rows; row++) if (block.status[row] === RoundStatus.closed) closed++
  }
  return closed
}
