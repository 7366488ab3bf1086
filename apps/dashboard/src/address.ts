// The address after the #: a path, and the state of the view as a query. One hook reads and changes it.

import { useCallback, useSyncExternalStore } from 'react'

export interface Address {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

export function addressOf(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  return { path: path === '' ? '/' : path, query: Object.fromEntries(new URLSearchParams(query)) }
}

/** Without what is empty. */
export function hashOf({ path, query }: Address): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  const text = given.toString()
  return `#${path}${text === '' ? '' : `?${text}`}`
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  addEventListener(CHANGED, listener)
  return () => {
    removeEventListener('hashchange', listener)
    removeEventListener(CHANGED, listener)
  }
}

const CHANGED = 'primo-address'

/** Another address: a new entry of the browser's history, or in place of this one. */
export function go(hash: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (hash === location.hash) return
  if (!replace) {
    location.hash = hash
    return
  }
  history.replaceState(history.state, '', hash)
  dispatchEvent(new Event(CHANGED))
}

export function useAddress(): Address {
  return addressOf(useSyncExternalStore(subscribe, () => location.hash))
}

/**
 * A value of the view's state that is kept in the address: range, filters, what is open. The default is left out of it.
 * `push`: going back undoes the change.
 */
export function useAddressState<T extends string>(
  name: string,
  fallback: T,
  { push = false }: { readonly push?: boolean } = {},
): readonly [T, (value: T) => void] {
  const { query } = useAddress()
  const set = useCallback(
    (value: T) => {
      const { path, query: before } = addressOf(location.hash)
      go(hashOf({ path, query: { ...before, [name]: value === fallback ? '' : value } }), { replace: !push })
    },
    [name, fallback, push],
  )
  return [(query[name] as T | undefined) ?? fallback, set]
}
