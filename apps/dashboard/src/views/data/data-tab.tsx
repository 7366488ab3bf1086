// What arrives: missing values, whether they are missing at random, rewards.

import { DefinitionCard } from '../define/definition-card.js'
import type { TabProps } from '../problem/tab-props.js'
import { JoinsPanel } from './joins-panel.js'
import { MissingAtRandomPanel } from './missing-at-random-panel.js'
import { MissingPanel } from './missing-panel.js'

export function DataTab({ problem, info, summary, history, epochs }: TabProps) {
  return (
    <div className="columns">
      <div className="stack">
        <MissingPanel summary={summary} history={history} />
        <JoinsPanel summary={summary} history={history} />
      </div>
      <div className="stack">
        <DefinitionCard problem={problem} definition={info.definition} />
        <MissingAtRandomPanel summary={summary} epochs={epochs} />
      </div>
    </div>
  )
}
