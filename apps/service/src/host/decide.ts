// Decides one call with one request or many: the live policy draws each decision, the store commits them together, and stale
// decisions are drawn again by the changed problem.

import { type GivenRequest, replyOf } from '../codec/codec.js'
import type { ImputerStage } from '../imputers/stage.js'
import { canonicalJson } from '../ledger/canonical-json.js'
import type { Decide, Outcome } from '../ledger/commands.js'
import type { DecisionRecord } from '../ledger/records.js'
import { asServiceError, ServiceError } from '../ledger/service-error.js'
import type { Store } from '../ledger/store.js'
import { attributesJson, inside, type Span } from '../tracing/tracer.js'
import { createBatchLimit } from './batch-limit.js'
import { createDecisionIds } from './decision-id.js'
import type { Host, HostEvents } from './host.js'
import type { ProblemHost } from './problem-host.js'

/** How often a request is decided before the problem counts as changing too fast. */
const MAX_ATTEMPTS = 10

export interface DecideOptions extends Pick<Host, 'problem' | 'fresh' | 'upToDate'>, Pick<HostEvents, 'decided'> {
  readonly store: Store
  readonly clock: () => number
}

export function createDecide(options: DecideOptions): Host['decide'] {
  const { store, clock, problem, fresh, upToDate, decided } = options
  const newId = createDecisionIds(clock)
  const admit = createBatchLimit()

  /** The stored reply of an event that was decided before, for a request that the changed problem refuses. */
  async function decidedBefore(host: ProblemHost, { request }: GivenRequest): Promise<Uint8Array | undefined> {
    const { eventId } = request
    if (eventId === undefined) return undefined
    const stored = await store.decision(host.row.id, eventId)
    if (stored?.round.eventId !== eventId) return undefined
    const record = JSON.parse(stored.entry.body) as DecisionRecord
    if (canonicalJson(record.request) !== canonicalJson(request)) return undefined
    return Buffer.from(JSON.stringify(record.reply))
  }

  return async (name, given, span = null) => {
    const host = await problem(name)
    const done = admit(host, given)
    return decideAll(name, given, host, span).finally(done)
  }

  async function decideAll(name: string, given: readonly GivenRequest[], first: ProblemHost, span: Span | null) {
    const results: (Uint8Array | ServiceError)[] = new Array(given.length)
    let host = first
    let waiting = given.map((_, index) => index)
    for (let attempt = 0; waiting.length > 0 && attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) host = await fresh(name)
      if (host.row.retired !== null) throw new ServiceError('problem-retired', `problem "${name}" was retired`)
      const imputed = host.imputers === null ? null : await impute(host.imputers, waiting, given, span)
      const commands: Decide[] = []
      const drawn: number[] = []
      const refusals = new Map<number, unknown>()
      for (let k = 0; k < waiting.length; k++) {
        const index = waiting[k]!
        try {
          commands.push(host.decide(given[index]!, newId(), imputed?.[k]))
          drawn.push(index)
        } catch (error) {
          const before = await decidedBefore(host, given[index]!)
          if (before === undefined) refusals.set(index, error)
          else results[index] = before
        }
      }
      // Another replica may have changed the problem so that these requests fit.
      waiting = refusals.size > 0 && (await upToDate(name)) !== host ? [...refusals.keys()] : []
      for (const [index, error] of waiting.length > 0 ? [] : refusals) {
        const refusal = asServiceError(error)
        if (refusal === null) throw error
        results[index] = refusal
      }
      if (commands.length === 0) continue
      const outcomes =
        span === null ? await store.commit(commands) : await inside(span, 'commit', () => store.commit(commands))
      outcomes.forEach((outcome, k) => {
        if ('stale' in outcome) waiting.push(drawn[k]!)
        else results[drawn[k]!] = resultOf(outcome, commands[k]!)
      })
      const committed = commands.filter((_, k) => isNew(outcomes[k]!))
      if (committed.length > 0) decided(name, committed)
      if (span !== null && waiting.length === 0) describe(span, host, given.length, commands[0], outcomes[0])
    }
    for (const index of waiting) results[index] = new ServiceError('overloaded', `problem "${name}" is being changed`)
    return results
  }
}

function impute(stage: ImputerStage, waiting: readonly number[], given: readonly GivenRequest[], span: Span | null) {
  const requests = waiting.map((index) => given[index]!.request)
  return span === null ? stage.predict(requests) : inside(span, 'impute', (child) => stage.predict(requests, child))
}

/** What is the same for all decisions of a policy, written once. */
const flags = new WeakMap<ProblemHost, string>()

function flagOf(host: ProblemHost): string {
  const known = flags.get(host)
  if (known !== undefined) return known
  const { name, book } = host.row
  const flag = attributesJson({
    'feature_flag.key': name,
    'feature_flag.provider.name': 'primo',
    'feature_flag.version': String(book.policy),
  })
  flags.set(host, flag)
  return flag
}

const single = (reason: string) => attributesJson({ 'primo.decisions': 1, 'feature_flag.result.reason': reason })
const SINGLE = { drawn: single('split'), repeated: single('cached'), refused: single('error') }

/** Says what was decided, in the words of feature flags where they fit. */
function describe(span: Span, host: ProblemHost, decisions: number, command?: Decide, outcome?: Outcome): void {
  span.put(flagOf(host))
  if (decisions > 1) span.set('primo.decisions', decisions)
  else if (command !== undefined && outcome !== undefined && isNew(outcome)) {
    span.put(SINGLE.drawn)
    span.set('feature_flag.result.variant', command.action)
    span.set('primo.decision.id', command.id)
  } else span.put(outcome !== undefined && 'duplicate' in outcome ? SINGLE.repeated : SINGLE.refused)
}

function isNew(outcome: Outcome): boolean {
  return 'duplicate' in outcome && !outcome.duplicate
}

function resultOf(outcome: Outcome, command: Decide): Uint8Array | ServiceError {
  if ('error' in outcome) return new ServiceError(outcome.error, outcome.detail)
  if (!('duplicate' in outcome)) throw new Error(`a decision was answered with ${JSON.stringify(outcome)}`)
  return outcome.duplicate ? Buffer.from(outcome.decided) : replyOf(command, outcome.rewardDeadline)
}
