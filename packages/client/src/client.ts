// The service from a program: decide within a deadline and never throw, report until it is taken. Every call that
// changes something carries an id, so that repeating it counts once.

import {
  type CandidateBody,
  type CandidateInfo,
  type DecisionBatchReply,
  type DecisionBody,
  type DecisionExplained,
  type DecisionReply,
  type Epochs,
  isErrorCode,
  type ProblemDefinition,
  type ProblemDetails,
  type ProblemInfo,
  type ProblemSummary,
  type RewardBatchReply,
  type RewardReply,
} from '@primo/contract'
import { type BatchOptions, createBatcher } from './batcher.js'
import { createOutbox, type Report, type ReportOptions } from './outbox.js'
import {
  type DecisionReplyOf,
  type DeclaredDefinition,
  type ProblemClient,
  problemClient,
  type ValuesOf,
} from './problem-client.js'
import { ClientError, createTransport, type TransportOptions } from './transport.js'

/** Where the service is and how it is called. */
export interface ClientOptions extends TransportOptions {
  /** Send decisions and rewards in batches; default: one by one. */
  readonly batch?: BatchOptions | boolean
  /** How rewards and other reports wait for a service that is away. */
  readonly reports?: ReportOptions
}

/** How long `decide` may take, and what is played when it takes longer. */
export interface DecideOptions<Action extends string = string> {
  /** Milliseconds; default 200. */
  readonly deadline?: number
  /** The action played when no decision comes in time. */
  readonly default: Action
  /** How many actions the reply ranks, best first; 0: none; default: all. */
  readonly ranking?: number
}

/** The action to play, and whether the service chose it or the caller's default stands in. */
export type Decided<Action extends string = string, Covariate extends PropertyKey = string> =
  | ServiceDecided<Action, Covariate>
  | DefaultDecided<Action>

/** The service's choice. */
export interface ServiceDecided<Action extends string = string, Covariate extends PropertyKey = string> {
  readonly from: 'service'
  readonly action: Action
  readonly eventId: string
  readonly reply: DecisionReplyOf<Action, Covariate>
}

/** The caller's default is played; the service learns nothing from it. */
export interface DefaultDecided<Action extends string = string> {
  readonly from: 'default'
  readonly action: Action
  readonly eventId: string
  readonly error: ClientError
}

/** Optional fields of a reward. */
export interface RewardOptions {
  /** Makes the call idempotent; default: an id of its own. */
  readonly rewardId?: string
  /** Values of the problem's guardrails for this decision. */
  readonly metrics?: Readonly<Record<string, number>>
}

/** The calls of the service. */
export interface Client {
  /** Never throws: without a decision in time the default is played, and the decision is voided. */
  readonly decide: (problem: string, request: DecisionBody, options: DecideOptions) => Promise<Decided>
  /**
   * `id` is a decision id or an event id. Repeated until it is taken, within the limits of `reports`; throws
   * ClientError when it is refused or given up. That of a played default is answered `inactive`, without a call.
   */
  readonly reward: (problem: string, id: string, value: number, options?: RewardOptions) => Promise<RewardReply>
  readonly reveal: (
    problem: string,
    id: string,
    covariates: Readonly<Record<string, number | boolean | string>>,
  ) => Promise<RewardReply>
  readonly activate: (problem: string, id: string) => Promise<RewardReply>
  readonly void: (problem: string, id: string) => Promise<RewardReply>
  readonly define: (
    problem: string,
    definition: ProblemDefinition,
    options?: { readonly newVersion?: boolean },
  ) => Promise<ProblemInfo>
  /** A problem's summary, definition and reports. With a definition: the calls for this problem, with its types. */
  readonly problem: ProblemCall
  readonly summary: (problem: string) => Promise<ProblemSummary>
  readonly epochs: (problem: string) => Promise<Epochs>
  readonly explain: (problem: string, id: string) => Promise<DecisionExplained>
  readonly freeze: (problem: string) => Promise<ProblemInfo>
  readonly unfreeze: (problem: string) => Promise<ProblemInfo>
  readonly rollback: (problem: string, version: number) => Promise<ProblemInfo>
  /** How the candidate does that runs beside the live policy, and what became of the last one. */
  readonly candidate: (problem: string) => Promise<CandidateInfo>
  /** Runs other options or models beside the live policy; they are promoted when they are better. */
  readonly setCandidate: (problem: string, candidate: CandidateBody) => Promise<CandidateInfo>
  readonly withdrawCandidate: (problem: string) => Promise<CandidateInfo>
  /** Waits until every report is taken or given up, or for so many milliseconds. Resolves to how many still wait. */
  readonly settled: (within?: number) => Promise<number>
}

type RewardItem = RewardOptions & { readonly id: string; readonly value: number; readonly rewardId: string }

interface ProblemCall {
  (problem: string): Promise<ProblemInfo>
  <
    const Context extends ProblemDefinition['context'],
    const Covariates extends ProblemDefinition['covariates'],
    const Action extends string,
  >(
    problem: string,
    definition: DeclaredDefinition<Context, Covariates, Action>,
  ): ProblemClient<ValuesOf<Context>, ValuesOf<Covariates>, Action>
}

/** Played defaults that are remembered, so that their rewards are answered quietly. */
const MAX_DEFAULTS = 10_000
/** Reports on their way at once, unless they go in batches. */
const WIDTH = 8

/**
 * A client of the service at `url`.
 * @example
 * const primo = createClient({ url: 'http://127.0.0.1:8642' })
 * const d = await primo.decide('dose', { context: { age: 63, smoker: false } }, { default: 'low' })
 * if (d.from === 'service') await primo.reward('dose', d.eventId, 1)
 */
