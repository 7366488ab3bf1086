// What the checks of a snapshot share.

import { PrimoError, show } from '@primo/numeric'

export function invalid(field: string, rule: string, value: unknown): PrimoError {
  return new PrimoError('snapshot-invalid', `snapshot.${field} must be ${rule}, got ${show(value)}`, { field })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isMatrix(value: unknown, rows: number, columns: number): boolean {
  if (!Array.isArray(value) || value.length !== rows) return false
  return value.every((row) => Array.isArray(row) && row.length === columns && row.every(Number.isFinite))
}

/** Whether all numbers in it are finite. */
export function isFiniteData(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  return Object.values(value).every(isFiniteData)
}
