// The decisions that pass a filter, newest first, loaded part by part as the reader scrolls. A part has few where the filter is rare: then
// the next ones are asked for, until there is enough to see, nothing is left, or looking has taken a while.

import type { DecisionList, DecisionRow } from '@primo/contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { get, problemPath, ServiceFailure } from '../../api/service.js'

export interface Listed {
  readonly rows: readonly DecisionRow[]
  /** Where the next part begins; null: there is none. */
  readonly next: number | null
  /** Time of the oldest decision that was looked at. */
  readonly back: number | null
  readonly looked: number
  readonly loading: boolean
  readonly failure: ServiceFailure | null
}

const NOTHING: Listed = { rows: [], next: 0, back: null, looked: 0, loading: true, failure: null }
const PART = 200
/** Parts that are asked for in a row: about ten seconds of looking. */
const MAX_PARTS = 40

/** The lists that were shown last, so that coming back from a decision finds them and a decision has its neighbours. */
const lists = new Map<string, Listed>()
const MAX_LISTS = 8

export function listedBefore(problem: string, query: string): Listed | undefined {
  return lists.get(`${problem}?${query}`)
}

export function useDecisionList(
  problem: string,
  query: string,
): Listed & { readonly more: () => void; readonly refresh: () => void } {
  const key = `${problem}?${query}`
  const [state, setState] = useState<{ readonly key: string; readonly listed: Listed }>({
    key,
    listed: lists.get(key) ?? NOTHING,
  })
  const [turn, setTurn] = useState(0)
  const listed = state.key === key ? state.listed : (lists.get(key) ?? NOTHING)
  const running = useRef<AbortController | null>(null)

  const show = useCallback(
    (next: Listed) => {
      if (!lists.has(key) && lists.size >= MAX_LISTS) lists.delete(lists.keys().next().value!)
      lists.set(key, next)
      setState({ key, listed: next })
    },
    [key],
  )

  const load = useCallback(
    async (from: Listed, wanted: number): Promise<void> => {
      running.current?.abort()
      const stop = new AbortController()
      running.current = stop
      let now: Listed = { ...from, loading: true, failure: null }
      show(now)
      try {
        for (let parts = 0; now.next !== null && now.rows.length < wanted && parts < MAX_PARTS; parts++) {
          const before = now.rows.length === 0 && now.looked === 0 ? '' : `&before=${now.next}`
          const path = `/decisions?limit=${PART}${before}${query === '' ? '' : `&${query}`}`
          const part = await get<DecisionList>(problemPath(problem, path), stop.signal)
          now = {
            ...now,
            rows: [...now.rows, ...part.decisions],
            next: part.next,
            back: part.back ?? now.back,
            looked: now.looked + part.looked,
          }
          show(now)
        }
        show({ ...now, loading: false })
      } catch (error) {
        if (stop.signal.aborted) return
        const failure = error instanceof ServiceFailure ? error : new ServiceFailure(String(error), 'internal')
        show({ ...now, loading: false, failure })
      }
    },
    [problem, query, show],
  )

  useEffect(() => {
    const before = lists.get(key)
    if (before === undefined || before.rows.length === 0 || turn > 0) void load(NOTHING, PART)
    return () => running.current?.abort()
  }, [key, load, turn])

  return {
    ...listed,
    more: () => {
      if (!listed.loading && listed.next !== null && listed.failure === null)
        void load(listed, listed.rows.length + PART)
    },
    refresh: () => {
      lists.delete(key)
      setTurn((count) => count + 1)
    },
  }
}
