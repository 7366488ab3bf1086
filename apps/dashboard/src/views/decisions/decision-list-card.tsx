// The list with its filters, and the file of what it shows.

import type { ProblemInfo, ProblemSummary } from '@primo/contract'
import { useState } from 'react'
import { answer, headers, problemPath, ServiceFailure } from '../../api/service.js'
import { moment, whole } from '../../charts/number-format.js'
import { saveFile } from '../../charts/save-file.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { EmptyState } from '../../components/empty-state.js'
import { say } from '../../components/toast.js'
import { Failure } from '../failure.js'
import { DecisionRows } from './decision-rows.js'
import { FilterBar } from './filter-bar.js'
import { filterQuery, useFilter } from './filter-query.js'
import { useDecisionList } from './use-decision-list.js'

interface DecisionListCardProps {
  readonly problem: string
  readonly info: ProblemInfo
  readonly summary: ProblemSummary
}

export function DecisionListCard({ problem, info, summary }: DecisionListCardProps) {
  const [filter, change] = useFilter()
  const query = filterQuery(filter)
  const list = useDecisionList(problem, query)
  const [saving, setSaving] = useState(false)
  const { rows, next, back, looked, loading, failure } = list
  const newer = rows[0] === undefined || filter.to !== undefined ? 0 : summary.decisions - rows[0].round
  const save = async () => {
    setSaving(true)
    try {
      const path = problemPath(problem, `/log?format=csv${query === '' ? '' : `&${query}`}`)
      const reply = await answer(path, { headers: headers() })
      saveFile(`${problem}.csv`, await reply.blob())
    } catch (error) {
      say(error instanceof ServiceFailure ? error.message : String(error), true)
    } finally {
      setSaving(false)
    }
  }
  const found = next === null ? whole(rows.length) : `${whole(rows.length)} and more`
  return (
    <Card
      id="decisions"
      wide
      title={query === '' ? `${whole(summary.decisions)} decisions` : `${found} decisions found`}
      note={
        loading
          ? `Looking${looked > 0 && back !== null ? `: back to ${moment(back)}, ${whole(looked)} seen` : ''}.`
          : next === null
            ? 'All are loaded; open one to see it explained.'
            : `Loaded back to ${back === null ? 'the start' : moment(back)}; scroll for more. Open one to see it explained.`
      }
      tools={
        <div className="row">
          {query !== '' && next !== null && !loading ? (
            <Button small icon="search" onClick={list.more}>
              Look further back
            </Button>
          ) : null}
          {query === '' && newer > 0 ? (
            <Button small icon="up" onClick={list.refresh}>
              {whole(newer)} newer
            </Button>
          ) : (
            <Button small onClick={list.refresh}>
              Refresh
            </Button>
          )}
          <Button small icon="download" busy={saving} onClick={() => void save()}>
            {saving ? 'Saving' : 'CSV of these'}
          </Button>
        </div>
      }
    >
      <FilterBar info={info} summary={summary} filter={filter} onChange={change} />
      {failure === null ? null : <Failure failure={failure} onRetry={list.more} />}
      {rows.length === 0 && !loading && failure === null ? (
        <EmptyState title="No decision fits these filters">
          <p>Take one of them away.</p>
        </EmptyState>
      ) : (
        <DecisionRows
          problem={problem}
          labels={info.definition.labels ?? {}}
          rows={rows}
          query={filter as Record<string, string>}
          unfinished={next !== null}
          onEnd={list.more}
        />
      )}
    </Card>
  )
}
