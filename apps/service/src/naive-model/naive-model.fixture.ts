// The service as its documentation tells it (ARCHITECTURE.md "What the log means", docs/log-format.md, the contract), in
// memory and naive: lists that are searched, sums taken anew. Only the action and the propensities of a decision are read
// from the reply; everything else must come out here as it does there.

import type { ProblemDefinition } from '@primo/contract'

export type Told = { readonly status: number; readonly code?: string; readonly answer?: string }

interface Arrival {
  readonly value: number
  readonly rewardId: string | undefined
  readonly answer: string
}

export interface ModelRound {
  readonly id: string
  readonly eventId: string | undefined
  readonly body: string
  readonly reply: string
  readonly version: number
  readonly number: number
  readonly action: string
  readonly holdout: boolean
  readonly asked: boolean
  readonly observed: number | null
  readonly reason: string | undefined
  state: 'pending' | 'open' | 'closed' | 'dropped' | 'void' | 'expired'
  deadline: number | null
  final: number | null
  byDefault: boolean
  readonly arrivals: Arrival[]
  revealed: number | null
}

const DAY = 86_400_000
const ok = (answer?: string): Told => (answer === undefined ? { status: 200 } : { status: 200, answer })
const no = (status: number, code: string): Told => ({ status, code })

export class NaiveModel {
  definition: ProblemDefinition
  version = 1
  retired = false
  frozen = false
  policy = 0
  learnt = 0
  epoch = 1
  epochSince: number
  rounds: ModelRound[] = []
  /** Event ids whose decision was voided before it came. */
  readonly unseen = new Set<string>()

  constructor(definition: ProblemDefinition, now: number) {
    this.definition = definition
    this.epochSince = now
  }

  /** Of the running version. */
  current(): ModelRound[] {
    return this.rounds.filter(({ version }) => version === this.version)
  }

  find(ref: string): ModelRound | undefined {
    return this.rounds.find(({ id }) => id === ref) ?? this.rounds.find(({ eventId }) => eventId === ref)
  }

  /** What a decide must be answered with; null: a new decision. */
  beforeDecide(eventId: string | undefined, body: string, served: boolean): Told | { reply: string } | null {
    if (this.retired) return no(410, 'problem-retired')
    const earlier = this.rounds.find((round) => eventId !== undefined && round.eventId === eventId)
    if (earlier?.body === body) return { reply: earlier.reply }
    if (served !== (this.definition.mode === 'shadow')) return no(409, 'wrong-mode')
    if (earlier !== undefined) return no(409, 'event-conflict')
    if (eventId !== undefined && this.unseen.has(eventId)) return no(409, 'event-voided')
    return null
  }

  decided(
    round: Omit<
      ModelRound,
      'version' | 'number' | 'state' | 'deadline' | 'final' | 'byDefault' | 'arrivals' | 'revealed'
    >,
    deferred: boolean,
    now: number,
  ): void {
    this.endIfDue(now)
    const pending = deferred || this.definition.activation === 'explicit'
    const window = this.definition.reward.window?.milliseconds
    const wait = pending ? (this.definition.activationWindow?.milliseconds ?? DAY) : window
    this.rounds.push({
      ...round,
      version: this.version,
      number: this.current().length + 1,
      state: pending ? 'pending' : 'open',
      deadline: wait === undefined ? null : now + wait,
      final: null,
      byDefault: false,
      arrivals: [],
      revealed: null,
    })
  }

  /** An epoch ends at the first decision after its quota, or the first tick where closed rounds count; nothing ends while frozen. */
  private endIfDue(now: number): void {
    if (!this.frozen && this.counted() >= this.epoch * this.length()) this.end(now)
  }

  /** The schedule is { kind: 'fixed', length, counted }. */
  private schedule(): { length: number; counted: string } {
    return (this.definition.learning as unknown as { schedule: { length: number; counted: string } }).schedule
  }

  private length(): number {
    return this.schedule().length
  }

  private counted(): number {
    return this.schedule().counted === 'closed' ? this.closed() : this.current().length
  }

  private closed(): number {
    return this.current().filter(({ state }) => state === 'closed').length
  }

  private end(now: number): void {
    while (this.epoch * this.length() <= this.counted()) this.epoch++
    this.learnt++
    if (!this.frozen) this.policy = this.learnt
    this.epochSince = now
  }

