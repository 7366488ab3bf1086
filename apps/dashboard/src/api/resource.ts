// Data that views show: loaded, loaded again when asked or from time to time, the last value kept while the next one is on its way.
// Views that name the same data share it, and one that comes back finds it.

import { useCallback, useSyncExternalStore } from 'react'
import { ServiceFailure } from './service.js'

export interface Resource<T> {
  readonly value: T | null
  /** What went wrong last; the old value stays. */
  readonly failure: ServiceFailure | null
  readonly reload: () => void
}

type Load<T> = (signal: AbortSignal, before: T | null) => Promise<T>

interface Shown<T> {
  readonly value: T | null
  readonly failure: ServiceFailure | null
}

/** Milliseconds until what failed is tried again, and until what nobody shows is forgotten. */
const RETRY = 2000
const KEPT = 60_000
/** How much more seldom a page asks that nobody sees. */
const HIDDEN = 6

/** One piece of data and those who show it. */
export class Entry<T> {
  shown: Shown<T> = { value: null, failure: null }
  load: Load<T> | null = null
  readonly #users = new Map<() => void, number>()
  #stop: AbortController | null = null
  /** Until it is loaded again, or forgotten where nobody shows it. */
  #timer: ReturnType<typeof setTimeout> | undefined
  #loading = false

  join(user: () => void, every: number, forget: () => void): () => void {
    begin()
    this.#users.set(user, every)
    if (this.#stop === null) void this.run()
    // It may want it more often than those before.
    else if (!this.#loading) this.#runLater()
    return () => {
      this.#users.delete(user)
      if (this.#users.size > 0) return
      this.#stop?.abort()
      this.#stop = null
      this.#loading = false
      clearTimeout(this.#timer)
      this.#timer = setTimeout(forget, KEPT)
    }
  }

  get used(): boolean {
    return this.#users.size > 0
  }

  async run(): Promise<void> {
    this.#stop?.abort()
    clearTimeout(this.#timer)
    const stop = new AbortController()
    this.#stop = stop
    this.#loading = true
    try {
      const value = await this.load!(stop.signal, this.shown.value)
      if (stop.signal.aborted) return
      this.#show({ value, failure: null })
    } catch (error) {
      if (stop.signal.aborted) return
      const failure = error instanceof ServiceFailure ? error : new ServiceFailure(String(error), 'internal')
      this.#show({ value: this.shown.value, failure })
    }
    this.#loading = false
    this.#runLater()
  }

  #runLater(): void {
    clearTimeout(this.#timer)
    const every = Math.min(...[...this.#users.values()].filter((one) => one > 0))
    const again = this.shown.failure?.passing ? Math.min(RETRY, every) : every
    if (Number.isFinite(again))
      this.#timer = setTimeout(() => void this.run(), document.hidden ? HIDDEN * again : again)
  }

  #show(shown: Shown<T>): void {
    this.shown = shown
    for (const user of this.#users.keys()) user()
  }
}

const entries = new Map<string, Entry<unknown>>()

function entryOf<T>(key: string): Entry<T> {
  const entry = entries.get(key) ?? new Entry()
  entries.set(key, entry)
  return entry as Entry<T>
}

/** Everything that is shown is asked for again: the service came back, or the page is seen again. */
export function reloadAll(): void {
  for (const [key, entry] of entries) {
    if (entry.used) void entry.run()
    else entries.delete(key)
  }
}

let begun = false
function begin(): void {
  if (begun) return
  begun = true
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) reloadAll()
  })
}

/** `key` names what is loaded: another key begins anew. `every`: loaded again after so many milliseconds. */
export function useResource<T>(key: string, load: Load<T>, every = 0): Resource<T> {
  const entry = entryOf<T>(key)
  entry.load = load
  const subscribe = useCallback(
    (user: () => void) => entry.join(user, every, () => entries.delete(key)),
    [entry, key, every],
  )
  const { value, failure } = useSyncExternalStore(subscribe, () => entry.shown)
  const reload = useCallback(() => void entry.run(), [entry])
  return { value, failure, reload }
}
