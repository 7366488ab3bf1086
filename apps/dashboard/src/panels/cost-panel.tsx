// (5) What missingness costs: value of observing, decisions that could flip, elasticity.

import type { History } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { figure, moment, percent } from '../charts/number-format.js'
import { type LearntEpoch, newestDiagnosis } from './learnt.js'
import { Facts, Panel } from './panel.js'

interface CostPanelProps {
  readonly history: History
  readonly epochs: readonly LearntEpoch[]
  readonly rewardRange: number
}

export function CostPanel({ history, epochs, rewardRange }: CostPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  const cost = diagnosis?.costOfMissingness ?? null
  const points = history.buckets
    .filter(({ decisions }) => decisions > 0)
    .map(({ time, decisions, covariates }) => ({
      x: time,
      y: (1000 * Object.values(covariates).reduce((sum, { observing }) => sum + observing.sum, 0)) / decisions,
    }))
  const observing = history.buckets.flatMap(({ covariates }) => Object.values(covariates).map((one) => one.observing))
  const known = observing.reduce((sum, { count }) => sum + count, 0)
  const positive = observing.reduce((sum, one) => sum + one.positive, 0)
  return (
    <Panel
      id="cost"
      title={
        cost === null
          ? 'What missing values cost is not known yet'
          : `Not knowing the missing values costs about ${figure(cost)} of reward per 1,000 decisions`
      }
      note="Expected gain from observing, summed over missing values, as the models see it when deciding."
    >
      <LineChart
        label="Value of observing per 1,000 decisions over time"
        x="time"
        xFormat={moment}
        yFormat={figure}
        yLabel="reward per 1,000 decisions"
        yMin={0}
        height={170}
        ends={false}
        lines={[{ name: 'value of observing', color: 'var(--c-primo)', points }]}
      />
      <Facts
        facts={[
          ['decisions that could flip', known === 0 ? 'not known' : `${percent(positive / known)} of missing`],
          ...(diagnosis?.covariates ?? []).flatMap(({ covariate, elasticity, valueOfObserving }) => [
            [
              `elasticity to ${covariate}`,
              elasticity === null ? 'not known' : figure(elasticity.missingOnly.estimate),
            ] as const,
            [
              `worth of one ${covariate}`,
              valueOfObserving === null ? 'not known' : figure(valueOfObserving.mean.estimate),
            ] as const,
          ]),
        ]}
      />
      <p className="quiet small">
        Elasticity is in squared units of the mean reward's range ({figure(rewardRange)}): how much predicted rewards
        move with the error of the imputed value.
      </p>
    </Panel>
  )
}
