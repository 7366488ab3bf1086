// From one decision to the next: in the list that it was opened from, else in the order of decisions.

import type { DecisionList } from '@primo/contract'
import { hashOf, useAddress } from '../../address.js'
import { useResource } from '../../api/resource.js'
import { get, problemPath } from '../../api/service.js'
import { ButtonLink } from '../../components/button.js'
import { problemHref } from '../../route.js'
import { filterOf, filterQuery } from './filter-query.js'
import { listedBefore } from './use-decision-list.js'

interface NeighboursProps {
  readonly problem: string
  readonly id: string
  /** Counted from 1; null: not known yet. */
  readonly round: number | null
}

interface Beside {
  readonly newer: string | null
  readonly older: string | null
}

export function Neighbours({ problem, id, round }: NeighboursProps) {
  const { query } = useAddress()
  const filter = filterOf(query)
  const { value } = useResource<Beside>(`beside ${problem} ${id} ${round} ${filterQuery(filter)}`, async (signal) => {
    const rows = listedBefore(problem, filterQuery(filter))?.rows ?? []
    const at = rows.findIndex(({ decisionId }) => decisionId === id)
    if (at >= 0 && at < rows.length - 1)
      return { newer: rows[at - 1]?.decisionId ?? null, older: rows[at + 1]!.decisionId }
    if (round === null) return { newer: null, older: null }
    // Rounds of the list count from 0: up to and with the one after this.
    const path = problemPath(problem, `/decisions?limit=3&before=${round + 1}`)
    const { decisions } = await get<DecisionList>(path, signal)
    const newer = decisions.filter((one) => one.round > round).at(-1)
    const older = decisions.find((one) => one.round < round)
    return { newer: newer?.decisionId ?? null, older: older?.decisionId ?? null }
  })
  const carried = filter as Record<string, string>
  const to = (other: string) => hashOf({ path: problemHref(problem, 'decisions', other).slice(1), query: carried })
  return (
    <nav className="row" aria-label="Other decisions">
      <ButtonLink small icon="up" href={hashOf({ path: problemHref(problem, 'decisions').slice(1), query: carried })}>
        All decisions
      </ButtonLink>
      {value?.newer == null ? null : (
        <ButtonLink small icon="left" href={to(value.newer)}>
          Newer
        </ButtonLink>
      )}
      {value?.older == null ? null : (
        <ButtonLink small icon="right" href={to(value.older)}>
          Older
        </ButtonLink>
      )}
    </nav>
  )
}
