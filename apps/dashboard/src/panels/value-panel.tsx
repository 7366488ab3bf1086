// (1) Policy value over time against baseline and uniform play.

import type { History, ProblemDefinition } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { figure, moment } from '../charts/number-format.js'
import { Panel } from './panel.js'
import { valuePoints, valueTitle } from './value-findings.js'

interface ValuePanelProps {
  readonly definition: ProblemDefinition
  readonly history: History
  readonly epochs: readonly number[]
}

export function ValuePanel({ definition, history, epochs }: ValuePanelProps) {
  const range = definition.reward.mean ?? definition.reward
  const { buckets, baseline } = history
  const uniform = valuePoints(buckets, 'uniform', range)
  const always = valuePoints(buckets, 'baseline', range)
  const silent = [...(always.length === 0 ? ['the baseline'] : []), ...(uniform.length === 0 ? ['uniform play'] : [])]
  return (
    <Panel
      id="value"
      wide
      title={valueTitle(buckets.at(-1)?.value, range, baseline)}
      note="Mean reward of all closed decisions so far; 95% intervals that hold however often you look; dotted: epochs."
    >
      <LineChart
        label="Mean reward of what was played, of the baseline and of uniform play"
        x="time"
        xFormat={moment}
        yFormat={figure}
        yLabel="reward per decision"
        yMin={range.min}
        marks={epochs.map((x) => ({ x }))}
        lines={[
          { name: 'played', color: 'var(--c-robust)', thick: true, points: valuePoints(buckets, 'played', range) },
          { name: `always ${baseline}`, color: 'var(--c-primo)', points: always },
          { name: 'uniform', color: 'var(--c-uniform)', dash: '4 3', points: uniform },
        ]}
      />
      {silent.length === 0 ? null : (
        <p className="quiet small">
          The log says too little about {silent.join(' and ')} to draw it: the policy plays some actions too rarely. A
          holdout or a floor (guards of the problem) keeps the comparison possible.
        </p>
      )}
    </Panel>
  )
}
