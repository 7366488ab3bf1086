// Shadow baselines: other policies on the stream that the service decides. What they do is a function of the stream, so they run
// ahead in a thread, to the next power of two, and are shown as far as the service has come.

import { Worker } from 'node:worker_threads'
import type { PolicySpec, ScenarioSpec } from '@primo/lab'

/** The same learner as the live one, told something else in place of a missing value; and choosing at random. */
export const shadowBaselines = {
  uniform: { name: 'uniform', kind: 'uniform' },
  'zero-fill': {
    name: 'zero-fill',
    kind: 'engine',
    sees: 'world',
    options: { profile: 'robust', calibration: false, imputation: 'zero' },
  },
  uncorrected: {
    name: 'uncorrected',
    kind: 'engine',
    sees: 'world',
    options: { profile: 'robust', calibration: false },
  },
  'sees-all-values': { name: 'sees-all-values', kind: 'engine', sees: 'truth', options: { profile: 'robust' } },
} as const satisfies Readonly<Record<string, PolicySpec>>

export type ShadowBaseline = keyof typeof shadowBaselines

/** What the shadow baselines run on. */
export interface ShadowWork {
  readonly scenario: ScenarioSpec
  readonly seed: number
  readonly rounds: number
  /** They play this action in this share of the rounds, as the live service does. */
  readonly holdout: { readonly action: string; readonly share: number }
}

export interface ShadowBaselineRun {
  readonly rounds: number
  /** Cumulative regret after each round, in the reward's units. */
  readonly regret: Readonly<Record<ShadowBaseline, Float64Array>>
  readonly floor: Float64Array
  /** Rounds without the covariate, up to each. */
  readonly missing: Uint32Array
  readonly best: number
}

export interface ShadowBaselines {
  /** The newest run; null until the first is done. */
  readonly run: () => ShadowBaselineRun | null
  /** Asks for at least so many rounds; resolves when they are there. */
  readonly reach: (rounds: number) => Promise<void>
  readonly close: () => Promise<void>
}

const FIRST = 2 ** 11

export function startShadowBaselines(work: Omit<ShadowWork, 'rounds'>): ShadowBaselines {
  let run: ShadowBaselineRun | null = null
  let running: { readonly worker: Worker; readonly rounds: number; readonly done: Promise<void> } | null = null
  let closed = false

  function start(rounds: number): Promise<void> {
    const worker = new Worker(new URL('./shadow-baselines-thread.js', import.meta.url), {
      workerData: { ...work, rounds } satisfies ShadowWork,
    })
    const done = new Promise<void>((resolve, reject) => {
      worker.once('message', (message: ShadowBaselineRun) => {
        run = message
        running = null
        resolve()
      })
      worker.once('error', (error) => {
        running = null
        reject(error)
      })
      worker.once('exit', () => resolve())
    })
    running = { worker, rounds, done }
    return done
  }

  async function reach(rounds: number): Promise<void> {
    while (!closed && (run === null || run.rounds < rounds))
      await (running?.done ?? start(2 ** Math.ceil(Math.log2(Math.max(FIRST, rounds)))))
  }

  return {
    run: () => run,
    reach,
    close: async () => {
      closed = true
      await running?.worker.terminate()
    },
  }
}
