// How a problem went over time, from its log: running sums in buckets of time at three widths. Records are taken one by
// one, in order; nothing is kept of a decision once its reward is final.

import type { HistoryBucket, HistoryRange, HistoryValue, OperationList, ProblemDefinition } from '@primo/contract'
import {
  addComparison,
  addEvidence,
  type ComparedEvidence,
  type Evidence,
  noComparison,
  noEvidence,
} from '@primo/lab/evidence'
import type { LogEntry } from '../ledger/facts.js'
import type {
  ClosingRecord,
  DecisionRecord,
  ForgettingRecord,
  OperationRecord,
  ProblemRecord,
  RewardRecord,
} from '../ledger/records.js'
import { DelayCounts } from './delay-counts.js'
import { createTier, type Tier } from './history-tier.js'
import { decidedAt, missingOf, rewardedAt } from './imported.js'

/** A decision that waits for its reward. */
interface Open {
  readonly time: number
  readonly action: string
  readonly propensity: number
  readonly eligible: number
  readonly baselineEligible: boolean
  /** Of a decision that was imported: when its reward came. */
  readonly rewarded: number | null
  readonly imported: boolean
}

type Operation = OperationList['operations'][number]

interface Latest {
  /** Its record. */
  readonly seq: number
  readonly decisionId: string
  readonly round: number
  readonly time: number
  readonly action: string
  readonly missing: string[]
}

/** A bucket while it is being filled. */
export interface Filling extends Omit<HistoryBucket, 'delay'> {
  delays: DelayCounts
  /** The last record that changed it. */
  changed: number
}

const MAX_LATEST = 20
const MAX_NAMES = 20
const MAX_OPERATIONS = 200

export class HistoryBook {
  /** The newest record taken. */
  seq = 0
  version = 0
  baseline: string | null = null
  /** Range of the mean reward. */
  reward = { min: 0, span: 1 }
  readonly latest: Latest[] = []
  /** What operators did, in all versions, newest first. */
  readonly operations: Operation[] = []
  #tiers: Record<HistoryRange, Tier>
  #open = new Map<string, Open>()
  #value: Running = newRunning(null)

  constructor() {
    this.#tiers = newTiers()
  }

  tier(range: HistoryRange): Tier {
    return this.#tiers[range]
  }

  take(entry: LogEntry): void {
    this.seq = entry.seq
    const body = () => JSON.parse(entry.body) as unknown
    if (entry.kind === 'problem') this.#problem(body() as ProblemRecord, entry.time)
    else if (entry.kind === 'operation') {
      const record = body() as OperationRecord
      const { operation, by = null, version = null } = record
      this.#operated({ time: entry.time, operation, by, version, kill: null, begins: false, ...detailOf(record) })
    } else if (entry.kind === 'forgetting') {
      const { by = null } = body() as ForgettingRecord
      this.#operated({ time: entry.time, operation: 'forget', by, version: null, kill: null, begins: false })
    } else if (entry.kind === 'decision') this.#decision(entry)
    else if (entry.kind === 'reward') {
      const { id, closes } = body() as RewardRecord
      if (closes !== undefined) this.#closed(id, closes, entry.time)
    } else if (entry.kind === 'closing') {
      const { id, state, value } = body() as ClosingRecord
      if (state === 'closed') this.#closed(id, value!, entry.time)
      else this.#dropped(id)
    } else if (entry.kind === 'void') this.#dropped((body() as { id: string }).id)
  }

