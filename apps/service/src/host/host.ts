// All problems of a service as they decide now, kept in step with the store: a policy goes live when its record is durable.

import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { ProblemDefinition, Upload } from '@primo/contract'
import type { Code } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import type { Codec, GivenRequest } from '../codec/codec.js'
import { createFastCodec } from '../codec/fast-codec.js'
import { createImputers, type ImputersOptions } from '../imputers/imputers.js'
import { checkAside } from '../learning/check-aside.js'
import { type CodeModule, loadCodeModules } from '../learning/code-modules.js'
import type { EpochSummary } from '../learning/follower.js'
import { type BackgroundLearner, type LearnerOptions, startLearner } from '../learning/learner.js'
import { learntState } from '../learning/learnt-state.js'
import { engineOf, requireCode, versionedDefinition } from '../learning/problem-engine.js'
import type { ProblemRow } from '../ledger/book.js'
import { STEADY } from '../ledger/clock.js'
import type { Command, Decide, Outcome, Refused } from '../ledger/commands.js'
import { changeOf, type DefinitionChange } from '../ledger/definition-change.js'
import { ServiceError } from '../ledger/service-error.js'
import { type Head, type Store, StoreUnavailable } from '../ledger/store.js'
import { present, StoreDamaged } from '../ledger/store-damaged.js'
import type { Span } from '../tracing/tracer.js'
import { type Candidates, createCandidates } from './candidates.js'
import { createDecide } from './decide.js'
import { createEarlierPolicies } from './earlier-policies.js'
import { type Forgotten, forgetSubject } from './forget-subject.js'
import { createProblemHost, type ProblemHost } from './problem-host.js'
import { createUpload, type Uploaded } from './upload.js'

/** Milliseconds before a load that could not reach the store is tried again. */
const RELOAD_AGAIN = 1000

export interface HostEvents {
  readonly decided: (problem: string, commands: readonly Decide[]) => void
  /** A problem is decided otherwise from now on. */
  readonly replaced: (before: ProblemHost, now: ProblemHost) => void
  readonly fitted: (problem: string, seconds: { readonly reading: number; readonly fitting: number }) => void
  readonly fitFailed: (problem: string, message: string, seconds: number) => void
  readonly changed: (head: Head) => void
}

interface HostOptions {
  readonly store: Store
  readonly events: HostEvents
  /** Milliseconds between ticks; 0: only when asked. Default 200. */
  readonly tickEvery?: number
  readonly clock?: () => number
  readonly retryAfter?: number
  readonly fit?: LearnerOptions['fit']
  /** Modules of the operator's code; default none. */
  readonly code?: readonly CodeModule[]
  /** The folder of model files, and a listener to the calls of models. */
  readonly imputers?: ImputersOptions
  /** Lets other work run between two steps of a load; default: the next turn of the event loop. */
  readonly nextTurn?: () => Promise<void>
}

/** Whether endpoints of imputers are tried when they are defined, and what becomes of a failure. */
export type ImputerCheck = 'warn' | 'refuse' | 'none'

/** What a definition did. */
export type Defined = Exclude<DefinitionChange['change'], 'refused'>

