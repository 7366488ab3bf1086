// A problem at a glance: the sentence, the demo's picture where the truth is known, what a decision earns, what is played.

import { useComparisons } from '../../api/use-settings.js'
import { newPolicies } from '../learning/learnt.js'
import { ActionsPanel } from '../problem/actions-panel.js'
import { ComparisonView } from '../problem/comparison-view.js'
import type { TabProps } from '../problem/tab-props.js'
import { ValuePanel } from '../problem/value-panel.js'
import { VerdictView } from '../problem/verdict-view.js'

export function OverviewTab({ problem, info, summary, history, epochs, verdict }: TabProps) {
  const times = newPolicies(epochs)
  const compared = useComparisons().value?.problems.find((one) => one.problem === problem)
  return (
    <div className="stack">
      <VerdictView verdict={verdict} />
      {compared === undefined ? null : <ComparisonView comparison={compared} />}
      <div className="columns">
        <ValuePanel definition={info.definition} history={history} epochs={times} />
        <ActionsPanel summary={summary} history={history} actions={info.definition.actions} epochs={times} />
      </div>
    </div>
  )
}
