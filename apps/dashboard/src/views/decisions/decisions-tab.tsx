// The decisions: a list, and one of them explained.

import type { TabProps } from '../problem/tab-props.js'
import { DecisionListCard } from './decision-list-card.js'
import './decisions.css'
import { Explorer } from './explorer.js'
import { LookUp } from './look-up.js'

export function DecisionsTab({ problem, info, summary, id }: TabProps) {
  return (
    <div className="stack">
      <LookUp key={`look up ${id}`} problem={problem} id={id} />
      {id === null ? (
        <DecisionListCard problem={problem} info={info} summary={summary} />
      ) : (
        <Explorer key={id} problem={problem} id={id} />
      )}
    </div>
  )
}
