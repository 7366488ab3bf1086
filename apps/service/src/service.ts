// The service: store, host and HTTP put together, started and stopped as one.

import { hostname } from 'node:os'
import type { Comparisons } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { addressOf, checkConfig, defaults } from './config.js'
import { type Host, startHost } from './host/host.js'
import { type KeyRing, openKeyRing } from './http/key-ring.js'
import { watchRequests } from './http/requests-under-way.js'
import { createEvents } from './http/routes/events.js'
import { buildServer } from './http/server.js'
import { codeModules } from './learning/code-modules.js'
import { SOFTWARE } from './learning/software.js'
import type { ClockHold } from './ledger/clock.js'
import type { Decide } from './ledger/commands.js'
import type { Store } from './ledger/store.js'
import type { Damage } from './ledger/store-damaged.js'
import { createMetrics } from './metrics.js'
import { clockWarning } from './reports/clock-warning.js'
import { createReader } from './reports/reader.js'
import type { Config } from './settings.js'
import { openStore, type StoreOptions } from './store/open-store.js'
import { createOtlpExporter, type OtlpExporter } from './tracing/otlp-exporter.js'
import { otlpSettings } from './tracing/otlp-settings.js'
import { createTracer } from './tracing/tracer.js'
import { cloudEvent } from './webhooks/cloud-event.js'
import { createDelivery } from './webhooks/delivery.js'
import { createNotices } from './webhooks/notices.js'

/** Settings of a service beyond those of its configuration. */
export interface ServiceOptions extends Partial<Config> {
  readonly storeOptions?: StoreOptions
  /** Milliseconds between ticks; 0: only when asked. */
  readonly tickEvery?: number
  /** Milliseconds before a failed fit is tried again. */
  readonly retryAfter?: number
  /** Milliseconds after which an export or a stream that its client does not read is ended; default one minute. */
  readonly stalledAfter?: number
  /** Folder of the built page, served at /; absent: no page. */
  readonly page?: string
  /** Live problems beside their shadow baselines, where a demo knows the truth; the page shows it. */
  readonly comparison?: () => Comparisons
}

/** A service that is running. */
export interface Service {
  readonly url: string
  readonly config: Config
  readonly keys: KeyRing
  readonly host: Host
  readonly store: Store
  readonly server: FastifyInstance
  /** Refuses new work, finishes and writes the requests under way, closes. */
  readonly close: () => Promise<void>
}

/** Milliseconds in which connections end by themselves once all is answered. */
const LAST_WORDS = 200

