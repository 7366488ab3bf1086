// Checks of options and arrays: each throws a PrimoError with the sentence "<field> must be <rule>, got <value>".

import { invalidOption, PrimoError, show } from './errors.js'
import { unknownName } from './unknown-name.js'

/** Refuses what is no finite number. */
export function requireFinite(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) invalidOption(field, 'a finite number', value)
}

/** Refuses what is no finite number, or one below `least`. */
export function requireAtLeast(field: string, value: unknown, least: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least)
    invalidOption(field, Number.isFinite(value) ? `>= ${least}` : `a finite number >= ${least}`, value)
}

/** Refuses what is no whole number, or one below `least`. */
export function requireInteger(field: string, value: unknown, least: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    invalidOption(field, `a whole number >= ${least}`, value)
  }
}

/** Options must be a plain object with known names only: a misspelt one would be silently without effect. */
export function requireOptions(field: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) invalidOption(field, 'an object', given)
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    throw new PrimoError('invalid-option', unknownName(field, name, known, 'option'), { field, name })
  }
}

/** In the open interval (0, 1). */
export function requireOpenUnit(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value > 0 && value < 1)) invalidOption(field, 'in (0, 1)', value)
}

/** In (0, 1]. */
export function requireShare(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) invalidOption(field, 'in (0, 1]', value)
}

/** Refuses what is no finite number above 0. */
export function requirePositive(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || !(value > 0)) {
    invalidOption(field, 'a finite number > 0', value)
  }
}

/** Throws `shape-mismatch` when `actual` is not `expected`. */
export function requireLength(field: string, actual: number, expected: number): void {
  if (actual !== expected) {
    const sentence = `${field} must have ${expected} entries, got ${show(actual)}`
    throw new PrimoError('shape-mismatch', sentence, { field, value: actual, expected })
  }
}

/** Throws `not-finite` naming the first entry of `values` that is not a finite number. */
export function requireAllFinite(field: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (!Number.isFinite(value)) {
      const sentence = `${field}[${i}] must be a finite number, got ${show(value)}`
      throw new PrimoError('not-finite', sentence, { field: `${field}[${i}]`, value })
    }
  }
}
