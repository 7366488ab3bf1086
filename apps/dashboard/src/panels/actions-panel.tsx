// (2) Action shares over time with epoch lines.

import type { History, ProblemSummary } from '@primo/contract'
import { figure, moment, percent } from '../charts/number-format.js'
import { ShareChart, seriesColor } from '../charts/share-chart.js'
import { Panel } from './panel.js'

interface ActionsPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
  readonly actions: readonly string[]
  readonly epochs: readonly number[]
}

export function ActionsPanel({ summary, history, actions, epochs }: ActionsPanelProps) {
  const recent = history.buckets.filter(({ decisions }) => decisions > 0).at(-1)
  const first = [...actions].sort((a, b) => (recent?.actions[b] ?? 0) - (recent?.actions[a] ?? 0))[0]
  const title =
    recent === undefined || first === undefined
      ? 'No decision yet'
      : `"${first}" is played most now: ${percent((recent.actions[first] ?? 0) / recent.decisions)} of decisions`
  return (
    <Panel id="actions" title={title} note="Share of each action over time; dotted: epochs.">
      <ShareChart
        label="Shares of the actions over time"
        names={actions}
        columns={history.buckets.map(({ time, decisions, actions: counts }) => ({
          x: time,
          shares: Object.fromEntries(
            actions.map((action) => [action, decisions === 0 ? 0 : (counts[action] ?? 0) / decisions]),
          ),
        }))}
        marks={epochs}
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
                    <span className="swatch" style={{ background: seriesColor(index) }} />
                    {action}
                  </td>
                  <td className="number">{decisions.toLocaleString('en')}</td>
                  <td className="number">{reward?.mean == null ? 'none yet' : figure(reward.mean)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
