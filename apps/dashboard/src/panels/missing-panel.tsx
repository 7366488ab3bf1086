// (3) Missing share per covariate and reason, with drift.

import type { History, ProblemSummary } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { moment, percent } from '../charts/number-format.js'
import { seriesColor } from '../charts/share-chart.js'
import { missingDrift } from './missing-findings.js'
import { Panel } from './panel.js'

interface MissingPanelProps {
  readonly summary: ProblemSummary
  readonly history: History
}

export function MissingPanel({ summary, history }: MissingPanelProps) {
  const names = Object.keys(summary.covariates)
  const [first] = names
  const share = first === undefined ? null : summary.covariates[first]!.missingShare
  const moved = names.filter((name) => missingDrift(history.buckets, name)?.moved)
  const title =
    share === null
      ? 'No decision yet'
      : `${first} is missing in ${percent(share)} of decisions${moved.length > 0 ? `; ${moved.join(' and ')} changed recently` : ', steadily'}`
  return (
    <Panel id="missing" title={title} note="Share of decisions in which a covariate was missing.">
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
          points: history.buckets
            .filter(({ decisions }) => decisions > 0)
            .map(({ time, decisions, covariates }) => ({ x: time, y: (covariates[name]?.missing ?? 0) / decisions })),
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
    </Panel>
  )
}
