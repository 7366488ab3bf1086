// One thing that was looked at in a log, in a sentence, with what to do about it.

/** What a log was looked at for. */
export type LogCheck =
  | 'propensities'
  | 'calibration'
  | 'duplicates'
  | 'missing uploads'
  | 'missing rewards'
  | 'delays'
  | 'drift'
  | 'leakage'

/** One thing that was looked at in a log. */
export interface LogFinding {
  readonly check: LogCheck
  readonly state: 'ok' | 'warning' | 'failure'
  /** In a sentence. */
  readonly says: string
  /** What to do; null where all is well. */
  readonly advice: string | null
}

/** A false alarm in 0.1% of logs, for each check. */
export const FALSE_ALARM = 0.001

export function ok(check: LogCheck, says: string): LogFinding {
  return { check, state: 'ok', says, advice: null }
}

export function warning(check: LogCheck, says: string, advice: string): LogFinding {
  return { check, state: 'warning', says, advice }
}

export function failure(check: LogCheck, says: string, advice: string): LogFinding {
  return { check, state: 'failure', says, advice }
}

export function count(value: number, unit = 'row'): string {
  return `${Math.round(value).toLocaleString('en')} ${unit}${value === 1 ? '' : 's'}`
}

export function percent(share: number): string {
  const points = 100 * share
  return `${points !== 0 && Math.abs(points) < 10 ? Number(points.toPrecision(2)) : Math.round(points)}%`
}

/** At most five, and how many more. */
export function listed(items: readonly string[]): string {
  return items.length <= 5 ? items.join(', ') : `${items.slice(0, 5).join(', ')} and ${items.length - 5} more`
}
