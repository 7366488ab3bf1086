// How many rewards come back, and how late.

import type { History, HistoryBucket, ProblemSummary } from '@primo/contract'
import { seriesColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { duration, moment, percent, whole } from '../../charts/number-format.js'
import { type Point, withGaps } from '../../charts/series.js'
import { Card } from '../../components/card.js'
import { Facts } from '../../components/facts.js'

interface JoinsPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
}

const SETTLED = 0.97

export function JoinsPanel({ summary, history }: JoinsPanelProps) {
  const { decisions, closed, open, dropped, voided, expired, lateRewards, uploads } = summary
  // While rewards of a bucket are still on their way, only its quick ones are known.
  const settled = ({ decisions: made, joined, dropped: lost, delay }: HistoryBucket) =>
    delay.count > 0 && joined + lost >= SETTLED * made
  const newest = history.buckets.filter(settled).at(-1)?.delay.median ?? null
  const line = (which: 'median' | 'p95'): Point[] =>
    withGaps(
      history.buckets.map((bucket) => ({ x: bucket.time, y: settled(bucket) ? bucket.delay[which] : null })),
      history.width,
    )
  return (
    <Card
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
            color: seriesColor(0),
            points: line('median'),
          },
          {
            name: '95%',
            color: seriesColor(7),
            dash: '4 3',
            points: line('p95'),
          },
        ]}
      />
      <Facts
        facts={[
          ['waiting', whole(open)],
          ['given up', whole(dropped)],
          ['late', whole(lateRewards)],
          ['voided or expired', whole(voided + expired)],
          ...(uploads.decisions === 0 ? [] : ([['never uploaded', whole(uploads.missing)]] as const)),
        ]}
      />
    </Card>
  )
}
