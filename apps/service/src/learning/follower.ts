// Follows the log: records become rounds in a table, and the end of an epoch becomes a new state. The learner thread and the
// replay both use it, so what was learnt is a function of the log.

import type { ProblemDefinition } from '@primo/contract'
import type { Code, EpochDiagnosis, EpochReport, Problem } from '@primo/core'
import {
  type ContextArchive,
  changedModels,
  createRoundWriter,
  type Engine,
  type EpochState,
  endEpoch,
  epochReport,
  growState,
  initialState,
  RoundTable,
  type RoundWriter,
  renewCalibration,
  renewRounds,
} from '@primo/core/engine'
import { Random, seedKey } from '@primo/numeric'
import type { LogEntry } from '../ledger/facts.js'
import type {
  ClosingRecord,
  DecisionRecord,
  EpochRecord,
  ForgettingRecord,
  LearningFacts,
  PolicyRecord,
  ProblemRecord,
  RetentionRecord,
  RevealRecord,
  RewardRecord,
} from '../ledger/records.js'
import { learntAlike } from './learnt-state.js'
import { type Memory, memoryOf } from './memory-of.js'
import { engineOf } from './problem-engine.js'

/** The report of an epoch's end, with a diagnosis of the state it led to. */
export type EpochSummary = EpochReport & {
  /** null where the profile does not choose; absent in reports from before this was kept. */
  readonly memory?: Memory | null
  readonly diagnosis: EpochDiagnosis | null
  readonly undiagnosed?: string
}

export interface Follower {
  /** Number of the newest record taken in. */
  readonly position: () => number
  readonly engine: () => Engine
  readonly take: (entry: LogEntry) => void
  readonly rounds: () => RoundTable
  /** The state after the end that was taken in last, from the state before it. `closed`: rounds closed by then; default: what the end says. */
  readonly learn: (before: EpochState | null, closed?: number) => EpochState
  /** Summary of the epoch that ended with this state, which was learnt here. */
  readonly report: (state: EpochState) => EpochSummary
}

/** Someone who follows the log of a problem as another one would have learnt it. */
export interface Shadow {
  /** The problem as it is defined there. */
  readonly definition: (definition: ProblemDefinition) => ProblemDefinition
  /** Sees a decision before it enters the table; what the shadow would have used of models, where that is something else. */
  readonly decided: (
    record: DecisionRecord,
    entry: LogEntry,
  ) => Pick<LearningFacts, 'predictions'> & { readonly used?: readonly number[] | undefined }
}

