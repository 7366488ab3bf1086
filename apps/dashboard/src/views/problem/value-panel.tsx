// What a decision earns over time, against the baseline and against choosing at random.

import type { History, ProblemDefinition } from '@primo/contract'
import { policyColor } from '../../charts/colours.js'
import { LineChart, type Mark } from '../../charts/line-chart.js'
import { duration, figure, moment } from '../../charts/number-format.js'
import type { Point } from '../../charts/series.js'
import { Card } from '../../components/card.js'
import { cutName } from '../../components/cut-name.js'
import { valuePoints, windowOf, windowPoints } from './value-findings.js'

interface ValuePanelProps {
  readonly definition: ProblemDefinition
  readonly history: History
  readonly epochs: readonly Mark[]
}

export function ValuePanel({ definition, history, epochs }: ValuePanelProps) {
  const range = definition.reward.mean ?? definition.reward
  const baseline = definition.guards?.baseline ?? null
  const uniform = valuePoints(history, 'uniform', range)
  const always = valuePoints(history, 'baseline', range)
  const nothing = (points: readonly Point[]) => points.every(({ y }) => y === null)
  const silent = [
    ...(baseline !== null && nothing(always) ? [`always “${cutName(baseline)}”`] : []),
    ...(nothing(uniform) ? ['choosing at random'] : []),
  ]
  return (
    <Card
      id="value"
      title="Reward per decision over time"
      note="Mean of all rewards so far, with 95% intervals that hold however often you look; and of the last stretch alone, ± two standard errors. Ticks below: new policies."
    >
      <LineChart
        label="Mean reward of what was played, of the baseline and of uniform play"
        x="time"
        xFormat={moment}
        yFormat={figure}
        yLabel="reward per decision"
        yMin={range.min}
        events={epochs}
        lines={[
          {
            name: `last ${duration(windowOf(history)).replace('.0', '')}`,
            color: policyColor('played'),
            points: windowPoints(history),
          },
          {
            name: 'all so far',
            color: policyColor('primo-cal'),
            thick: true,
            points: valuePoints(history, 'played', range),
          },
          ...(baseline === null
            ? []
            : [{ name: `always ${baseline}`, color: policyColor('baseline'), dash: '6 3', points: always }]),
          { name: 'at random', color: policyColor('uniform'), dash: '2 3', points: uniform },
        ]}
      />
      {silent.length === 0 ? null : (
        <p className="quiet small">
          There are too few decisions to tell what {silent.join(' or ')} would earn, so{' '}
          {silent.length > 1 ? 'they are' : 'it is'} not drawn. Keep a share of decisions for comparison (in the
          definition) to make it possible.
        </p>
      )}
    </Card>
  )
}
