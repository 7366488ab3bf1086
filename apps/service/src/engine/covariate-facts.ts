// How a decision used its covariates, for the tallies of the ledger.

import type { CovariateUse } from '@primo/contract'
import type { CovariateFact, Decide } from '../ledger/commands.js'

export const NO_REASONS: Readonly<Record<string, string>> = Object.freeze({})

type Uses = Readonly<Record<string, CovariateUse>>

/** Where the values of the first covariates came from; the facts are those of all. */
interface Remembered {
  readonly next: Map<string, Remembered>
  facts: Decide['covariates'] | null
}

/** Combinations of sources that a problem remembers. */
const MOST_REMEMBERED = 1000

/** How the covariates were used, for the tallies. The same use is the same object, which another thread gets once. */
export function rememberedFacts() {
  const root: Remembered = { next: new Map(), facts: null }
  let size = 0
  return (uses: Uses, reasons: Readonly<Record<string, string>>): Decide['covariates'] => {
    if (reasons !== NO_REASONS) return covariateFacts(uses, reasons)
    let at = root
    for (const name in uses) {
      const { source, pleaseReveal } = uses[name]!
      if (pleaseReveal === true) return covariateFacts(uses, reasons)
      let next = at.next.get(source)
      if (next === undefined) {
        if (size++ > MOST_REMEMBERED) return covariateFacts(uses, reasons)
        next = { next: new Map(), facts: null }
        at.next.set(source, next)
      }
      at = next
    }
    at.facts ??= covariateFacts(uses, reasons)
    return at.facts
  }
}

function covariateFacts(uses: Uses, reasons: Readonly<Record<string, string>>): Record<string, CovariateFact> {
  return Object.fromEntries(
    Object.entries(uses).map(([name, use]) => [
      name,
      {
        observed: use.status === 'observed',
        rung: use.status === 'observed' ? 'observed' : use.source,
        reason: use.status === 'observed' ? null : (reasons[name] ?? null),
        asked: use.pleaseReveal === true,
      },
    ]),
  )
}
