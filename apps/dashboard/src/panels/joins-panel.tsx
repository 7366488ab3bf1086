// (7) Reward join rate and delay.

import type { History, ProblemSummary } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { duration, moment, percent, whole } from '../charts/number-format.js'
import { Facts, Panel } from './panel.js'

interface JoinsPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
}

const SETTLED = 0.97

export function JoinsPanel({ summary, history }: JoinsPanelProps) {
  const { decisions, closed, open, dropped, voided, expired, lateRewards } = summary
  // While rewards of a bucket are still on their way, only its quick ones are known.
  const settled = history.buckets.filter(
    ({ decisions: made, joined, dropped: lost, delay }) => delay.count > 0 && joined + lost >= SETTLED * made,
  )
  const newest = settled.at(-1)?.delay.median ?? null
  return (
    <Panel
      id="joins"
      title={
        decisions === 0
          ? 'No decision yet'
          : `${percent(closed / decisions)} of decisions have their reward${newest === null ? '' : `, half of them within ${duration(newest)}`}`
      }
      note="Time from a decision to its final reward, by when it was decided; drawn once nearly all rewards of that time have arrived."
    >
      <LineChart
        label="Median and 95% quantile of the reward delay over time"
        x="time"
        xFormat={moment}
        yFormat={duration}
        yLabel="delay"
        yMin={0}
        height={170}
        lines={[
          {
            name: 'median',
            color: 'var(--s0)',
            points: settled.map(({ time, delay }) => ({ x: time, y: delay.median! })),
          },
          {
            name: '95%',
            color: 'var(--s3)',
            dash: '4 3',
            points: settled.map(({ time, delay }) => ({ x: time, y: delay.p95! })),
          },
        ]}
      />
      <Facts
        facts={[
          ['waiting', whole(open)],
          ['given up', whole(dropped)],
          ['late', whole(lateRewards)],
          ['voided or expired', whole(voided + expired)],
        ]}
      />
    </Panel>
  )
}
