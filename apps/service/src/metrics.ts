// What the service counts and times, for Prometheus.

import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from './ledger/clock.js'

const FAST = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** The service's counters and timers, for Prometheus. */
export function createMetrics(
  queued: () => number,
  fits: () => number,
  clock: Pick<Clock, 'hold'> = { hold: () => null },
  damaged: () => number = () => 0,
) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name: `primo_${name}`, help, labelNames: [...labelNames], registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[]) =>
    new Histogram<L>({ name: `primo_${name}`, help, buckets, labelNames: [...labelNames], registers })
  new Gauge({
    name: 'primo_commit_queue',
    help: 'Commands that wait for a group commit.',
    registers,
    collect() {
      this.set(queued())
    },
  })
  new Gauge({
    name: 'primo_fits_waiting',
    help: 'Fits that run or wait.',
    registers,
    collect() {
      this.set(fits())
    },
  })
  new Gauge({
    name: 'primo_damaged',
    help: 'What was found damaged in the store since the start.',
    registers,
    collect() {
      this.set(damaged())
    },
  })
  new Gauge({
    name: 'primo_clock_held',
    help: 'Whether nothing is closed or removed because the clock is in doubt.',
    registers,
    collect() {
      this.set(clock.hold() === null ? 0 : 1)
    },
  })
  new Gauge({
    name: 'primo_clock_offset_seconds',
    help: 'By how much the wall clock is ahead of the time in use, while it is in doubt.',
    registers,
    collect() {
      this.set((clock.hold()?.offset ?? 0) / 1000)
    },
  })
  new Gauge({
    name: 'primo_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  return {
    registry,
    decisions: counter('decisions_total', 'Decisions logged.', ['problem']),
    rewards: counter('rewards_total', 'Rewards reported, by answer.', ['problem', 'status']),
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
    fits: histogram('fit_seconds', 'Time of a fit at the end of an epoch.', SLOW, ['problem']),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
