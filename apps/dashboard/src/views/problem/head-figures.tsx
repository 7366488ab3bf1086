// The four figures of a problem: what it earns against what is done without Primo, rewards back, missing values, latency.

import type { ProblemSummary, Trend } from '@primo/contract'
import { duration, figure, percent, whole } from '../../charts/number-format.js'
import { cutName } from '../../components/cut-name.js'
import { FigureTile } from '../../components/figure-tile.js'
import { Term } from '../../components/tooltip.js'
import { trendValues } from './trend-values.js'
import { useLatency } from './use-latency.js'
import { inWords } from './verdict.js'

interface HeadFiguresProps {
  readonly summary: ProblemSummary
  readonly trend: Trend | null
  readonly baseline: string | null
  /** Whether the difference to the baseline is more than noise. */
  readonly settled: boolean
}

export function HeadFigures({ summary, trend, baseline, settled }: HeadFiguresProps) {
  const latency = useLatency()
  const { decisions, closed, reward, covariates } = summary
  const hour = trend?.hour ?? null
  const went = (of: Parameters<typeof trendValues>[1]) => (trend === null ? [] : trendValues(trend, of))
  const earned = hour?.reward ?? reward.mean
  const gain = hour?.reward == null || hour.baseline === null || baseline === null ? null : hour.reward - hour.baseline
  const back = hour?.joined ?? (decisions === 0 ? null : closed / decisions)
  const shares = Object.entries(covariates).filter(([, { missingShare }]) => missingShare !== null)
  const most = [...shares].sort(([, a], [, b]) => b.missingShare! - a.missingShare!)[0]
  return (
    <dl className="tiles">
      <FigureTile
        name="Reward per decision, last hour"
        value={
          <span data-figure="mean" title={String(earned)}>
            {earned === null ? 'none yet' : figure(earned)}
          </span>
        }
        change={
          baseline === null
            ? 'no baseline to compare with'
            : gain === null
              ? `too little known about “${cutName(baseline)}”`
              : `≈ ${gain >= 0 ? '+' : '−'}${figure(Math.abs(gain))} against “${cutName(baseline)}”${settled ? '' : ', not settled'}`
        }
        trend={went(({ reward: mean }) => mean)}
      />
      <FigureTile
        name={
          <Term meaning="Of the decisions of the last hour: how many have their reward. Young ones may still wait.">
            Rewards back, last hour
          </Term>
        }
        value={back === null ? 'none yet' : percent(back)}
        change={
          decisions === 0 ? (
            'no decision yet'
          ) : (
            <>
              <span data-figure="closed">{whole(closed)}</span> of{' '}
              <span data-figure="decisions">{whole(decisions)}</span> in all
            </>
          )
        }
      />
      <FigureTile
        name={most === undefined ? 'Missing values' : `Missing: ${inWords(most[0])}`}
        value={most === undefined ? 'none yet' : percent(most[1].missingShare!)}
        change={
          shares.length < 2
            ? 'of decisions'
            : shares
                .filter(([name]) => name !== most?.[0])
                .map(([name, { missingShare }]) => `${inWords(name)} ${percent(missingShare!)}`)
                .join(', ')
        }
        trend={went(({ missing }) => missing)}
      />
      <FigureTile
        name={
          <Term meaning="99 of 100 calls to decide were answered within this time; all problems of the service together.">
            Answered within (p99)
          </Term>
        }
        value={latency.p99 === null ? 'no calls' : duration(1000 * latency.p99)}
        change={latency.median === null ? undefined : `half within ${duration(1000 * latency.median)}`}
        trend={latency.trend}
      />
    </dl>
  )
}
