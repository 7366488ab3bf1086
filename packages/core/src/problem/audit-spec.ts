// Asking for truths: a random share of the missing values, or as large a share placed where truths are worth most (method#asking).

import { PrimoError, show, unknownName } from '@primo/numeric'

interface AuditTime {
  /** Rounds after which a request counts as unanswered; default 0: when its round has closed. */
  readonly within?: number
}

/** Some missing values whose truth is asked for, each with a known probability. */
export type AuditSpec = AuditTime &
  (
    | {
        /** Probability that a missing value is asked for, in (0, 1]. */
        readonly share: number
        readonly budget?: never
      }
    | {
        /** The mean of that probability, in (0, 1]; where knowing is worth more it is larger. */
        readonly budget: number
        readonly share?: never
      }
  )

/** The part of a budget that is spread evenly over missing values, and the slowest pace at which it is spent (ask-probability.ts). */
export const EVEN = 1 / 2
export const SLOW = 2 / 3
/** The smallest probability of asking, in units of the budget. */
export const LEAST_SHARE = EVEN * SLOW

/** The mean share of the missing values that are asked for. */
export function meanShare({ share, budget }: AuditSpec): number {
  return share ?? budget
}

export function checkAudit(field: string, audit: unknown): void {
  if (typeof audit !== 'object' || audit === null || Array.isArray(audit))
    bad(field, 'an object with a share or a budget', audit)
  const known = ['share', 'budget', 'within']
  for (const name of Object.keys(audit))
    if (!known.includes(name)) throw new PrimoError('invalid-problem', unknownName(field, name, known), { field, name })
  const { share, budget, within } = audit as Partial<Record<string, unknown>>
  if (share !== undefined && budget !== undefined) bad(`${field}.budget`, 'absent where there is a share', budget)
  const [name, value] = budget === undefined ? ['share', share] : ['budget', budget]
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) bad(`${field}.${name}`, 'in (0, 1]', value)
  if (within !== undefined && !(Number.isSafeInteger(within) && (within as number) >= 0))
    bad(`${field}.within`, 'a whole number of rounds >= 0', within)
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}
