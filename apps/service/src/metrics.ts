// What the service counts and times, for Prometheus: names begin with primo_, units are seconds and bytes.

import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from './ledger/clock.js'
import { processMetrics } from './process-metrics.js'

const FAST = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Where gauges look when they are asked. */
export interface MetricSources {
  /** Commands that wait for a group commit. */
  readonly queued: () => number
  /** Fits that run or wait. */
  readonly fits: () => number
  readonly clock: Pick<Clock, 'hold'>
  /** Findings of damage. */
  readonly damaged: () => number
  /** Whether this replica learns. */
  readonly leads: () => boolean
  /** Served models that keep failing. */
  readonly failingImputers: () => number
  readonly problems: () => readonly { readonly name: string; readonly frozen: boolean; readonly policy: number }[]
  readonly version: string
  readonly store: string
  /** The file of a SQLite store; null: the store is no file of ours. */
  readonly file: string | null
}

const NOTHING: MetricSources = {
  queued: () => 0,
  fits: () => 0,
  clock: { hold: () => null },
  damaged: () => 0,
  leads: () => true,
  failingImputers: () => 0,
  problems: () => [],
  version: 'unknown',
  store: 'none',
  file: null,
}

/** The service's counters and timers, for Prometheus. */
export function createMetrics(given: Partial<MetricSources> = {}) {
  const sources = { ...NOTHING, ...given }
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name: `primo_${name}`, help, labelNames: [...labelNames], registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[]) =>
    new Histogram<L>({ name: `primo_${name}`, help, buckets, labelNames: [...labelNames], registers })
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `primo_${name}`,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  const byProblem = (
    name: string,
    help: string,
    value: (one: ReturnType<MetricSources['problems']>[number]) => number,
  ) =>
    new Gauge({
      name: `primo_${name}`,
      help,
      labelNames: ['problem'],
      registers,
      collect() {
        this.reset()
        for (const problem of sources.problems()) this.set({ problem: problem.name }, value(problem))
      },
    })
  gauge('commit_queue', 'Commands that wait for a group commit.', sources.queued)
  gauge('fits_waiting', 'Fits that run or wait.', sources.fits)
  gauge('damaged', 'What was found damaged in the store since the start.', sources.damaged)
  gauge('leader', 'Whether this replica learns.', () => Number(sources.leads()))
  gauge('imputers_failing', 'Served models that keep failing and are left alone for a while.', sources.failingImputers)
  gauge('clock_held', 'Whether nothing is closed or removed because the clock is in doubt.', () =>
    Number(sources.clock.hold() !== null),
  )
  gauge(
    'clock_offset_seconds',
    'By how much the wall clock is ahead of the time in use, while it is in doubt.',
    () => (sources.clock.hold()?.offset ?? 0) / 1000,
  )
  byProblem('problem_frozen', 'Whether the policy of the problem is kept as it is.', ({ frozen }) => Number(frozen))
  byProblem('problem_policy_version', 'The policy that decides; 0: nothing was learnt yet.', ({ policy }) => policy)
  if (sources.file !== null) diskGauges(sources.file, registers)
  const { version, store } = sources
  new Gauge({
    name: 'primo_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'store'],
    registers,
  }).set({ version, node: process.versions.node, store }, 1)
  const own = {
    decisions: counter('decisions_total', 'Decisions logged.', ['problem']),
    rewards: counter('rewards_total', 'Rewards reported, by answer.', ['problem', 'status']),
    uploads: counter(
      'uploads_total',
      'Items that callers uploaded, by result: accepted, repeated or the code of the refusal.',
      ['problem', 'result'],
    ),
    joins: counter('joins_total', 'Rounds closed: decisions joined with their final reward.', ['problem']),
    sources: counter('imputer_rungs_total', 'Values of covariates, by where they came from.', [
      'problem',
      'covariate',
      'rung',
    ]),
    clipped: counter('clipped_values_total', 'Values outside their range that were clipped.', ['problem', 'feature']),
    imputerCalls: histogram('imputer_call_seconds', 'Time of a call of a served imputer, by kind and result.', FAST, [
      'kind',
      'result',
    ]),
    epochEnds: counter('epoch_ends_total', 'Ends of epochs that were learnt.', ['problem']),
    fitFailures: counter('fit_failures_total', 'Fits that failed.', ['problem']),
    errors: counter('errors_total', 'Requests refused, by code.', ['code']),
    requests: histogram('request_seconds', 'Time to answer, by route.', FAST, ['route', 'status']),
    commits: histogram('commit_seconds', 'Time of a group commit, the fsync included.', FAST, []),
    batches: histogram('commit_commands', 'Commands in a group commit.', [1, 2, 5, 10, 20, 50, 100, 500, 2000], []),
    spans: counter('spans_total', 'Spans of traces, by whether the collector took them.', ['result']),
    webhooks: counter('webhook_events_total', 'Events for webhooks, by what became of them.', ['result']),
    fits: histogram('fit_seconds', 'Time of a fit at the end of an epoch.', SLOW, ['problem']),
  }
  for (const result of ['exported', 'dropped']) own.spans.inc({ result }, 0)
  for (const result of ['delivered', 'failed', 'dropped']) own.webhooks.inc({ result }, 0)
  // Merging takes what is there: it comes last.
  return { ...own, registry: Registry.merge([registry, processMetrics()]) }
}

/** Bytes of the store's files, and of the disk they are on. */
function diskGauges(file: string, registers: Registry[]): void {
  const gauge = (name: string, help: string, value: () => Promise<number>) =>
    new Gauge({
      name: `primo_${name}`,
      help,
      registers,
      async collect() {
        this.set(await value().catch(() => Number.NaN))
      },
    })
  const disk = () => statfs(dirname(file))
  gauge('store_bytes', 'Size of the store, its log included.', async () => {
    const sizes = [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    return (await Promise.all(sizes)).reduce((a, b) => a + b, 0)
  })
  gauge('disk_free_bytes', 'Free space of the disk that the store is on.', () =>
    disk().then(({ bavail, bsize }) => bavail * bsize),
  )
  gauge('disk_size_bytes', 'Size of the disk that the store is on.', () =>
    disk().then(({ blocks, bsize }) => blocks * bsize),
  )
}

export type Metrics = ReturnType<typeof createMetrics>
