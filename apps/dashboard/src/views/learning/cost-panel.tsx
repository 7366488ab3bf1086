// What not knowing the missing values costs: worth of observing, choices that could change, elasticity.

import type { History } from '@primo/contract'
import { seriesColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { figure, moment, percent } from '../../charts/number-format.js'
import { withGaps } from '../../charts/series.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Term } from '../../components/tooltip.js'
import { groupedBuckets } from '../problem/grouped-buckets.js'
import { type LearntEpoch, newestDiagnosis } from './learnt.js'

interface CostPanelProps {
  readonly history: History
  readonly epochs: readonly LearntEpoch[]
  readonly rewardRange: number
}

/** Less than this share of the rewards' range is no more than rounding. */
const NOTHING = 1e-5

export function CostPanel({ history, epochs, rewardRange }: CostPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  const cost = diagnosis?.costOfMissingness ?? null
  const { groups, width } = groupedBuckets(history.buckets, history.width)
  const points = withGaps(
    groups.map(({ time, buckets }) => {
      const decisions = buckets.reduce((sum, bucket) => sum + bucket.decisions, 0)
      const worths = buckets.flatMap(({ covariates }) => Object.values(covariates).map(({ observing }) => observing))
      const known = worths.some(({ count }) => count > 0)
      return { x: time, y: known ? (1000 * worths.reduce((sum, one) => sum + one.sum, 0)) / decisions : null }
    }),
    width,
  )
  const observing = history.buckets.flatMap(({ covariates }) => Object.values(covariates).map((one) => one.observing))
  const known = observing.reduce((sum, { count }) => sum + count, 0)
  const positive = observing.reduce((sum, one) => sum + one.positive, 0)
  return (
    <Card
      id="cost"
      title={
        cost === null
          ? 'What missing values cost is not known yet'
          : cost < 1000 * NOTHING * rewardRange
            ? 'Not knowing the missing values costs next to nothing'
            : `Not knowing the missing values costs about ${figure(cost)} of reward per 1,000 decisions`
      }
      note="What knowing them would gain, as the models see it when deciding; summed over the missing values."
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
        lines={[{ name: 'value of observing', color: seriesColor(8), points }]}
      />
      {known === 0 ? null : (
        <p className="small">
          <Term meaning="Share of missing values whose knowledge could make another action the best one.">
            Could change the choice
          </Term>
          : {percent(positive / known)} of the missing values.
        </p>
      )}
      {diagnosis === null ? null : (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">value</th>
                <th scope="col" className="number">
                  <Term meaning="Reward that knowing one missing value would gain, on average.">
                    worth of knowing one
                  </Term>
                </th>
                <th scope="col" className="number">
                  <Term
                    meaning={`How much predicted rewards move with the error of the predicted value, in squared units of the mean reward's range (${figure(rewardRange)}).`}
                  >
                    elasticity
                  </Term>
                </th>
              </tr>
            </thead>
            <tbody>
              {diagnosis.covariates.map(({ covariate, elasticity, valueOfObserving }) => (
                <tr key={covariate}>
                  <th scope="row">
                    <CutName name={covariate} />
                  </th>
                  <td className="number">{small(valueOfObserving?.mean.estimate, rewardRange)}</td>
                  <td className="number">{small(elasticity?.missingOnly.estimate, 1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}

function small(value: number | undefined, range: number): string {
  if (value === undefined) return 'not known'
  return Math.abs(value) < NOTHING * range ? 'next to nothing' : figure(value)
}
