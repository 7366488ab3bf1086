// The book of a problem: counters and state that would otherwise be read from its log. The transaction that writes
// records writes the book too, so the two agree.

import type { ProblemDefinition } from '@primo/contract'
import type { UploadGaps } from '@primo/core/ledger'
import type { Evidence } from '@primo/lab/evidence'
import type { Sums } from './sums.js'

export interface Moments {
  count: number
  sum: number
  squares: number
}

interface CovariateTally {
  observed: number
  missing: number
  revealed: number
  /** Reasons that callers gave for a missing value. */
  reasons: Record<string, number>
  /** Why models gave no value; absent: they always did. */
  failures?: Record<string, number>
  /** Values by source: where they came from. */
  rungs: Record<string, number>
  asked: number
  answered: number
}

interface Tally {
  decisions: number
  pending: number
  open: number
  closed: number
  dropped: number
  voided: number
  expired: number
  late: number
  policy: Moments
  holdout: Moments
  actions: Record<string, { decisions: number; reward: Moments }>
  covariates: Record<string, CovariateTally>
  /** By feature: values outside its range that were clipped; absent: none. */
  clipped?: Record<string, number>
}

/** An end of epoch that is in the log and has not been learnt yet. */
interface Ending {
  epoch: number
  /** Number of the record that ends the epoch: the fit sees what came before it. */
  cut: number
  rounds: number
  since: number
}

/** A candidate that runs beside the live policy. */
interface Candidate {
  /** Number and time of the record that set it. */
  since: number
  time: number
  /** The record up to which it is to learn and be judged; null: nothing waits. */
  due: number | null
  /** The record of the newest look, 0: none; how many there were. */
  looked: number
  looks: number
  /** What the newest look saw. */
  rounds: number
  gain: { low: number; high: number } | null
}

/** A promotion whose guardrails are watched. */
interface Watch {
  /** Number and time of the record of the promotion. */
  since: number
  time: number
  /** The policy before. */
  policy: number
  /** What was reported since, scaled. */
  guardrails: Record<string, Evidence>
}

export interface Book {
  /** Number and time of the newest record. */
  seq: number
  time: number
  /** Record that began this version of the problem. */
  start: number
  /** Rounds decided and closed in this version. */
  rounds: number
  closed: number
  /** The running epoch, the rounds at which it ends, which rounds count, and since when it runs. */
  epoch: number
  quota: number
  counted: 'decided' | 'closed'
  epochSince: number
  ending: Ending | null
  /** A model changed while a fit ran: another end follows it. */
  endAgain?: true
  /** Records from which on the features are others, grown; absent: none. */
  grown?: readonly number[]
  /** The policy that decides, and the newest one learnt; they differ after a rollback. */
  policy: number
  learnt: number
  frozen: boolean
  failures: number
  lastFailure: string | null
  /** Retention has removed the decisions before this record. */
  kept: number
  /** Damaged records before this one were left out by a repair; absent: there was none. */
  repaired?: number
  /** The time that was confirmed last; absent: none was. */
  clock?: number
  /**
   * A candidate beside the live policy, a promotion that is watched, what became of the last candidate; absent: none.
   */
  candidate?: Candidate
  watch?: Watch
  verdict?: { step: 'promoted' | 'rolled-back' | 'given-up'; time: number; why: string | null }
  /** The first policy that was learnt as the problem learns now; absent: all were. */
  firstPolicy?: number
  /**
   * Decisions that callers made themselves, by their numbers; absent: none was uploaded. It outlives versions, as runs
   * do.
   */
  uploads?: UploadGaps
  tally: Tally
}

export interface ProblemRow {
  readonly id: number
  readonly name: string
  definition: ProblemDefinition
  /** Rises when learning restarts. */
  version: number
  /** Rises with every change of definition, mode or live policy: a decision made under an older one is made again. */
  revision: number
  seed: number
  created: number
  retired: number | null
  book: Book
  sums: Sums
  /** As it is stored. */
  checksum: number
}

/** The first epoch of a learner, or the next one; it follows from the engine. */
export interface LearningStart {
  readonly epoch: number
  readonly quota: number
  readonly counted: 'decided' | 'closed'
}

export function newBook(definition: ProblemDefinition, seq: number, time: number, start: LearningStart): Book {
  return {
    seq,
    time,
    start: seq,
    rounds: 0,
    closed: 0,
    epoch: start.epoch,
    quota: start.quota,
    counted: start.counted,
    epochSince: time,
    ending: null,
    policy: 0,
    learnt: 0,
    frozen: false,
    failures: 0,
    lastFailure: null,
    kept: 0,
    tally: newTally(definition),
  }
}

export function newTally(definition: ProblemDefinition): Tally {
  return {
    decisions: 0,
    pending: 0,
    open: 0,
    closed: 0,
    dropped: 0,
    voided: 0,
    expired: 0,
    late: 0,
    policy: { count: 0, sum: 0, squares: 0 },
    holdout: { count: 0, sum: 0, squares: 0 },
    actions: Object.fromEntries(definition.actions.map((action) => [action, newActionTally()])),
    covariates: Object.fromEntries(
      Object.keys(definition.covariates).map((name) => [
        name,
        { observed: 0, missing: 0, revealed: 0, reasons: {}, rungs: {}, asked: 0, answered: 0 },
      ]),
    ),
  }
}

export function newActionTally(): { decisions: number; reward: Moments } {
  return { decisions: 0, reward: { count: 0, sum: 0, squares: 0 } }
}

export function addMoment(moments: Moments, value: number): void {
  moments.count++
  moments.sum += value
  moments.squares += value * value
}

/** Counts a name; beyond `limit` different names it counts as "other". */
export function countName(counts: Record<string, number>, name: string, limit = 20): void {
  // Names of the prototype such as "constructor" count as "other".
  const isFree = Object.keys(counts).length < limit && !(name in {})
  const key = Object.hasOwn(counts, name) || isFree ? name : 'other'
  counts[key] = (counts[key] ?? 0) + 1
}
