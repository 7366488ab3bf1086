// A decision that was imported: another system made it, at a time of its own. The log that it came from has both.

import type { DecisionRecord } from '../ledger/records.js'

type Imported = Pick<DecisionRecord, 'imported'>

/** When it was made. `entry`: the time of its record. */
export function decidedAt({ imported }: Imported, entry: number): number {
  return timeOf(imported?.time) ?? entry
}

/** When its reward came; null: the log does not have it, or the decision was not imported. */
export function rewardedAt({ imported }: Imported): number | null {
  return timeOf(imported?.rewardTime) ?? timeOf(imported?.time)
}

/** Covariates whose value was not known. */
export function missingOf({ imported, request, reply }: DecisionRecord): string[] {
  if (imported === undefined)
    return Object.entries(reply.covariates).flatMap(([name, { status }]) => (status === 'observed' ? [] : [name]))
  return Object.entries(request.covariates ?? {}).flatMap(([name, value]) => (value === null ? [name] : []))
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