  #operated(operation: Operation): void {
    this.operations.unshift(operation)
    if (this.operations.length > MAX_OPERATIONS) this.operations.pop()
  }

  #problem({ version, definition, begins, by }: ProblemRecord, time: number): void {
    this.#operated({
      time,
      operation: 'define',
      by: by ?? null,
      version,
      kill: definition.guards?.kill === true,
      begins,
    })
    const baseline = baselineOf(definition)
    if (begins) {
      this.version = version
      this.#tiers = newTiers()
      this.#open.clear()
      this.latest.length = 0
      this.#value = newRunning(baseline)
    } else if (baseline !== this.baseline) this.#value.baseline = newRunning(baseline).baseline
    this.baseline = baseline
    const { min, max } = definition.reward.mean ?? definition.reward
    this.reward = { min, span: max - min }
  }

  #decision({ seq, time: recorded, round, body }: LogEntry): void {
    const record = JSON.parse(body) as DecisionRecord
    const { id, learning, reply, forgotten, imported } = record
    if (forgotten === true) return
    const time = decidedAt(record, recorded)
    const { action, propensity, actions } = learning
    const eligible = reply.ranking.length
    this.#open.set(id, {
      time,
      action,
      propensity,
      eligible,
      baselineEligible: this.baseline !== null && (actions === undefined || actions.includes(this.baseline)),
      rewarded: rewardedAt(record),
      imported: imported !== undefined,
    })
    const missing = missingOf(record)
    for (const tier of this.#all()) {
      const bucket = tier.at(time, this.seq)
      bucket.decisions++
      bucket.actions[action] = (bucket.actions[action] ?? 0) + 1
    }
    for (const name of missing) {
      const use = reply.covariates[name]
      const reason = use?.reason ?? (imported?.[`reason.${name}`] as string | null) ?? 'no reason given'
      for (const tier of this.#all()) {
        const { covariates } = tier.at(time, this.seq)
        covariates[name] ??= noneMissing()
        const counts = covariates[name]
        counts.missing++
        const key =
          Object.hasOwn(counts.reasons, reason) || Object.keys(counts.reasons).length < MAX_NAMES ? reason : 'other'
        counts.reasons[key] = (counts.reasons[key] ?? 0) + 1
        if (use?.valueOfObserving === undefined) continue
        counts.observing.count++
        counts.observing.sum += use.valueOfObserving
        if (use.valueOfObserving > 0) counts.observing.positive++
      }
    }
    this.latest.unshift({ seq, decisionId: id, round: (round ?? 0) + 1, time, action, missing })
    if (this.latest.length > MAX_LATEST) this.latest.pop()
  }

  #closed(id: string, reward: number, recorded: number): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    this.#open.delete(id)
    const time = open.rewarded ?? recorded
    const inside = Math.min(1, Math.max(0, (reward - this.reward.min) / this.reward.span))
    // Of what the service earned others have no part.
    if (!open.imported) addValue(this.#value, open, inside, this.baseline)
    for (const tier of this.#all()) {
      const bucket = tier.at(time, this.seq)
      bucket.reward.count++
      bucket.reward.sum += reward
      bucket.reward.squares += reward * reward
      bucket.value = currentValue(this.#value)
      const decided = tier.find(open.time, this.seq)
      if (decided === undefined) continue
      decided.joined++
      decided.delays.add(time - open.time)
    }
  }

  #dropped(id: string): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    this.#open.delete(id)
    for (const tier of this.#all()) {
      const decided = tier.find(open.time, this.seq)
      if (decided !== undefined) decided.dropped++
    }
  }

  #all(): readonly Tier[] {
    return Object.values(this.#tiers)
  }
}

/** The action of holdout and kill switch, else the first one. */
function baselineOf({ guards, actions }: ProblemDefinition): string | null {
  return guards?.baseline ?? actions[0] ?? null
}

interface Weighted extends ComparedEvidence {
  readonly gained: Evidence
  readonly lost: Evidence
}

interface Running {
  played: Evidence
  baseline: Weighted | null
  uniform: Weighted
}

function newRunning(baseline: string | null): Running {
  const weighted = () => ({ gained: noEvidence(), lost: noEvidence(), ...noComparison() })
  return { played: noEvidence(), baseline: baseline === null ? null : weighted(), uniform: weighted() }
}

function addValue(value: Running, open: Open, inside: number, baseline: string | null): void {
  addEvidence(value.played, inside)
  addWeighted(value.uniform, 1 / (open.eligible * open.propensity), inside)
  if (value.baseline !== null && open.baselineEligible)
    addWeighted(value.baseline, open.action === baseline ? 1 / open.propensity : 0, inside)
}

function addWeighted(to: Weighted, weight: number, inside: number): void {
  addEvidence(to.gained, weight * inside)
  addEvidence(to.lost, weight * (1 - inside))
  addComparison(to, weight, inside)
}

function currentValue({ played, baseline, uniform }: Running): HistoryValue {
  const copy = ({ gained, lost, ahead, behind }: Weighted) => ({
    gained: { ...gained },
    lost: { ...lost },
    ahead: { ...ahead },
    behind: { ...behind },
  })
  return { played: { ...played }, baseline: baseline === null ? null : copy(baseline), uniform: copy(uniform) }
}

/** Names come from users: one may be "constructor". */
function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

export function noneMissing(): HistoryBucket['covariates'][string] {
  return { missing: 0, reasons: emptyRecord(), observing: { count: 0, sum: 0, positive: 0 } }
}

const SECOND = 1000
const MINUTE = 60 * SECOND

function newTiers(): Record<HistoryRange, Tier> {
  const empty = (time: number): Filling => ({
    time,
    decisions: 0,
    actions: emptyRecord(),
    covariates: emptyRecord(),
    reward: { count: 0, sum: 0, squares: 0 },
    joined: 0,
    dropped: 0,
    delays: new DelayCounts(),
    changed: 0,
    value: currentValue(newRunning('')),
  })
  return {
    recent: createTier({ empty, width: 5 * SECOND, most: 180, when: 'forget' }),
    day: createTier({ empty, width: 10 * MINUTE, most: 144, when: 'forget' }),
    all: createTier({ empty, width: SECOND, most: 240, when: 'widen' }),
  }
}

/** What was seen of a candidate, or why it ended. */
function detailOf({ rounds, gain, why }: OperationRecord): { detail?: string } {
  if (why !== undefined) return { detail: why }
  if (gain === undefined) return {}
  const [low, high] = [gain.low, gain.high].map((limit) => Number(limit.toPrecision(3)))
  return { detail: `gain between ${low} and ${high} over ${rounds} decisions` }
}
