// The demo: the service on an embedded store, its problems, simulated clients and shadow baselines, until a number of rounds is
// decided or someone stops it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Comparison } from '@primo/contract'
import { type Service, startService } from '@primo/service'
import { pageFolder } from '../page-folder.js'
import { readEarlier, runClients } from './clients.js'
import { type Compare, createCompare } from './comparison.js'
import { type DemoProblem, definitionOf, demoProblems, HOLDOUT, scenarioOf, streamOf } from './demo-problem.js'
import { LiveErrors } from './live-errors.js'
import { LiveRegret } from './live-regret.js'
import { type ShadowBaselines, startShadowBaselines } from './shadow-baselines.js'

export interface DemoOptions {
  /** Folder of the store. */
  readonly data: string
  readonly fresh: boolean
  readonly host: string
  readonly port: number
  readonly seed: number
  /** Decisions per second and problem at first; slower after a while. */
  readonly pace: number
  /** Decisions of each problem in this run, as fast as they go; absent: until stopped. */
  readonly rounds?: number
  readonly signal: AbortSignal
  readonly onReady: (ready: { readonly url: string; readonly continued: number }) => void
  readonly onComparisons: (comparisons: readonly Comparison[]) => void
}

/** Quick while there is something to see, then slowly, so that a demo left alone does not fill the disk. */
const SLOW = 20
const QUICK_ROUNDS = 20_000
const PORTS_TRIED = 50

interface Running {
  readonly shadowBaselines: ShadowBaselines
  /** Decisions of an earlier run. */
  readonly continued: number
  /** Null until the earlier run's log is read. */
  readonly compare: () => Compare | null
  readonly work: Promise<void>
}

export async function runDemo(options: DemoOptions): Promise<readonly Comparison[]> {
  const { data, signal } = options
  if (options.fresh) rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  const seed = keptSeed(data, options.seed)
  let running: Running[] = []
  const comparisons = () =>
    running.flatMap(({ compare, shadowBaselines }) => compare()?.at(shadowBaselines.run()) ?? [])
  const service = await startOnFreePort(options, () => ({ problems: comparisons() }))
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop, { once: true })
  try {
    running = await Promise.all(
      demoProblems.map((problem) => startProblem(problem, service, seed, options, stopping.signal)),
    )
    const continued = Math.max(...running.map((one) => one.continued))
    options.onReady({ url: service.url, continued })
    const timer = setInterval(() => options.onComparisons(comparisons()), 1000)
    try {
      await Promise.all(running.map(({ work }) => work))
    } finally {
      clearInterval(timer)
    }
    await Promise.all(
      running.map(({ shadowBaselines, compare }) =>
        signal.aborted ? undefined : shadowBaselines.reach(compare()?.decided() ?? 0),
      ),
    )
    return comparisons()
  } finally {
    stop()
    await Promise.allSettled(running.map(({ work }) => work))
    await Promise.all(running.map(({ shadowBaselines }) => shadowBaselines.close()))
    await service.close()
  }
}

async function startProblem(
  problem: DemoProblem,
  service: Service,
  seed: number,
  { rounds, pace, data }: DemoOptions,
  signal: AbortSignal,
): Promise<Running> {
  const stream = streamOf(problem, seed)
  await service.host.define(problem.name, definitionOf(problem, stream, seed), false)
  const earlier = await decidedBefore(service, problem)
  const shadowBaselines = startShadowBaselines({
    scenario: scenarioOf(problem),
    seed,
    holdout: { action: problem.baseline, share: HOLDOUT },
  })
  const errors = new LiveErrors()
  let compare: Compare | null = null

  async function work(): Promise<void> {
    const live = new LiveRegret(join(data, `${problem.name}.regret`))
    const whole = live.restore(earlier)
    const unfinished = whole ? [] : await readEarlier(service.url, problem, stream, live, signal)
    live.save()
    const first = live.rounds
    const began = performance.now()
    compare = createCompare({
      problem,
      covariate: stream.covariate,
      span: stream.span,
      live,
      errors,
      elapsed: () => (performance.now() - began) / 1000,
    })
    const paceAt = (decided: number) => {
      // The shadow baselines stay ahead: ask for more once half of what they have done is decided.
      void shadowBaselines.reach(Math.ceil(1.5 * decided)).catch(() => undefined)
      if (rounds !== undefined) return Number.POSITIVE_INFINITY
      return decided - first < QUICK_ROUNDS ? problem.haste * pace : Math.min(pace, SLOW)
    }
    const until = rounds === undefined ? Number.POSITIVE_INFINITY : first + rounds
    const fitting = async () => (await service.store.problem(problem.name))!.book.ending !== null
    await runClients(
      { url: service.url, problem, stream, seed, live, errors, fitting, pace: paceAt, until, signal },
      unfinished,
    )
  }

  return {
    shadowBaselines,
    continued: earlier,
    compare: () => compare,
    work: work().catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
  }
}

/** Rounds of the stream that an earlier run decided; others may have decided on the demo's problems as well. */
async function decidedBefore({ store }: Service, { name }: DemoProblem): Promise<number> {
  const row = (await store.problem(name))!
  let [least, most] = [0, row.book.tally.decisions]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if ((await store.decision(row.id, `${name}-${middle}`)) === undefined) most = middle - 1
    else least = middle
  }
  return least
}

/** A store goes on with the stream that it was begun with. */
function keptSeed(data: string, seed: number): number {
  const path = join(data, 'demo.json')
  if (existsSync(path)) return (JSON.parse(readFileSync(path, 'utf8')) as { seed: number }).seed
  writeFileSync(path, `${JSON.stringify({ seed })}\n`)
  return seed
}

async function startOnFreePort(
  { data, host, port: wanted }: DemoOptions,
  comparison: () => { problems: Comparison[] },
): Promise<Service> {
  for (let port = wanted; ; port++) {
    if (port !== 0 && port < wanted + PORTS_TRIED && !(await isFree(host, port))) continue
    try {
      return await startService({
        store: `sqlite:${join(data, 'demo.db')}`,
        host,
        port,
        logLevel: 'error',
        page: pageFolder(),
        comparison,
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= wanted + PORTS_TRIED) throw error
    }
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host, port }, () => probe.close(() => resolve(true)))
  })
}
