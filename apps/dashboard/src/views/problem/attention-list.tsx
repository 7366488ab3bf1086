// What to look at, and what to do about it.

import { Icon } from '../../components/icon.js'
import { problemHref } from '../../route.js'
import type { Attention } from './attention.js'

interface AttentionListProps {
  readonly items: readonly { readonly problem: string; readonly attention: Attention }[]
  /** Whether each names its problem. */
  readonly named?: boolean
}

export function AttentionList({ items, named = false }: AttentionListProps) {
  if (items.length === 0) return null
  return (
    <ul className="attention" aria-label="What needs attention">
      {items.map(({ problem, attention: { says, todo, tab } }) => (
        <li key={`${problem}${says}`}>
          <Icon name="warning" />
          <span>
            {named ? (
              <>
                <a href={problemHref(problem)}>{problem}</a>:{' '}
              </>
            ) : null}
            {says} <span className="quiet">{todo}</span> <a href={problemHref(problem, tab)}>See {tab}</a>
          </span>
        </li>
      ))}
    </ul>
  )
}