/** `archive` makes a place for the contexts of a table of this width; `code` is what definitions may name. */
export function createFollower(
  from: number,
  archive: ((contextWidth: number) => ContextArchive) | null = null,
  code: readonly Code[] = [],
  shadow: Shadow | null = null,
): Follower {
  let position = from
  let engine: Engine | null = null
  let writer: RoundWriter | null = null
  let seed = 0
  let end: EpochRecord | null = null
  /** Round at which a covariate's model last changed. */
  const since = new Map<number, number>()
  /** The problem at the ends of epochs that wait for their policy, and at those of policies. */
  const ended = new Map<number, Problem>()
  const learntIn = new Map<number, Problem>()
  /** Retention has removed the rounds below this one. */
  let removed = 0
  /** Rounds whose subject was forgotten. */
  const forgotten = new Set<number>()

  /** A shadow's models are asked where the log has what another one said. */
  function newWriter(of: Engine, table: RoundTable): RoundWriter {
    return createRoundWriter(of, table, { ask: shadow !== null })
  }

  function running(): { engine: Engine; writer: RoundWriter } {
    if (engine === null || writer === null) throw new Error('the log must begin with the definition of the problem')
    return { engine, writer }
  }

  return {
    position: () => position,
    engine: () => running().engine,
    rounds: () => running().writer.table,
    take: (entry) => {
      if (entry.seq <= position) return
      position = entry.seq
      const body: unknown = JSON.parse(entry.body)
      switch (entry.kind) {
        case 'problem': {
          const record = body as ProblemRecord
          const before = engine
          engine = engineOf(shadow?.definition(record.definition) ?? record.definition, code)
          if (record.begins || before === null || writer === null) {
            writer = newWriter(engine, new RoundTable(engine.shape, archive?.(engine.shape.contextWidth)))
            since.clear()
            learntIn.clear()
          } else {
            const { table } = writer
            for (const which of changedModels(before.imputers, engine.imputers)) since.set(which, table.count)
            const { contextWidth } = engine.shape
            writer = newWriter(
              engine,
              renewRounds(table, before, engine, () => archive?.(contextWidth) ?? null),
            )
          }
          seed = record.seed
          if (record.begins) {
            removed = 0
            forgotten.clear()
          }
          return
        }
        case 'decision': {
          const record = body as DecisionRecord
          const { request, learning, forgotten: isForgotten } = record
          const { writer: rounds } = running()
          // Retention has removed the rounds in between.
          while (rounds.table.count < entry.round!) rounds.skip()
          if (isForgotten === true) {
            rounds.skip()
            forgotten.add(entry.round!)
            return
          }
          rounds.append({
            context: request.context,
            covariates: request.covariates ?? {},
            ...(request.missing === undefined ? {} : { missing: request.missing }),
            ...learning,
            ...shadow?.decided(record, entry),
          } as Parameters<RoundWriter['append']>[0])
          return
        }
        case 'reward': {
          const { closes } = body as RewardRecord
          if (closes !== undefined && !forgotten.has(entry.round!)) running().writer.close(entry.round!, closes)
          return
        }
        case 'closing': {
          const { state, value } = body as ClosingRecord
          if (forgotten.has(entry.round!)) return
          const { writer: rounds } = running()
          if (state === 'closed') rounds.close(entry.round!, value!)
          else if (state === 'dropped') rounds.drop(entry.round!)
          else rounds.discard(entry.round!)
          return
        }
        case 'reveal':
          running().writer.reveal(entry.round!, (body as RevealRecord).covariates)
          return
        case 'void':
          if (entry.round !== null) running().writer.discard(entry.round)
          return
        case 'retention': {
          const { writer: rounds } = running()
          const { below } = body as RetentionRecord
          while (rounds.table.count < below) rounds.skip()
          while (removed < below) rounds.discard(removed++)
          return
        }
        case 'forgetting':
          for (const round of (body as ForgettingRecord).rounds) {
            running().writer.discard(round)
            forgotten.add(round)
          }
          return
        case 'epoch':
          end = body as EpochRecord
          ended.set(entry.seq, running().engine.problem)
          return
        case 'policy': {
          const { version, cut } = body as PolicyRecord
          const problem = ended.get(cut)
          if (problem !== undefined) learntIn.set(version, problem)
          ended.clear()
          return
        }
        default:
          return
      }
    },
    learn: (before, closed = end?.closed) => {
      const { engine: current, writer: rounds } = running()
      if (closed === undefined) throw new Error('no end of an epoch has been taken in')
      const began = (which: number) => since.get(which) ?? 0
      const models = current.imputers.map((identity, which) => ({ ...identity, since: began(which) }))
      const anew = { ...initialState(current.encoding.covariates.length), models }
      const grown =
        before === null || !learntAlike(before, current)
          ? { ...anew, ...numbersOf(before ?? anew) }
          : growState(before, learntIn.get(before.version) ?? current.problem, current)
      const state = renewCalibration(grown, current, began)
      const random = new Random(seedKey(seed)).split('epoch', state.epoch)
      return endEpoch(state, rounds.table, current, closed, random)
    },
    report: (state) => {
      const { engine: current, writer: rounds } = running()
      const ended = { ...state.reports.at(-1)!, memory: memoryOf(state) }
      try {
        return { ...ended, diagnosis: epochReport(state, rounds.table, current) }
      } catch (error) {
        // A policy is published even if its diagnosis fails.
        return { ...ended, diagnosis: null, undiagnosed: String(error) }
      }
    },
  }
}

/** Epochs and policies are counted on, however they were learnt. */
function numbersOf({ epoch, start, version }: EpochState): Pick<EpochState, 'epoch' | 'start' | 'version'> {
  return { epoch, start, version }
}
