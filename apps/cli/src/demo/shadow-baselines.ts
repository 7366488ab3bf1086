// Shadow baselines: other policies on the stream that the service decides. What they do is a function of the stream, so they run
// ahead in a thread, to the next power of two, and are shown as far as the service has come.

import { Worker } from 'node:worker_threads'
import type { ScenarioSpec } from '@primo/lab'

export const shadowBaselineNames = ['uniform', 'zero-fill', 'primo', 'primo-cal', 'sees-all-values'] as const

export interface ShadowBaselineRun {
  readonly rounds: number
  /** Cumulative regret after each round, in the reward's units. */
  readonly regret: Readonly<Record<string, Float64Array>>
  readonly floor: Float64Array
  readonly errors: readonly { epoch: number; rounds: number; pretrained: number; calibrated: number }[]
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

export function startShadowBaselines(scenario: ScenarioSpec, seed: number): ShadowBaselines {
  let run: ShadowBaselineRun | null = null
  let running: { readonly worker: Worker; readonly rounds: number; readonly done: Promise<void> } | null = null
  let closed = false

  function start(rounds: number): Promise<void> {
    const worker = new Worker(new URL('./shadow-baselines-thread.js', import.meta.url), {
      workerData: { scenario, seed, rounds },
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
