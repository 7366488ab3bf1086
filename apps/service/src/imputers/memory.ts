// Answers of a model by context, least recently used first to go. An answer counts as the model's own until `age`; after that, and
// until `keep`, it only stands in for a model that fails.

import type { Said } from './model.js'

interface MemoryLimits {
  readonly size: number
  readonly age: number
  readonly keep: number
}

interface Memory {
  readonly recall: (key: string) => { readonly said: Said; readonly fresh: boolean } | undefined
  readonly remember: (key: string, said: Said) => void
  readonly size: () => number
}

export function createMemory({ size, age, keep }: MemoryLimits, clock: () => number): Memory {
  const entries = new Map<string, { readonly said: Said; readonly time: number }>()
  return {
    recall: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const elapsed = clock() - entry.time
      entries.delete(key)
      if (elapsed > Math.max(age, keep)) return undefined
      entries.set(key, entry)
      return { said: entry.said, fresh: elapsed <= age }
    },
    remember: (key, said) => {
      if (size === 0) return
      entries.delete(key)
      entries.set(key, { said, time: clock() })
      if (entries.size > size) entries.delete(entries.keys().next().value!)
    },
    size: () => entries.size,
  }
}
