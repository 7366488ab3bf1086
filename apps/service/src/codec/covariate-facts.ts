// How a decision used its covariates, for the tallies of the ledger.

import type { CovariateFact, Decide } from '../ledger/commands.js'
import type { DecisionToWrite } from './codec.js'

type Used = Pick<DecisionToWrite, 'covariates' | 'given'>

export function covariateFacts({ covariates, given }: Used): Record<string, CovariateFact> {
  const reasons = given.request.missing ?? {}
  return Object.fromEntries(
    Object.entries(covariates).map(([name, use]) => {
      const observed = use.status === 'observed'
      return [
        name,
        {
          observed,
          source: observed ? 'observed' : use.source,
          reason: observed ? null : (reasons[name] ?? null),
          asked: use.pleaseReveal === true,
        },
      ]
    }),
  )
}

/** The sources of the first covariates lead to a node; the last node has the facts. */
interface Remembered {
  readonly next: Map<string, Remembered>
  facts: Decide['covariates'] | null
}

/** Nodes per policy. */
const MAX_REMEMBERED = 1000

/** Gives one object for all decisions with the same facts: a message to another thread then holds it once. */
export function rememberedFacts(): (used: Used) => Decide['covariates'] {
  const root: Remembered = { next: new Map(), facts: null }
  let size = 0
  return (used) => {
    if (used.given.request.missing !== undefined) return covariateFacts(used)
    let at = root
    for (const name in used.covariates) {
      const { source, pleaseReveal } = used.covariates[name]!
      if (pleaseReveal === true) return covariateFacts(used)
      let next = at.next.get(source)
      if (next === undefined) {
        if (size++ > MAX_REMEMBERED) return covariateFacts(used)
        next = { next: new Map(), facts: null }
        at.next.set(source, next)
      }
      at = next
    }
    at.facts ??= covariateFacts(used)
    return at.facts
  }
}
