// A short hash of plain data, the same on every machine: JSON with sorted keys, functions left out.

import { deriveKey, seedKey } from '@primo/numeric'

/** Sixteen hexadecimal digits. */
export function shortHash(value: unknown): string {
  const [word0, word1] = deriveKey(seedKey(0), JSON.stringify(sorted(value)))
  return [word0, word1].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const record = value as Readonly<Record<string, unknown>>
  // Without a prototype every name is a plain one.
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(record).sort()) copy[key] = sorted(record[key])
  return copy
}
