// The cost of missing values: in all, over time, and for one value of each covariate.

import type { History } from '@primo/contract'
import { seriesColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { figure, moment, percent } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Term } from '../../components/tooltip.js'
import { costOfMissing } from './cost-of-missing.js'

interface CostPanelProps {
  readonly history: History
  readonly rewardRange: number
}

/** Less than this share of the rewards' range is no more than rounding. */
const NOTHING = 1e-5

export function CostPanel({ history, rewardRange }: CostPanelProps) {
  const { mean, points, changing, ofOne } = costOfMissing(history)
  return (
    <Card
      id="cost"
      title={
        mean === null
          ? 'The cost of missing values is not known yet'
          : mean < 1000 * NOTHING * rewardRange
            ? 'Not knowing the missing values costs next to nothing'
            : `Not knowing the missing values costs about ${figure(mean)} of reward per 1,000 decisions`
      }
      note="The gain from knowing them, as predicted when deciding; summed over the missing values."
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
      {changing === null ? null : (
        <>
          <p className="small">
            <Term meaning="Share of missing values whose knowledge could make another action the best one.">
              Could change the choice
            </Term>
            : {percent(changing)} of the missing values.
          </p>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">value</th>
                  <th scope="col" className="number">
                    <Term meaning="Average reward gained by knowing one missing value.">value of knowing one</Term>
                  </th>
                </tr>
              </thead>
              <tbody>
                {Object.entries(ofOne).map(([covariate, worth]) => (
                  <tr key={covariate}>
                    <th scope="row">
                      <CutName name={covariate} />
                    </th>
                    <td className="number">
                      {Math.abs(worth) < NOTHING * rewardRange ? 'next to nothing' : figure(worth)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Card>
  )
}
