// How much is missing, by covariate and reason, and whether that has moved.

import type { History, ProblemSummary } from '@primo/contract'
import { seriesColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { moment, percent } from '../../charts/number-format.js'
import { withGaps } from '../../charts/series.js'
import { Card } from '../../components/card.js'
import { cutName } from '../../components/cut-name.js'
import { groupedBuckets } from '../problem/grouped-buckets.js'
import { missingDrift } from './missing-findings.js'

interface MissingPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
}

export function MissingPanel({ summary, history }: MissingPanelProps) {
  const names = Object.keys(summary.covariates)
  const { groups, width } = groupedBuckets(history.buckets, history.width)
  const drifts = names.flatMap((name) => missingDrift(history.buckets, name) ?? [])
  const moved = names.filter((name) => missingDrift(history.buckets, name)?.moved)
  const shares = names.flatMap((name) => {
    const { missingShare } = summary.covariates[name]!
    return missingShare === null ? [] : [[cutName(name), percent(missingShare)] as const]
  })
  const lately =
    moved.length > 0 ? `; ${moved.join(' and ')} changed lately` : drifts.length === names.length ? '; no drift' : ''
  const said = shares.map(([name, share], i) =>
    i === 0 ? `${name} is missing in ${share} of decisions` : `${name} in ${share}`,
  )
  const title = said.length === 0 ? 'No decision yet' : `${said.join(', ')}${lately}`
  return (
    <Card id="missing" title={title} note="Share of decisions in which the value was missing.">
      <LineChart
        label="Missing share over time"
        x="time"
        xFormat={moment}
        yFormat={percent}
        yLabel="missing"
        yMin={0}
        yMax={1}
        height={170}
        ends={names.length > 1}
        lines={names.map((name, index) => ({
          name,
          color: seriesColor(index),
          points: withGaps(
            groups.map(({ time, buckets }) => {
              const decisions = buckets.reduce((sum, bucket) => sum + bucket.decisions, 0)
              const missing = buckets.reduce((sum, { covariates }) => sum + (covariates[name]?.missing ?? 0), 0)
              return { x: time, y: decisions === 0 ? null : missing / decisions }
            }),
            width,
          ),
        }))}
      />
      {names.map((name) => {
        const { reasons, missing, revealed } = summary.covariates[name]!
        const drift = missingDrift(history.buckets, name)
        return (
          <p key={name} className="small">
            <b>{name}</b>: {missing.toLocaleString('en')} missing, {revealed.toLocaleString('en')} known later. Reasons:{' '}
            {Object.keys(reasons).length === 0
              ? 'none given'
              : Object.entries(reasons)
                  .map(([reason, count]) => `${reason} ${percent(count / Math.max(1, missing))}`)
                  .join(', ')}
            .{' '}
            {drift === null ? null : (
              <span className={drift.moved ? 'warn' : 'quiet'}>
                {drift.moved ? 'Drift' : 'No drift'}: {percent(drift.before.share)} before, {percent(drift.now.share)}{' '}
                in the newest {drift.now.decisions.toLocaleString('en')}.
              </span>
            )}
          </p>
        )
      })}
    </Card>
  )
}