export interface Host {
  readonly store: Store
  readonly codec: Codec
  readonly code: readonly Code[]
  readonly learner: BackgroundLearner
  readonly names: () => readonly string[]
  /** Problems as they decide now. */
  readonly live: () => readonly ProblemHost[]
  /** Problems that the service opened with a policy that was learnt in another way than they learn now. */
  readonly relearnt: readonly string[]
  /** How many served models keep failing. */
  readonly failingImputers: () => number
  /** Throws unknown-problem. */
  readonly problem: (name: string) => Promise<ProblemHost>
  /** The same, read again from the store. */
  readonly fresh: (name: string) => Promise<ProblemHost>
  /** The same, read again if another replica has changed the problem. */
  readonly upToDate: (name: string) => Promise<ProblemHost>
  /** Replies as JSON in UTF-8, or refusals, in order. */
  readonly decide: (
    name: string,
    given: readonly GivenRequest[],
    span?: Span | null,
  ) => Promise<readonly (Uint8Array | ServiceError)[]>
  /** Accepts decisions that a caller made in its own process. `mayReward` (default true): rewards and truths too. */
  readonly upload: (name: string, upload: Upload, mayReward?: boolean) => Promise<Uploaded>
  readonly define: (
    name: string,
    definition: ProblemDefinition,
    renew: boolean,
    by?: string | null,
    check?: ImputerCheck,
  ) => Promise<{ readonly change: Defined; readonly warnings: readonly string[] }>
  /** What `define` would do, and why; nothing changes. */
  readonly plan: (
    name: string,
    definition: ProblemDefinition,
    renew: boolean,
    check?: ImputerCheck,
  ) => Promise<DefinitionChange & { readonly warnings: readonly string[] }>
  readonly candidates: Candidates
  /** Settles one command; throws a ServiceError if it is refused. */
  readonly settle: (command: Command) => Promise<Exclude<Outcome, Refused>>
  readonly settleAll: (commands: readonly Command[]) => Promise<readonly Outcome[]>
  /** Does the clock's work in every problem. */
  readonly tick: () => Promise<void>
  /** The wall clock is right: time moves to it, and deadlines with it. */
  readonly confirmClock: (by?: string | null) => Promise<void>
  /** Takes what was recorded of a subject out of the log; says of how many decisions, and whether files hold nothing of it. */
  readonly forget: (name: string, subject: string, by: string | null) => Promise<Forgotten>
  /** Removes a retired problem with everything that was recorded of it. */
  readonly purge: (name: string) => Promise<{ readonly erased: boolean }>
  readonly close: () => Promise<void>
}

