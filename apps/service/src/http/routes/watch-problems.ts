// A stream of server-sent events about some problems: a summary when one has changed, at most twice a second each, and a word when a
// policy goes live. Where the caller takes it the stream is compressed: one summary is much like the one before.

import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { Host } from '../../host/host.js'
import { summarize } from '../../reports/summary.js'
import type { Events } from './events.js'

const PAUSE = 500
const HEARTBEAT = 15_000
/** About 50 kB a stream. */
const SMALL = { level: 1, windowBits: 13, memLevel: 5, flush: constants.Z_SYNC_FLUSH }

export interface Watch {
  readonly host: Host
  readonly events: Events
  readonly problems: readonly string[]
  /** Whose headers are sent. */
  readonly response: ServerResponse
  readonly compressed: boolean
  readonly onClose: () => void
}

/** Resolves when the first summaries are sent; goes on until the caller leaves. */
export async function watchProblems({ host, events, problems, response, compressed, onClose }: Watch): Promise<void> {
  const out: Writable = compressed ? createGzip(SMALL) : response
  if (out !== response) out.pipe(response)
  const send = (event: string, data: unknown) => out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const changed = new Set(problems)
  let sending = false

  async function flush(): Promise<void> {
    if (changed.size === 0 || sending || out.writableNeedDrain) return
    sending = true
    const now = [...changed]
    changed.clear()
    for (const problem of now) {
      try {
        const live = await host.problem(problem)
        send('summary', summarize((await host.store.problem(problem))!, live, host.store.clock.hold()))
      } catch {
        changed.add(problem)
      }
    }
    sending = false
  }

  const timer = setInterval(() => void flush(), PAUSE)
  const heart = setInterval(() => out.write(': still here\n\n'), HEARTBEAT)
  const forget = problems.map((problem) =>
    events.watch(problem, {
      changed: () => void changed.add(problem),
      published: (version) => send('policy', { problem, version }),
      close: () => out.end(),
    }),
  )
  response.on('close', () => {
    clearInterval(timer)
    clearInterval(heart)
    for (const stop of forget) stop()
    if (out !== response) out.destroy()
    onClose()
  })
  await flush()
}