/**
 * Starts a service; it answers when the promise resolves.
 * @example
 * const service = await startService({ store: 'sqlite:primo.db', port: 8642 })
 * await service.close()
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { storeOptions = {}, tickEvery, retryAfter, stalledAfter = 60_000, page, comparison, ...given } = options
  const config: Config = { ...defaults, ...given }
  const store = await openStore(config.store, { decideDamaged: config.decideDamaged, ...storeOptions })
  const spec = store.readerSpec()
  const reader = createReader(spec)
  let stopping = false
  let host: Host | null = null
  let keys: KeyRing | null = null
  let exporter: OtlpExporter | null = null
  let closeWebhooks: () => Promise<void> = async () => undefined
  let server: FastifyInstance | null = null
  try {
    const ring = await openKeyRing(store, config.keys, storeOptions.clock)
    keys = ring
    checkConfig(config, ring.keyed())
    const events = createEvents()
    // Host, metrics and server call each other; the first fit may be done before the server exists.
    const metrics = createMetrics({
      queued: store.metrics.queued,
      fits: () => host?.learner.waiting() ?? 0,
      clock: store.clock,
      damaged: () => store.damage().length,
      leads: store.leads,
      failingImputers: () => host?.failingImputers() ?? 0,
      problems: () => host?.live().map(({ row: { name, book } }) => ({ name, ...book })) ?? [],
      version: SOFTWARE,
      store: store.kind,
      file: spec.kind === 'sqlite' ? spec.path : null,
    })
    if (config.otlp !== null)
      exporter = createOtlpExporter(otlpSettings(config.otlp, SOFTWARE, process.env), (result, spans) =>
        metrics.spans.inc({ result }, spans),
      )
    const tracer = exporter === null ? null : createTracer(config.traceRatio, exporter.add)
    const webhooks = config.webhook.map((address) =>
      createDelivery(address, {
        secret: config.webhookSecret,
        count: (result, why) => {
          metrics.webhooks.inc({ result })
          if (why !== undefined) server?.log.warn({ webhook: new URL(address).host, result, why }, 'webhook')
        },
      }),
    )
    closeWebhooks = async () => void (await Promise.all(webhooks.map((delivery) => delivery.close())))
    const notices = createNotices((type, problem, data) => {
      const event = cloudEvent(`urn:primo:${hostname()}`, type, problem, data)
      for (const delivery of webhooks) delivery.send(event)
    }, store.leads)
    const tellDamage = (damage: Damage) => {
      server?.log.error({ ...damage }, 'the store is damaged')
      notices.damaged(damage)
    }
    store.onDamage(tellDamage)
    const tellClock = (hold: ClockHold | null) => {
      notices.clock(hold === null ? null : clockWarning(hold))
      if (hold === null) server?.log.info('the clock is taken for right again')
      else server?.log.warn({ ...hold }, clockWarning(hold))
    }
    store.clock.onChange(tellClock)
    store.metrics.onCommit(({ commit, commands }) => {
      metrics.commits.observe(commit)
      metrics.batches.observe(commands)
    })
    const closedBefore = new Map<string, number>()
    const started = await startHost({
      store,
      ...(tickEvery === undefined ? {} : { tickEvery }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(storeOptions.clock === undefined ? {} : { clock: storeOptions.clock }),
      code: codeModules(config.use),
      imputers: {
        models: config.models,
        hosts: config.imputerHosts,
        environment: process.env,
        onCall: (kind, seconds, failure) => {
          metrics.imputerCalls.observe({ kind, result: failure === null ? 'answered' : 'failed' }, seconds)
          if (failure !== null) server?.log.debug({ kind, failure }, 'imputer failed')
        },
        onTurn: notices.imputerTurned,
      },
      events: {
        decided: (problem, commands) => {
          metrics.decisions.inc({ problem }, commands.length)
          const uses = new Map<Decide['covariates'], number>()
          for (const { covariates } of commands) uses.set(covariates, (uses.get(covariates) ?? 0) + 1)
          for (const [covariates, count] of uses)
            for (const [covariate, { source }] of Object.entries(covariates))
              metrics.sources.inc({ problem, covariate, rung: source }, count)
          for (const { clipped } of commands) for (const feature of clipped) metrics.clipped.inc({ problem, feature })
        },
        changed: (head) => {
          const before = closedBefore.get(head.name)
          closedBefore.set(head.name, head.closed)
          if (before !== undefined && head.closed > before)
            metrics.joins.inc({ problem: head.name }, head.closed - before)
          events.changed(head.name)
        },
        replaced: (before, now) => {
          const { name, book } = now.row
          if (book.policy !== before.row.book.policy) events.published(name, book.policy)
          if (now.row.revision !== before.row.revision) events.replaced(name)
          notices.replaced(before, now)
        },
        fitted: (problem, seconds) => {
          metrics.epochEnds.inc({ problem })
          metrics.fits.observe({ problem }, seconds.fitting)
          tracer?.record('fit', seconds.reading + seconds.fitting, { 'feature_flag.key': problem })
          notices.fitted(problem)
          server?.log.info({ problem, ...seconds }, 'epoch ended')
        },
        fitFailed: (problem, message, seconds) => {
          metrics.fitFailures.inc({ problem })
          tracer?.record('fit', seconds, { 'feature_flag.key': problem }, 'fit-failed')
          notices.fitFailed(problem, message)
          server?.log.error({ problem, message }, 'fit failed')
        },
      },
    })
    host = started
    const built = await buildServer({
      host: started,
      reader,
      config,
      keys: ring,
      metrics,
      events,
      tracer,
      stalledAfter,
      stopping: () => stopping,
      page,
      comparison,
    })
    server = built
    const underWay = watchRequests(built.server)
    if (config.confirmClock) await started.confirmClock()
    for (const damage of store.damage()) tellDamage(damage)
    for (const problem of started.relearnt)
      built.log.warn(
        { problem },
        'the policy was learnt in another way by another version: it is learnt again from the log',
      )
    const doubt = store.clock.hold()
    if (doubt !== null) tellClock(doubt)
    await built.listen({ host: config.host, port: config.port })
    const address = built.server.address()
    const port = typeof address === 'object' && address !== null ? address.port : config.port
    let closing: Promise<void> | null = null
    const close = async () => {
      stopping = true
      events.close()
      // Meanwhile others are answered that it is stopping.
      await underWay.answered(config.grace)
      // A browser holds connections without a request: they do not count as idle and would delay the close for a minute.
      const cut = setTimeout(() => built.server.closeAllConnections(), LAST_WORDS)
      await built.close()
      clearTimeout(cut)
      await reader.close()
      ring.close()
      await started.close()
      await Promise.all([exporter?.close(), closeWebhooks()])
      await store.close()
    }
    return {
      url: addressOf({ ...config, port }),
      config: { ...config, port },
      keys: ring,
      host: started,
      store,
      server: built,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    keys?.close()
    await server?.close()
    await reader.close()
    await host?.close()
    await Promise.all([exporter?.close(), closeWebhooks()])
    await store.close()
    throw error
  }
}
