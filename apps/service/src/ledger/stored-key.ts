// A key as a store keeps it: what it may do, and the hash of its secret. A key that was revoked stays, so that its name means
// one holder for ever.

import type { Role } from '../http/keys.js'

export interface StoredKey {
  readonly name: string
  readonly role: Role
  /** The problems that it is for; null: all. */
  readonly problems: readonly string[] | null
  /** Milliseconds since 1970; null: never. */
  readonly expires: number | null
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  /** The secret before the last rotation, while it still counts. */
  readonly previous: { readonly hash: string; readonly until: number } | null
  readonly created: number
  readonly revoked: number | null
}

/** A row of the table `keys`. */
export interface RawKey {
  readonly name: string
  readonly role: string
  readonly problems: string | null
  readonly expires: number | string | null
  readonly hash: string
  readonly previous: string | null
  readonly created: number | string
  readonly revoked: number | string | null
}

export const KEY_COLUMNS = ['name', 'role', 'problems', 'expires', 'hash', 'previous', 'created', 'revoked'] as const

export function keyOf(raw: RawKey): StoredKey {
  const time = (given: number | string | null) => (given === null ? null : Number(given))
  return {
    name: raw.name,
    role: raw.role as Role,
    problems: raw.problems === null ? null : (JSON.parse(raw.problems) as string[]),
    expires: time(raw.expires),
    hash: raw.hash,
    previous: raw.previous === null ? null : (JSON.parse(raw.previous) as StoredKey['previous']),
    created: Number(raw.created),
    revoked: time(raw.revoked),
  }
}

/** In the order of KEY_COLUMNS. */
export function keyCells(key: StoredKey): (string | number | null)[] {
  const text = (value: unknown) => (value === null ? null : JSON.stringify(value))
  const { name, role, problems, expires, hash, previous, created, revoked } = key
  return [name, role, text(problems), expires, hash, text(previous), created, revoked]
}

/** Whether a key of a role may do what needs another. */
export function may(held: Role, needed: Role): boolean {
  return held === 'admin' || held.split('+').includes(needed)
}

/** Whether one of these keys is for the problem. */
export function reaches(held: readonly Pick<StoredKey, 'problems'>[], problem: string): boolean {
  return held.some(({ problems }) => problems === null || problems.includes(problem))
}
