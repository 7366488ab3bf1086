// A problem's summary as it changes: told by the stream while the page is seen, asked for now and then while it is not.

import type { ProblemSummary } from '@primo/contract'
import { useEffect, useState } from 'react'
import { watch } from './live.js'
import { reloadAll } from './resource.js'
import { get, problemPath } from './service.js'

export interface LiveSummary {
  readonly summary: ProblemSummary | null
  readonly connected: boolean
  readonly why: string
  /** Rises with every policy that goes live. */
  readonly policies: number
}

const HIDDEN_EVERY = 15_000

export function useLiveSummary(problem: string, turn: number): LiveSummary {
  const [live, setLive] = useState<LiveSummary>({ summary: null, connected: false, why: '', policies: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a wish to connect again
  useEffect(() => {
    setLive((before) => ({ ...before, summary: before.summary?.problem === problem ? before.summary : null }))
    let broken = false
    const poll = setInterval(() => {
      if (!document.hidden) return
      get<ProblemSummary>(problemPath(problem, '/summary')).then(
        (summary) => setLive((before) => ({ ...before, summary })),
        () => undefined,
      )
    }, HIDDEN_EVERY)
    const stop = watch(problem, (told) => {
      if (told.kind === 'state') {
        const connected = told.state === 'open'
        // What failed while the service was away is asked for again at once.
        if (connected && broken) reloadAll()
        broken = !connected
        setLive((before) => ({ ...before, connected, why: told.why }))
      } else if (told.event === 'summary')
        setLive((before) => ({ ...before, summary: told.data as ProblemSummary, connected: true }))
      else setLive((before) => ({ ...before, policies: before.policies + 1 }))
    })
    return () => {
      clearInterval(poll)
      stop()
    }
  }, [problem, turn])
  return live
}
