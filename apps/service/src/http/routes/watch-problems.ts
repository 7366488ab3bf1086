// The events of a stream about some problems: a summary when one has changed, at most twice a second each, and an event
// when a policy goes live.

import type { Host } from '../../host/host.js'
import { summarize } from '../../reports/summary.js'
import type { Events } from './events.js'
import type { EventStream } from './open-stream.js'

const PAUSE = 500

export interface Watch {
  readonly host: Host
  readonly events: Events
  readonly problems: readonly string[]
}

/** Resolves when the first summaries are sent; goes on until the caller leaves. `open` calls its argument then. */
export async function watchProblems(
  { host, events, problems }: Watch,
  open: (onEnd: () => void) => EventStream,
): Promise<void> {
  const stream = open(() => {
    clearInterval(timer)
    for (const stop of forget) stop()
  })
  const changed = new Set(problems)
  let sending = false

  async function flush(): Promise<void> {
    if (changed.size === 0 || sending || stream.isFull()) return
    sending = true
    const now = [...changed]
    changed.clear()
    for (const problem of now) {
      try {
        const live = await host.problem(problem)
        stream.send('summary', summarize((await host.store.problem(problem))!, live, host.store.clock.hold()))
      } catch {
        changed.add(problem)
      }
    }
    sending = false
  }

  const timer = setInterval(() => void flush(), PAUSE)
  const forget = problems.map((problem) =>
    events.watch(problem, {
      changed: () => void changed.add(problem),
      published: (version) => stream.send('policy', { problem, version }),
      close: stream.end,
    }),
  )
  await flush()
}
