// How a problem went, followed: after the first answer only what changed is asked for and put in its place.

import type { History, HistoryRange } from '@primo/contract'
import { type Resource, useResource } from './resource.js'
import { get, problemPath } from './service.js'

const EVERY = 2500
const LATEST = 20

export function useHistory(problem: string, range: HistoryRange): Resource<History> {
  return useResource<History>(
    `history ${problem} ${range}`,
    async (signal, before) => {
      const since = before === null ? '' : `&since=${encodeURIComponent(before.cursor)}`
      const found = await get<History>(problemPath(problem, `/history?range=${range}${since}`), signal)
      return before === null ? found : joined(before, found)
    },
    EVERY,
  )
}

/** The same object where nothing has changed. */
export function joined(before: History, found: History): History {
  if (!found.partial) return found
  if (found.buckets.length === 0 && found.complete === before.complete && found.cursor === before.cursor) return before
  const changed = new Map(found.buckets.map((bucket) => [bucket.time, bucket]))
  const kept = before.buckets.filter(({ time }) => time >= (found.from ?? time) && !changed.has(time))
  return {
    ...found,
    buckets: [...kept, ...found.buckets].sort((a, b) => a.time - b.time),
    latest: [...found.latest, ...before.latest].slice(0, LATEST),
  }
}
