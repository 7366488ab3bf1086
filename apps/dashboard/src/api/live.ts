// Being told how problems change. All tabs of a browser share one stream (a shared worker; where there is none, one per tab). A tab that
// nobody sees asks for nothing.

import { createHub, type Listener, type Told, type Wish } from './live-hub.js'
import type { ToWorker } from './live-worker.js'
import { storedKey } from './service.js'

export type { Told } from './live-hub.js'

const STILL_HERE = 20_000

const watched = new Map<(told: Told) => void, string>()
let connection: Listener | null = null

function tellAll(told: Told): void {
  for (const [tell, problem] of watched) if (told.kind === 'state' || told.problem === problem) tell(told)
}

function connect(): Listener {
  if (typeof SharedWorker === 'undefined') return createHub()(tellAll)
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'primo-live' })
  const { port } = worker
  const post = (message: ToWorker) => port.postMessage(message)
  port.onmessage = ({ data }: MessageEvent<Told>) => tellAll(data)
  // Such workers may be forbidden here, or not understood.
  worker.onerror = () => {
    connection = createHub()(tellAll)
    wish()
  }
  return { wish: post, leave: () => post('leave') }
}

function wish(problems: readonly string[] = document.hidden ? [] : [...new Set(watched.values())]): void {
  connection ??= connect()
  // Relative: the service may be under a path of a proxy.
  connection.wish({ base: new URL('./', location.href).href, key: storedKey(), problems } satisfies Wish)
}

let begun = false
function begin(): void {
  if (begun) return
  begun = true
  document.addEventListener('visibilitychange', () => wish())
  addEventListener('pagehide', () => wish([]))
  addEventListener('pageshow', () => wish())
  setInterval(() => {
    if (!document.hidden && watched.size > 0) wish()
  }, STILL_HERE)
}

/** Tells of one problem until the returned function is called. */
export function watch(problem: string, tell: (told: Told) => void): () => void {
  begin()
  watched.set(tell, problem)
  wish()
  return () => {
    watched.delete(tell)
    wish()
  }
}