export function createClient(options: ClientOptions): Client {
  const call = createTransport(options)
  const defaults = new Set<string>()
  const batching = options.batch === true ? {} : options.batch || null
  const path = (problem: string, rest = '') => `/v1/problems/${encodeURIComponent(problem)}${rest}`
  const decision = (problem: string, id: string, rest = '') =>
    path(problem, `/decisions/${encodeURIComponent(id)}${rest}`)

  const decideOne = perTarget<DecisionBody, DecisionReply>((target) => async (requests) => {
    const { results } = await call<DecisionBatchReply>(target, {
      body: { decisions: requests },
      retries: 0,
    })
    return results.map((result) => ('error' in result ? refused(result.error) : result))
  })
  const rewardOne = perTarget<RewardItem, RewardReply>((target) => async (rewards) => {
    const { results } = await call<RewardBatchReply>(target, { body: { rewards }, retries: 0 })
    return results.map((result) => ('error' in result ? refused(result.error) : result))
  })

  /** Calls of the same path go out together. */
  function perTarget<Item, Result>(
    sender: (target: string) => (items: readonly Item[]) => Promise<(Result | Error)[]>,
  ) {
    const batchers = new Map<string, ReturnType<typeof createBatcher<Item, Result>>>()
    return (target: string, item: Item): Promise<Result> => {
      const batcher = batchers.get(target) ?? createBatcher<Item, Result>(sender(target), batching ?? {})
      batchers.set(target, batcher)
      return batcher.add(item)
    }
  }

  const outbox = createOutbox<RewardReply>({
    ...options.reports,
    backoff: options.backoff ?? 100,
    width: batching === null ? WIDTH : 2 * (batching.size ?? 100),
    send: ({ call: kind, problem, decision: id, body }) =>
      kind === 'reward' && batching !== null
        ? rewardOne(path(problem, '/rewards/batch'), { id, ...body } as RewardItem)
        : call(decision(problem, id, `/${kind}`), { body, retries: 0 }),
  })

  function report(kind: Report['call'], problem: string, id: string, body: Report['body']): Promise<RewardReply> {
    if (defaults.has(`${problem} ${id}`)) return Promise.resolve({ decisionId: id, status: 'inactive' })
    return outbox.add({ id: newId(), call: kind, problem, decision: id, body, since: Date.now() })
  }

  function playedDefault(problem: string, eventId: string): void {
    defaults.add(`${problem} ${eventId}`)
    if (defaults.size > MAX_DEFAULTS) for (const oldest of defaults) return void defaults.delete(oldest)
  }

  async function decide(problem: string, request: DecisionBody, how: DecideOptions): Promise<Decided> {
    const { deadline = 200, ranking } = how
    const query = ranking === undefined ? '' : `?ranking=${ranking}`
    const eventId = request.eventId ?? newId()
    const controller = new AbortController()
    const ends = Date.now() + deadline
    const timer = setTimeout(() => controller.abort(), deadline)
    const asked = { ...request, eventId }
    try {
      const work =
        batching !== null
          ? withDeadline(decideOne(path(problem, `/decisions/batch${query}`), asked), controller.signal)
          : call<DecisionReply>(path(problem, `/decisions${query}`), {
              body: asked,
              signal: controller.signal,
              beforeRetry: (error, wait) => {
                if (Date.now() + wait >= ends) throw error
              },
            })
      const reply = await work
      return { from: 'service', action: reply.action, eventId, reply }
    } catch (error) {
      const failure = error instanceof ClientError ? error : new ClientError('unreachable', String(error), 0)
      // Only a refusal proves that the decision is not in the log; otherwise it may be there or may yet arrive.
      if (failure.passing) void report('void', problem, eventId, { unseen: true })
      playedDefault(problem, eventId)
      return { from: 'default', action: how.default, eventId, error: failure }
    } finally {
      clearTimeout(timer)
    }
  }

  const get = <T>(target: string) => call<T>(target, { method: 'GET' })
  const client: Client = {
    decide,
    reward: (problem, id, value, options = {}) =>
      report('reward', problem, id, { rewardId: newId(), ...options, value }),
    reveal: (problem, id, covariates) => report('reveal', problem, id, { covariates }),
    activate: (problem, id) => report('activate', problem, id, {}),
    void: (problem, id) => report('void', problem, id, {}),
    define: (problem, definition, { newVersion = false } = {}) =>
      call(path(problem, newVersion ? '?version=new' : ''), { method: 'PUT', body: definition }),
    problem: ((problem: string, definition?: ProblemDefinition) =>
      definition === undefined ? get(path(problem)) : problemClient(client, problem, definition)) as ProblemCall,
    summary: (problem) => get(path(problem, '/summary')),
    epochs: (problem) => get(path(problem, '/epochs')),
    explain: (problem, id) => get(decision(problem, id)),
    freeze: (problem) => call(path(problem, '/freeze'), { body: {} }),
    unfreeze: (problem) => call(path(problem, '/unfreeze'), { body: {} }),
    rollback: (problem, version) => call(path(problem, '/rollback'), { body: { version } }),
    candidate: (problem) => get(path(problem, '/candidate')),
    setCandidate: (problem, candidate) => call(path(problem, '/candidate'), { method: 'PUT', body: candidate }),
    withdrawCandidate: (problem) => call(path(problem, '/candidate'), { method: 'DELETE' }),
    settled: outbox.settled,
  }
  return client
}

function refused({ code, detail, status }: ProblemDetails): ClientError {
  return new ClientError(isErrorCode(code) ? code : 'internal', detail, status)
}

function withDeadline<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ClientError('unreachable', 'no answer came in time', 0)))
    work.then(resolve, reject)
  })
}

/** An id that nobody else makes. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
