// Guardrails: second numbers reported per decision, whose means must stay within a limit after a promotion (method#promotion). A value is
// counted from the end at which it is harmless, in units of twice the distance to the limit: u >= 0, and the mean is beyond the limit
// when the lower limit of u's mean, at all times, is above 1/2. Only the harmless end must be a bound; the other may be far away.

import type { Guardrail } from '@primo/contract'
import { type Evidence, lowerLimit } from '@primo/lab/evidence'

/** Probability that guardrails that are kept roll back ever, all together. */
const ALPHA = 0.05

interface Scale {
  readonly inside: (value: number) => number
  readonly outside: (inside: number) => number
  readonly limit: number
}

export function guardrailScale({ min, max, limit }: Guardrail): Scale {
  const above = 'max' in limit
  const at = above ? limit.max : limit.min
  const unit = 2 * (above ? at - min : max - at)
  return {
    inside: (value) => (above ? value - min : max - value) / unit,
    outside: (inside) => (above ? min + unit * inside : max - unit * inside),
    limit: at,
  }
}

/** What is known of a guardrail's mean: it is at least (of a maximum) or at most (of a minimum) this. */
export function guardrailBound(rail: Guardrail, evidence: Evidence, rails: number): number {
  return guardrailScale(rail).outside(lowerLimit(evidence, ALPHA / rails))
}

/** A sentence about the first guardrail that is certainly left; null: none is. */
export function leftGuardrail(
  rails: Readonly<Record<string, Guardrail>>,
  reports: Readonly<Record<string, Evidence>>,
): string | null {
  const count = Object.keys(rails).length
  for (const [name, rail] of Object.entries(rails)) {
    const evidence = reports[name]
    if (evidence === undefined) continue
    const lower = lowerLimit(evidence, ALPHA / count)
    if (lower <= 0.5) continue
    const { outside, limit } = guardrailScale(rail)
    const side = 'max' in rail.limit ? ['at least', 'at most'] : ['at most', 'at least']
    const known = Number(outside(lower).toPrecision(4))
    return `the mean of ${name} is ${side[0]} ${known} after ${evidence.count} reports, where ${side[1]} ${limit} is allowed`
  }
  return null
}
