// Checks shared by the calculators: each throws `invalid-option` with "<field> must be <rule>, got <value>".

import { invalidOption, PrimoError, show } from '../errors.js'

/** 'printed' follows the paper to the letter (NaN guards only); 'corrected' applies docs/errata.md. */
export type Formulas = 'printed' | 'corrected'

export function requireFormulas(value: unknown): asserts value is Formulas {
  if (value !== 'printed' && value !== 'corrected') invalidOption('formulas', '"printed" or "corrected"', value)
}

/** In the open interval (0, 1). */
export function requireOpenUnit(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value > 0 && value < 1)) invalidOption(field, 'in (0, 1)', value)
}

/** In (0, 1]. */
export function requireShare(field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) invalidOption(field, 'in (0, 1]', value)
}

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
