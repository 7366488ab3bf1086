// What is played: shares of the actions over time, and what each earned.

import type { History, ProblemSummary } from '@primo/contract'
import { actionColor } from '../../charts/colours.js'
import type { Mark } from '../../charts/line-chart.js'
import { figure, moment } from '../../charts/number-format.js'
import { ShareChart } from '../../charts/share-chart.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { groupedBuckets } from './grouped-buckets.js'
import { playedMost } from './played-most.js'

interface ActionsPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
  readonly actions: readonly string[]
  readonly epochs: readonly Mark[]
}

export function ActionsPanel({ summary, history, actions, epochs }: ActionsPanelProps) {
  const title = playedMost(history, actions)
  const { groups, width } = groupedBuckets(history.buckets, history.width)
  return (
    <Card id="actions" title={title} note="Share of each action over time; ticks below: new policies.">
      <ShareChart
        label="Shares of the actions over time"
        names={actions}
        columns={groups.map(({ time, buckets }) => {
          const decisions = buckets.reduce((sum, bucket) => sum + bucket.decisions, 0)
          const played = (action: string) => buckets.reduce((sum, bucket) => sum + (bucket.actions[action] ?? 0), 0)
          return {
            x: time,
            shares:
              decisions === 0
                ? null
                : Object.fromEntries(actions.map((action) => [action, played(action) / decisions])),
          }
        })}
        spacing={width}
        events={epochs}
        xFormat={moment}
      />
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">action</th>
              <th scope="col" className="number">
                decisions
              </th>
              <th scope="col" className="number">
                mean reward when played
              </th>
            </tr>
          </thead>
          <tbody>
            {actions.map((action, index) => {
              const { decisions = 0, reward } = summary.actions[action] ?? {}
              return (
                <tr key={action}>
                  <td>
                    <span className="swatch" style={{ background: actionColor(index) }} />
                    <CutName name={action} />
                  </td>
                  <td className="number">{decisions.toLocaleString('en')}</td>
                  <td className="number">{reward?.mean == null ? 'none yet' : figure(reward.mean)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
