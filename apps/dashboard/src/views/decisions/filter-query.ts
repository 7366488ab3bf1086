// The filter of the list as the address has it and as the service takes it.

import { addressOf, go, hashOf, useAddress } from '../../address.js'

export const filterNames = ['action', 'missing', 'source', 'holdout', 'status', 'from', 'to'] as const
export type FilterName = (typeof filterNames)[number]
export type Filter = Readonly<Partial<Record<FilterName, string>>>

export function filterOf(query: Readonly<Record<string, string>>): Filter {
  return Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** As the service takes it: times in milliseconds. */
export function filterQuery(filter: Filter): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) {
    const isTime = name === 'from' || name === 'to'
    const sent = isTime ? String(new Date(value).getTime()) : value
    if (!isTime || Number.isFinite(Number(sent))) given.set(name, sent)
  }
  return given.toString()
}

export function useFilter(): readonly [Filter, (change: Filter) => void] {
  const { query } = useAddress()
  const change = (next: Filter) => {
    const { path, query: before } = addressOf(location.hash)
    go(hashOf({ path, query: { ...before, ...next } }), { replace: true })
  }
  return [filterOf(query), change]
}
