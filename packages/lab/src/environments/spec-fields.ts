// Checks of data written by people: each throws PrimoError 'invalid-option' with the sentence "<field> must be <rule>, got
// <value>". A record refuses fields that it does not know.

import { PrimoError } from '@primo/numeric'

export type Check = (field: string, value: unknown) => void

export function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${show(value)}`, { field, value, rule })
}

export function between(min: number, max: number): Check {
  return (field, value) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      refuse(field, `a number between ${min} and ${max}`, value)
    }
  }
}

/** Both ends excluded. */
export function inside(min: number, max: number): Check {
  return (field, value) => {
    if (typeof value !== 'number' || !(value > min && value < max)) {
      refuse(field, `a number greater than ${min} and less than ${max}`, value)
    }
  }
}

export function whole(min: number, max: number): Check {
  return (field, value) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      refuse(field, `a whole number between ${min} and ${max}`, value)
    }
  }
}

export function oneOf(values: readonly string[]): Check {
  return (field, value) => {
    if (!values.includes(value as string)) refuse(field, `one of ${values.join(', ')}`, value)
  }
}

export const text: Check = (field, value) => {
  if (typeof value !== 'string' || value === '') refuse(field, 'non-empty text', value)
}

/** An object with these fields; all but the `required` ones may be left out. */
export function record(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (field, value) => {
    if (!isRecord(value)) refuse(field, 'an object', value)
    for (const name of required) if (!Object.hasOwn(value, name)) fields[name]!(join(field, name), undefined)
    for (const [name, given] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (check === undefined) refuse(join(field, name), `left out (known: ${Object.keys(fields).join(', ')})`, given)
      check(join(field, name), given)
    }
  }
}

/** An object whose `kind` says which of these records it is. */
export function byKind(kinds: Readonly<Record<string, Check>>): Check {
  const kindOf = oneOf(Object.keys(kinds))
  return (field, value) => {
    if (!isRecord(value)) refuse(field, 'an object', value)
    kindOf(join(field, 'kind'), value.kind)
    kinds[value.kind as string]!(field, value)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}

function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `"${value.slice(0, 57)}..."` : `"${value}"`
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}
