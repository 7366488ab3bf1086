// Data that a view shows: loaded, loaded again when asked, the last value kept while the next one is on its way.

import { useCallback, useEffect, useRef, useState } from 'react'
import { ServiceFailure } from './service.js'

export interface Resource<T> {
  readonly value: T | null
  /** What went wrong last; the old value stays. */
  readonly failure: ServiceFailure | null
  readonly reload: () => void
}

/** `key` names what is loaded: another key begins anew. `every`: loaded again after so many milliseconds. */
export function useResource<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every = 0): Resource<T> {
  const [state, setState] = useState<{ key: string; value: T | null; failure: ServiceFailure | null }>({
    key,
    value: null,
    failure: null,
  })
  const loader = useRef(load)
  loader.current = load
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a wish to load again
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async () => {
      try {
        const value = await loader.current(stop.signal)
        if (!stop.signal.aborted) setState({ key, value, failure: null })
      } catch (error) {
        if (stop.signal.aborted) return
        const failure = error instanceof ServiceFailure ? error : new ServiceFailure(String(error), 'internal')
        setState((before) => ({ key, value: before.key === key ? before.value : null, failure }))
      }
      if (every > 0 && !stop.signal.aborted) timer = setTimeout(run, document.hidden ? 4 * every : every)
    }
    void run()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [key, every, turn])
  const reload = useCallback(() => setTurn((count) => count + 1), [])
  return { value: state.key === key ? state.value : null, failure: state.key === key ? state.failure : null, reload }
}
