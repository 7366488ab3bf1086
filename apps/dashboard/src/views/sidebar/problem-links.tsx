// The problems in the sidebar: search, status, how each went.

import { useState } from 'react'
import { useComparisons } from '../../api/use-settings.js'
import { Icon } from '../../components/icon.js'
import { Dot } from '../../components/pill.js'
import { Sparkline } from '../../components/sparkline.js'
import { problemHref } from '../../route.js'
import { trendValues } from '../problem/trend-values.js'
import { listedStatus } from './listed-verdict.js'
import type { ListedProblem } from './use-problems.js'

interface ProblemLinksProps {
  readonly problems: readonly ListedProblem[]
  readonly here: string | null
}

export function ProblemLinks({ problems, here }: ProblemLinksProps) {
  const [text, setText] = useState('')
  const comparisons = useComparisons().value?.problems ?? []
  const wanted = text.trim().toLowerCase()
  const shown = problems.filter(({ problem }) => problem.toLowerCase().includes(wanted))
  return (
    <>
      <h2>
        Problems
        <a href="#/new" aria-label="New problem" title="New problem">
          <Icon name="plus" size={14} />
        </a>
      </h2>
      {problems.length < 6 ? null : (
        <div className="search">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label="Search problems"
            placeholder="Search"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      )}
      {shown.map((listed) => {
        const { problem, trend } = listed
        const { status, word } = listedStatus(listed, comparisons)
        return (
          <a
            key={problem}
            className="side-link"
            href={problemHref(problem)}
            title={problem}
            {...(here === problem ? { 'aria-current': 'page' as const } : {})}
          >
            <Dot status={status} label={word} />
            <span className="name">{problem}</span>
            <Sparkline values={trendValues(trend, ({ reward }) => reward)} width={44} />
          </a>
        )
      })}
      {shown.length === 0 && wanted !== '' ? <p className="small quiet">No problem has this in its name.</p> : null}
    </>
  )
}
