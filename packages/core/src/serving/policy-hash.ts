// The hash of a policy document. The part that callers share is hashed by itself: a service does that once per policy.

import { shortHash } from '../problem/short-hash.js'

interface HashedPolicy {
  readonly caller: string
  readonly key: readonly [number, number]
}

/** `shared`: the hash of the document without caller, key and hash. */
export function policyHash({ caller, key }: HashedPolicy, shared: string): string {
  return shortHash({ caller, key, shared })
}

/** The hash that a whole document must have. */
export function hashOfPolicy<D extends HashedPolicy & { readonly hash: string }>(document: D): string {
  const { caller, key, hash: _, ...shared } = document
  return policyHash({ caller, key }, shortHash(shared))
}
