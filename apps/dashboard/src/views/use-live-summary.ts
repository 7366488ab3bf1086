// A problem's summary as it changes: server-sent events, and a word whenever a policy goes live.

import type { ProblemSummary } from '@primo/contract'
import { useEffect, useState } from 'react'
import { listen } from '../api/event-stream.js'
import { problemPath } from '../api/service.js'

export interface LiveSummary {
  readonly summary: ProblemSummary | null
  readonly connected: boolean
  readonly why: string
  /** Rises with every policy that goes live. */
  readonly policies: number
}

export function useLiveSummary(problem: string, turn: number): LiveSummary {
  const [live, setLive] = useState<LiveSummary>({ summary: null, connected: false, why: '', policies: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a wish to connect again
  useEffect(() => {
    setLive((before) => ({ ...before, summary: before.summary?.problem === problem ? before.summary : null }))
    return listen(problemPath(problem, '/events'), {
      onEvent: (event, data) =>
        setLive((before) =>
          event === 'summary'
            ? { ...before, summary: data as ProblemSummary, connected: true }
            : { ...before, policies: before.policies + 1 },
        ),
      onState: (state, why = '') => setLive((before) => ({ ...before, connected: state === 'open', why })),
    })
  }, [problem, turn])
  return live
}
