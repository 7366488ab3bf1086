// Runs the policies whenever the settings change; what was under way is stopped, and the curves of before stay as ghosts.

import { useEffect, useRef, useState } from 'react'
import type { PlayedCell } from './run-cells.js'
import type { Settings } from './world-settings.js'

export const SEEDS = 8
const RESTED = 250

export interface Progress {
  readonly settings: Settings
  readonly cells: readonly PlayedCell[]
  /** Of the settings before. */
  readonly ghosts: readonly PlayedCell[]
  readonly done: boolean
  readonly failure: string | null
}

export function usePlay(wanted: Settings): Progress {
  const settings = useRested(wanted)
  const [progress, setProgress] = useState<Progress>({ settings, cells: [], ghosts: [], done: false, failure: null })
  useEffect(() => {
    setProgress((before) => ({
      settings,
      cells: [],
      // Of another scenario or length they would say nothing.
      ghosts:
        before.settings.scenario === settings.scenario && before.settings.rounds === settings.rounds
          ? before.cells.length > 0
            ? before.cells
            : before.ghosts
          : [],
      done: false,
      failure: null,
    }))
    const workers = Array.from({ length: workerCount() }, () => startWorker())
    let running = workers.length
    workers.forEach((worker, k) => {
      worker.onmessage = ({ data }: MessageEvent<{ cell?: PlayedCell; done?: true; failure?: string }>) => {
        if (data.done === true) running--
        setProgress((before) => ({
          ...before,
          cells: data.cell === undefined ? before.cells : [...before.cells, data.cell],
          done: running === 0,
          failure: data.failure ?? before.failure,
        }))
      }
      const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1).filter((seed) => seed % workers.length === k)
      worker.postMessage({ settings, seeds })
    })
    return () => {
      for (const worker of workers) worker.terminate()
    }
  }, [settings])
  return progress
}

const startWorker = () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })

/** One core stays for the page. */
function workerCount(): number {
  return Math.max(1, Math.min(4, (navigator.hardwareConcurrency ?? 2) - 1))
}

/** The settings after the sliders have rested. */
function useRested(settings: Settings): Settings {
  const [rested, setRested] = useState(settings)
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    const timer = setTimeout(() => setRested(settings), RESTED)
    return () => clearTimeout(timer)
  }, [settings])
  return rested
}
