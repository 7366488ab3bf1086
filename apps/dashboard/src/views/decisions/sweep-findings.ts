// Where along a covariate's range the preferred action changes.

import type { DecisionExplained } from '@primo/contract'

export type SweepPoint = DecisionExplained['sweep'][string][number]

export interface Stretch {
  readonly action: string
  readonly from: SweepPoint['value']
  readonly to: SweepPoint['value']
}

/** Neighbouring points with the same preferred action, joined. */
export function stretches(points: readonly SweepPoint[]): Stretch[] {
  const found: Stretch[] = []
  for (const { action, value } of points) {
    const last = found.at(-1)
    if (last?.action === action) found[found.length - 1] = { ...last, to: value }
    else found.push({ action, from: value, to: value })
  }
  return found
}

export function sweepTitle(covariate: string, points: readonly SweepPoint[]): string {
  const parts = stretches(points)
  if (parts.length <= 1) return `Whatever ${covariate} is, “${parts[0]?.action ?? 'nothing'}” is preferred`
  const names = [...new Set(parts.map(({ action }) => action))]
  return `${covariate} decides: ${names.map((name) => `“${name}”`).join(', then ')} as it grows`
}