  private closeIfDue(round: ModelRound, now: number): void {
    if (round.deadline === null || now < round.deadline || round.version !== this.version) return
    if (round.state === 'pending') round.state = 'expired'
    else if (round.state === 'open') {
      const counted = round.arrivals.filter(({ answer }) => answer === 'accepted').map(({ value }) => value)
      round.final = counted.length > 0 ? this.aggregate(counted) : (this.definition.reward.default ?? null)
      round.byDefault = counted.length === 0 && round.final !== null
      round.state = round.final === null ? 'dropped' : 'closed'
    }
    round.deadline = null
  }

  aggregate(values: readonly number[]): number {
    const sum = values.reduce((total, value) => total + value)
    switch (this.definition.reward.aggregate ?? 'first') {
      case 'first':
        return values[0]!
      case 'last':
        return values.at(-1)!
      case 'sum':
        return sum
      case 'mean':
        return sum / values.length
    }
  }

  reward(ref: string, value: number, rewardId: string | undefined, now: number): Told {
    if (this.retired) return no(410, 'problem-retired')
    const { min, max, window, learnFrom, aggregate = 'first' } = this.definition.reward
    if (value < min || value > max) return no(422, 'out-of-range')
    const round = this.find(ref)
    if (round === undefined) return this.unseen.has(ref) ? ok('inactive') : no(404, 'unknown-decision')
    const same = round.arrivals.find((arrival) => rewardId !== undefined && arrival.rewardId === rewardId)
    if (same !== undefined) return same.value === value ? ok('duplicate') : no(409, 'reward-conflict')
    const arrive = (answer: string) => {
      round.arrivals.push({ value, rewardId, answer })
      return ok(answer)
    }
    if (round.version !== this.version) return arrive('superseded')
    this.closeIfDue(round, now)
    if (['pending', 'void', 'expired'].includes(round.state)) return arrive('inactive')
    const accepted = round.arrivals.filter(({ answer }) => answer === 'accepted')
    if (aggregate === 'first' && accepted.length > 0)
      return accepted[0]!.value === value ? ok('duplicate') : no(409, 'reward-conflict')
    if (round.state !== 'open') return arrive('late')
    if (aggregate === 'sum') {
      const total = accepted.reduce((sum, arrival) => sum + arrival.value, 0) + value
      if (total < min || total > max) return no(422, 'out-of-range')
    }
    arrive('accepted')
    if (window === undefined || learnFrom === 'arrival') {
      round.final = this.aggregate([value])
      round.state = 'closed'
      round.deadline = null
    }
    return ok('accepted')
  }

  activate(ref: string, now: number): Told {
    if (this.retired) return no(410, 'problem-retired')
    const round = this.find(ref)
    if (round === undefined) return no(404, 'unknown-decision')
    if (round.version !== this.version) return ok('superseded')
    this.closeIfDue(round, now)
    if (round.state === 'void' || round.state === 'expired') return no(409, 'round-closed')
    if (round.state !== 'pending') return ok('duplicate')
    const window = this.definition.reward.window?.milliseconds
    round.state = 'open'
    round.deadline = window === undefined ? null : now + window
    return ok('accepted')
  }

  void(ref: string, unseen: boolean, now: number): Told {
    if (this.retired) return no(410, 'problem-retired')
    const round = this.find(ref)
    if (round === undefined) {
      if (this.unseen.has(ref)) return ok('duplicate')
      if (!unseen) return no(404, 'unknown-decision')
      this.unseen.add(ref)
      return ok('accepted')
    }
    if (round.state === 'void') return ok('duplicate')
    if (round.version !== this.version) return ok('superseded')
    this.closeIfDue(round, now)
    if (round.state === 'expired') return ok('duplicate')
    if (round.state === 'closed' || round.state === 'dropped') return no(409, 'round-closed')
    round.state = 'void'
    round.deadline = null
    return ok('accepted')
  }

  reveal(ref: string, value: number): Told {
    if (this.retired) return no(410, 'problem-retired')
    const round = this.find(ref)
    if (round === undefined) return this.unseen.has(ref) ? ok('inactive') : no(404, 'unknown-decision')
    if (round.version !== this.version) return ok('superseded')
    const known = round.observed ?? round.revealed
    if (known !== null) return known === value ? ok('duplicate') : no(409, 'reveal-conflict')
    round.revealed = value
    return ok('accepted')
  }

  /** `invalidates`: the change cannot keep what was learnt. */
  define(definition: ProblemDefinition, invalidates: boolean, renew: boolean, now: number): Told & { change?: string } {
    if (this.retired) return no(410, 'problem-retired')
    if (JSON.stringify(definition) === JSON.stringify(this.definition)) return { status: 200, change: 'unchanged' }
    if (invalidates && !renew) return no(409, 'problem-changed')
    const added = definition.actions.length > this.definition.actions.length
    const grown = JSON.stringify(definition.context) !== JSON.stringify(this.definition.context)
    this.definition = definition
    if (invalidates) {
      this.version++
      this.frozen = false
      this.policy = 0
      this.learnt = 0
      this.epoch = 1
      this.epochSince = now
      return { status: 200, change: 'renewed' }
    }
    if (added && !this.frozen && this.closed() > 0) this.end(now)
    return { status: 200, change: grown ? 'grown' : 'updated' }
  }

