// What was learnt: the policy, the models of the covariates, what missing values cost.

import type { TabProps } from '../problem/tab-props.js'
import { CalibrationPanel } from './calibration-panel.js'
import { CostPanel } from './cost-panel.js'
import { NoticedCard } from './noticed-card.js'
import { PolicyCard } from './policy-card.js'

export function LearningTab({ info, summary, history, epochs }: TabProps) {
  const { min, max } = info.definition.reward.mean ?? info.definition.reward
  return (
    <div className="stack">
      <PolicyCard summary={summary} epochs={epochs} />
      <div className="columns">
        <CalibrationPanel definition={info.definition} epochs={epochs} />
        <div className="stack">
          <CostPanel history={history} rewardRange={max - min} />
          <NoticedCard epochs={epochs} />
        </div>
      </div>
    </div>
  )
}
