// Evaluations that were run in this browser, newest first, kept in it.

import type { Evaluation } from '@primo/contract'
import { useState } from 'react'
import type { EvaluationForm } from './evaluation-form.js'

export interface SavedRun {
  readonly at: number
  readonly form: EvaluationForm
  readonly evaluation: Evaluation
}

const MAX_RUNS = 10

const placeOf = (problem: string) => `primo-evaluations ${problem}`

function read(problem: string): readonly SavedRun[] {
  try {
    return JSON.parse(localStorage.getItem(placeOf(problem)) ?? '[]') as SavedRun[]
  } catch {
    return []
  }
}

export function useSavedRuns(
  problem: string,
): readonly [readonly SavedRun[], (run: SavedRun) => void, (at: number) => void] {
  const [runs, setRuns] = useState(() => read(problem))
  const keep = (next: readonly SavedRun[]) => {
    setRuns(next)
    try {
      localStorage.setItem(placeOf(problem), JSON.stringify(next))
    } catch {
      // The browser keeps no more: they are there until the page is left.
    }
  }
  return [runs, (run) => keep([run, ...runs].slice(0, MAX_RUNS)), (at) => keep(runs.filter((run) => run.at !== at))]
}
