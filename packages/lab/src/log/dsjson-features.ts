// Features of dsjson as cells: namespaces are joined by dots, {"user=Tom": ""} is user with the value Tom, members of a list have their
// number. Names that begin with _ are no features. As VW reads it, a number that is absent is 0.

import type { Feature } from '@primo/core'
import type { LogCell } from './log-columns.js'

type Value = number | boolean | string

/** Of one object, by name. */
export function flatFeatures(given: unknown, before = '', into: Map<string, Value> = new Map()): Map<string, Value> {
  if (Array.isArray(given)) {
    given.forEach((one, k) => {
      // Objects of a list are parts of one namespace.
      if (typeof one === 'object') flatFeatures(one, before, into)
      else put(`${before}.${k}`, one, into)
    })
  } else if (typeof given === 'object' && given !== null) {
    for (const [key, value] of Object.entries(given)) {
      if (key.startsWith('_')) continue
      const name = before === '' ? key : `${before}.${key}`
      if (typeof value === 'object') flatFeatures(value, name, into)
      else put(name, value, into)
    }
  }
  return into
}

function put(name: string, value: unknown, into: Map<string, Value>): void {
  const at = name.indexOf('=')
  if (at < 0) {
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') into.set(name, value)
  } else if (value === '' || value === 1 || value === true) into.set(name.slice(0, at), name.slice(at + 1))
  else into.set(name.replaceAll('=', ':'), value as Value)
}

const MAX_LEVELS = 256
export const NO_LEVEL = '(none)'

/** What a feature's values were. */
export class SeenValues {
  #rows = 0
  #numbers = 0
  #booleans = 0
  #low = Number.POSITIVE_INFINITY
  #high = Number.NEGATIVE_INFINITY
  readonly #texts = new Set<string>()

  add(value: Value): void {
    this.#rows++
    if (typeof value === 'number') {
      this.#numbers++
      this.#low = Math.min(this.#low, value)
      this.#high = Math.max(this.#high, value)
    } else if (typeof value === 'boolean') this.#booleans++
    if (this.#texts.size <= MAX_LEVELS) this.#texts.add(String(value))
  }

  /** Null: there are too many levels. `rows`: of the whole log. */
  feature(rows: number): Feature | null {
    if (this.#numbers === this.#rows) {
      const low = this.#rows < rows ? Math.min(0, this.#low) : this.#low
      const high = this.#rows < rows ? Math.max(0, this.#high) : this.#high
      return { type: 'number', min: low, max: high > low ? high : low + 1 }
    }
    if (this.#booleans === this.#rows) return { type: 'boolean' }
    if (this.#texts.size > MAX_LEVELS) return null
    const levels = [...this.#texts].map((text) => (text === '' ? NO_LEVEL : text))
    if (this.#rows < rows) levels.push(NO_LEVEL)
    return { type: 'category', levels: [...new Set(levels)].sort() }
  }
}

export function featureCell(feature: Feature, value: Value | undefined): LogCell {
  if (feature.type === 'number') return value ?? 0
  if (feature.type === 'boolean') return value ?? false
  return value === undefined || value === '' ? NO_LEVEL : String(value)
}
