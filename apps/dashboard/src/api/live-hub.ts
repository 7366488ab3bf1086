// One stream of events for many listeners (the tabs of a browser): per key, about all problems that any of them wants. Who comes later
// is told at once what was said last.

import { listen } from './event-stream.js'
import { answered } from './service.js'

/** What a listener wants; no problem: it wants nothing now. */
export interface Wish {
  /** Where the service is. */
  readonly base: string
  readonly key: string
  readonly problems: readonly string[]
}

export type Told =
  | { readonly kind: 'event'; readonly event: string; readonly data: unknown; readonly problem: string }
  | { readonly kind: 'state'; readonly state: 'open' | 'broken'; readonly why: string }

export interface Listener {
  readonly wish: (wish: Wish) => void
  readonly leave: () => void
}

interface Listening {
  readonly tell: (told: Told) => void
  wish: Wish | null
}

interface Stream {
  readonly wanted: string
  readonly stop: () => void
  readonly last: Map<string, Told>
  state: Told | null
}

/** Listeners come and go in quick turns: one change of the stream for all of them. */
const SETTLE = 30

export function createHub(): (tell: (told: Told) => void) => Listener {
  const listeners = new Set<Listening>()
  const streams = new Map<string, Stream>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const streamOf = ({ base, key }: Wish) => JSON.stringify([base, key])
  const wanting = (stream: string) =>
    [...listeners].filter(({ wish }) => wish !== null && wish.problems.length > 0 && streamOf(wish) === stream)

  function begin(name: string, problems: readonly string[]): void {
    const [base, key] = JSON.parse(name) as [string, string]
    const path = `v1/events?problems=${problems.map(encodeURIComponent).join(',')}`
    const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
    const pass = (told: Told) => {
      for (const { wish, tell } of wanting(name))
        if (told.kind === 'state' || wish!.problems.includes(told.problem)) tell(told)
    }
    const stream: Stream = {
      wanted: problems.join(),
      last: new Map(),
      state: null,
      stop: listen((signal) => answered(new URL(path, base), { headers, signal }), {
        onEvent: (event, data) => {
          const { problem } = data as { problem: string }
          const told: Told = { kind: 'event', event, data, problem }
          if (event === 'summary') stream.last.set(problem, told)
          pass(told)
        },
        onState: (state, why = '') => {
          stream.state = { kind: 'state', state, why }
          pass(stream.state)
        },
      }),
    }
    streams.set(name, stream)
  }

  function settle(): void {
    for (const [name, stream] of streams) {
      if (wanting(name).length > 0) continue
      stream.stop()
      streams.delete(name)
    }
    const names = new Set([...listeners].flatMap(({ wish }) => (wish === null ? [] : [streamOf(wish)])))
    for (const name of names) {
      const problems = [...new Set(wanting(name).flatMap(({ wish }) => wish!.problems))].sort()
      const before = streams.get(name)
      if (problems.length === 0 || before?.wanted === problems.join()) continue
      before?.stop()
      begin(name, problems)
    }
  }

  function settleSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(settle, SETTLE)
  }

  return (tell) => {
    const listening: Listening = { tell, wish: null }
    listeners.add(listening)
    return {
      wish: (wish) => {
        listening.wish = wish
        const stream = streams.get(streamOf(wish))
        if (stream?.state != null) tell(stream.state)
        for (const problem of wish.problems) {
          const last = stream?.last.get(problem)
          if (last !== undefined) tell(last)
        }
        settleSoon()
      },
      leave: () => {
        listeners.delete(listening)
        settleSoon()
      },
    }
  }
}