  freeze(): Told {
    if (this.retired) return no(410, 'problem-retired')
    this.frozen = true
    return ok()
  }

  unfreeze(): Told {
    if (this.retired) return no(410, 'problem-retired')
    if (this.frozen) this.policy = this.learnt
    this.frozen = false
    return ok()
  }

  rollback(version: number): Told {
    if (this.retired) return no(410, 'problem-retired')
    if (version > this.learnt) return no(404, 'unknown-policy')
    this.policy = version
    this.frozen = true
    return ok()
  }

  retire(): Told {
    if (this.retired) return no(410, 'problem-retired')
    this.retired = true
    return ok()
  }

  tick(now: number): void {
    if (this.retired) return
    for (const round of this.current()) this.closeIfDue(round, now)
    if (this.schedule().counted === 'closed') this.endIfDue(now)
    const age = this.definition.learning?.maxEpochAge?.milliseconds
    if (age !== undefined && !this.frozen && this.closed() > 0 && now - this.epochSince >= age) this.end(now)
  }

  /** The summary, without what only the engine knows. */
  summary() {
    const rounds = this.current()
    const count = (...states: string[]) => rounds.filter(({ state }) => states.includes(state)).length
    const finals = (some: readonly ModelRound[]) => mean(some.flatMap(({ final }) => (final === null ? [] : [final])))
    const reasons: Record<string, number> = {}
    for (const { observed, reason } of rounds)
      if (observed === null && reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1
    const missing = rounds.filter(({ observed }) => observed === null)
    return {
      version: this.version,
      mode: this.frozen ? 'frozen' : (this.definition.mode ?? 'active'),
      decisions: rounds.length,
      open: count('open', 'pending'),
      closed: count('closed'),
      dropped: count('dropped'),
      voided: count('void'),
      expired: count('expired'),
      lateRewards: rounds.flatMap(({ arrivals }) => arrivals).filter(({ answer }) => answer === 'late').length,
      reward: finals(rounds),
      groups: {
        policy: finals(rounds.filter(({ holdout }) => !holdout)),
        holdout: finals(rounds.filter(({ holdout }) => holdout)),
      },
      actions: Object.fromEntries(
        this.definition.actions.map((name) => {
          const played = rounds.filter(({ action }) => action === name)
          return [name, { decisions: played.length, reward: finals(played) }]
        }),
      ),
      observed: rounds.length - missing.length,
      missing: missing.length,
      revealed: rounds.filter(({ revealed }) => revealed !== null).length,
      asked: rounds.filter(({ asked }) => asked).length,
      answered: rounds.filter(({ asked, revealed }) => asked && revealed !== null).length,
      reasons,
      policyVersion: this.policy,
      learntVersion: this.learnt,
      epoch: this.epoch,
    }
  }

  /** The rows of the exported log, without what only the engine knows. */
  log() {
    return this.current().map((round) => {
      const { state, final, byDefault, arrivals } = round
      const accepted = arrivals.filter(({ answer }) => answer === 'accepted').map(({ value }) => value)
      const late = arrivals.find(({ answer }) => answer === 'late')
      const [rewardStatus, reward] =
        state === 'closed'
          ? [byDefault ? 'default' : 'closed', final]
          : state === 'dropped'
            ? [late === undefined ? 'dropped' : 'late', late?.value ?? null]
            : state === 'void' || state === 'expired'
              ? ['void', null]
              : ['open', accepted.length > 0 ? this.aggregate(accepted) : null]
      return {
        decisionId: round.id,
        eventId: round.eventId ?? null,
        round: round.number,
        action: round.action,
        holdout: round.holdout,
        rewardStatus,
        reward,
        'covariate.z': round.observed,
        'revealed.z': round.revealed,
        'observedAt.z': round.observed !== null ? 'decision' : round.revealed !== null ? 'later' : null,
      }
    })
  }
}

function mean(values: readonly number[]) {
  const closed = values.length
  if (closed === 0) return { closed, mean: null, standardError: null }
  const average = values.reduce((sum, value) => sum + value) / closed
  if (closed === 1) return { closed, mean: average, standardError: null }
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0)
  return { closed, mean: average, standardError: Math.sqrt(squares / (closed - 1) / closed) }
}