/** Starts the problems of a store, without HTTP. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { store, events, tickEvery = 200, clock = Date.now, nextTurn = () => setImmediate() } = options
  const codec = createFastCodec()
  const { code: modules = [] } = options
  const code = await loadCodeModules(modules)
  const hosts = new Map<string, ProblemHost>()
  const loading = new Map<string, Promise<ProblemHost | undefined>>()
  const learner = startLearner(
    store,
    { fitted: events.fitted, failed: events.fitFailed },
    {
      ...(options.retryAfter === undefined ? {} : { retryAfter: options.retryAfter }),
      ...(options.fit === undefined ? {} : { fit: options.fit }),
      code: modules,
    },
  )
  const imputers = createImputers(options.imputers ?? { models: null })
  const earlier = createEarlierPolicies(store, { code, codec, clock })
  let closed = false

  async function load(name: string): Promise<ProblemHost | undefined> {
    const row = await store.problem(name)
    if (row === undefined) {
      hosts.delete(name)
      return undefined
    }
    requireCode(name, row.definition, code)
    const { policy } = row.book
    const snapshot =
      policy === 0
        ? undefined
        : present(await store.snapshot(row.id, row.version, policy), `policy ${policy} of "${name}"`, row.id)
    const known = hosts.get(name)
    // Each step takes a tenth of a second for a table of 60,000 rows: other problems decide in between.
    await nextTurn()
    // A new policy has the definition of the one before.
    const engine = known !== undefined && sameDefinition(known.row, row) ? known.engine : engineOf(row.definition, code)
    const state = snapshot === undefined ? null : await learntState(store, row, snapshot, engine)
    await nextTurn()
    const lastEpoch = snapshot === undefined || state === null ? null : (JSON.parse(snapshot.report) as EpochSummary)
    const host = createProblemHost({
      row,
      engine,
      state,
      lastEpoch,
      codec,
      stageOf: ({ definition }, { calibration }) => imputers.stage(name, definition, calibration !== null),
    })
    // Computed once and remembered.
    host.policyName()
    await nextTurn()
    const before = hosts.get(name)
    hosts.set(name, host)
    if (before !== undefined) {
      if (before.row.revision !== row.revision) earlier.keep(before)
      events.replaced(before, host)
    }
    earlier.revive(host)
    if (isFormer(host)) void relearn(host).catch(() => undefined)
    return host
  }

  /** Its policy was learnt in another way than it learns now: actions are equally likely until it is learnt again. */
  async function relearn({ row: { name, book } }: ProblemHost): Promise<void> {
    if (store.leads()) await store.commit([{ kind: 'relearn', problem: name, policy: book.policy }])
  }

  /** Loads once even when many callers ask, one load after the other: a slower one cannot undo a newer one. */
  function reload(name: string): Promise<ProblemHost | undefined> {
    const running = loading.get(name)
    if (running !== undefined) return running
    const started = load(name).finally(() => loading.delete(name))
    loading.set(name, started)
    return started
  }

  /** A load that runs now may be older than the last commit. */
  function reloadAfter(name: string): void {
    const running = loading.get(name) ?? Promise.resolve(undefined)
    running
      .catch(() => undefined)
      .then(() => reload(name))
      .catch((error: unknown) => {
        // Nobody tells of this change again.
        if (error instanceof StoreUnavailable && !closed) setTimeout(reloadAfter, RELOAD_AGAIN, name).unref()
      })
  }

  async function problem(name: string): Promise<ProblemHost> {
    const host = hosts.get(name) ?? (await reload(name))
    if (host === undefined) throw new ServiceError('unknown-problem', `no problem is called "${name}"`)
    return host
  }

  async function fresh(name: string): Promise<ProblemHost> {
    await (loading.get(name) ?? Promise.resolve())
    const host = await reload(name)
    if (host === undefined) throw new ServiceError('unknown-problem', `no problem is called "${name}"`)
    return host
  }

  async function upToDate(name: string): Promise<ProblemHost> {
    const host = await problem(name)
    return (await store.problem(name))?.revision === host.row.revision ? host : fresh(name)
  }

  store.onHeads((heads) => {
    for (const head of heads) {
      const host = hosts.get(head.name)
      const { row } = host ?? {}
      const same =
        row?.id === head.id &&
        row.revision === head.revision &&
        row.book.policy === head.policy &&
        row.version === head.version
      if (!same) reloadAfter(head.name)
      if ((head.ending !== null || head.look !== null) && store.leads()) learner.wake(head.name)
      events.changed(head)
    }
  })

  store.onLeader((leads) => {
    if (!leads) return
    for (const [name, host] of hosts) {
      if (isFormer(host)) void relearn(host).catch(() => undefined)
      learner.wake(name)
    }
  })

  /** Checked, with the fingerprints and versions of what it names. */
  async function prepared(given: ProblemDefinition, check: ImputerCheck) {
    await checkAside(given, code, modules)
    const definition = versionedDefinition(await imputers.prepare(given), code)
    const start = await checkAside(definition, code, modules)
    const warnings = check === 'none' ? [] : await imputers.trial(definition)
    if (check === 'refuse' && warnings.length > 0) throw new PrimoError('invalid-problem', warnings.join('; '))
    return { definition, start, warnings }
  }

  async function plan(name: string, given: ProblemDefinition, renew: boolean, check: ImputerCheck = 'none') {
    try {
      const { definition, warnings } = await prepared(given, check)
      return { ...changeOf(await store.problem(name), definition, renew), warnings }
    } finally {
      await imputers.settle()
    }
  }

  async function define(
    name: string,
    given: ProblemDefinition,
    renew: boolean,
    by: string | null = null,
    check: ImputerCheck = 'none',
  ) {
    const { definition, start, warnings } = await prepared(given, check)
    const seed = definition.learning?.seed ?? randomInt(2 ** 48 - 1)
    const outcome = await settle({ kind: 'define', problem: name, definition, seed, renew, start, by }).finally(() =>
      fresh(name)
        .catch(() => undefined)
        .finally(imputers.settle),
    )
    return { change: (outcome as { defined: Defined }).defined, warnings }
  }

  async function settle(command: Command): Promise<Exclude<Outcome, Refused>> {
    const [outcome] = await store.commit([command])
    if ('error' in outcome!) throw new ServiceError(outcome.error, outcome.detail)
    return outcome as Exclude<Outcome, Refused>
  }

  const candidates = createCandidates({ store, code, settle, prepared: (given) => prepared(given, 'none') })

  async function confirmClock(by: string | null = null): Promise<void> {
    const rows = await store.problems()
    await store.commit(rows.map(({ name }) => ({ kind: 'operate', problem: name, operation: 'confirm-clock', by })))
  }

  async function tick(): Promise<void> {
    if (!store.leads()) return
    if ((store.clock.hold()?.lasted ?? 0) >= STEADY) await confirmClock()
    const damaged = store.damage().map(({ problem }) => problem)
    const failures: unknown[] = []
    for (const { row } of hosts.values()) {
      if (damaged.includes(row.name) || damaged.includes(null)) continue
      // Nothing but retention goes on.
      if (row.retired !== null && row.definition.retention === undefined) continue
      // One problem's failure must not keep the windows of the others open.
      await tickOne(row).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  async function tickOne({ name, book, definition }: ProblemRow): Promise<void> {
    const watched = book.watch !== undefined && definition.guardrails !== undefined
    const [looked] = await Promise.allSettled([watched ? candidates.watch(name) : undefined])
    let more = true
    while (more && !closed) more = ((await settle({ kind: 'tick', problem: name })) as { more?: boolean }).more ?? false
    if (looked.status === 'rejected') throw looked.reason
  }

  async function purge(name: string): Promise<{ readonly erased: boolean }> {
    const row = await store.problem(name)
    await settle({ kind: 'purge', problem: name })
    hosts.delete(name)
    if (row !== undefined) learner.forget(row.id)
    return { erased: await store.erase(false) }
  }

  for (const row of await store.problems()) {
    // A problem that cannot be loaded is damaged: whoever asks for it is told. One that was retired may have lost its code.
    await reload(row.name).catch((error: unknown) => {
      if (!(error instanceof StoreDamaged || row.retired !== null)) throw error
    })
    const waits = row.book.ending !== null || (row.book.candidate?.due ?? null) !== null
    if (waits && row.retired === null && store.leads()) learner.wake(row.name)
  }
  const relearnt = [...hosts.values()].filter(isFormer).map(({ row }) => row.name)
  let ticking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    timer = setTimeout(() => {
      ticking = tick()
        .catch(() => undefined)
        .finally(() => {
          if (!closed) schedule()
        })
    }, tickEvery)
  }
  if (tickEvery > 0) schedule()

  return {
    store,
    codec,
    code,
    learner,
    names: () => [...hosts.keys()],
    live: () => [...hosts.values()],
    relearnt,
    failingImputers: imputers.failing,
    problem,
    fresh,
    upToDate,
    decide: createDecide({ store, clock, problem, fresh, upToDate, decided: events.decided }),
    upload: createUpload({ store, clock, problem, fresh, upToDate, codec, earlier, decided: events.decided }),
    define,
    plan,
    candidates,
    settle,
    settleAll: (commands) => store.commit(commands),
    tick,
    confirmClock,
    forget: (name, subject, by) => forgetSubject(store, learner, name, subject, by),
    purge,
    close: async () => {
      closed = true
      clearTimeout(timer)
      await ticking
      await learner.close()
      await imputers.close()
    },
  }
}

/** There is a policy, and its state was not read. */
function isFormer({ row: { book, retired }, state }: ProblemHost): boolean {
  return retired === null && book.policy !== 0 && state.version === 0
}

function sameDefinition(a: ProblemRow, b: ProblemRow): boolean {
  return a.created === b.created && a.id === b.id && a.version === b.version && a.revision === b.revision
}
