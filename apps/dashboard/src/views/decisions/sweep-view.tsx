// How the choice would change along the range of a covariate.

import type { CovariateReply, FeatureValueType } from '@primo/contract'
import { actionColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { figure, percent } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { type SweepPoint, sweepTitle } from './sweep-findings.js'

interface SweepViewProps {
  readonly covariate: string
  readonly points: readonly SweepPoint[]
  readonly use: CovariateReply | undefined
  readonly truth: FeatureValueType | undefined
}

export function SweepView({ covariate, points, use, truth }: SweepViewProps) {
  const actions = Object.keys(points[0]?.propensities ?? {})
  const numeric = points.every(({ value }) => typeof value === 'number')
  const title = numeric ? sweepTitle(covariate, points) : `How ${covariate} would change the choice`
  if (!numeric)
    return (
      <Card id={`sweep-${covariate}`} wide title={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{covariate}</th>
              {actions.map((action) => (
                <th key={action} scope="col" className="number">
                  {action}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ value, propensities }) => (
              <tr key={String(value)}>
                <th scope="row">{String(value)}</th>
                {actions.map((action) => (
                  <td key={action} className="number">
                    {percent(propensities[action]!)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    )
  const marks = [
    ...(typeof use?.value === 'number' ? [{ x: use.value, label: use.status === 'observed' ? 'seen' : 'used' }] : []),
    ...(use?.status !== 'observed' && typeof use?.pretrained === 'number'
      ? [{ x: use.pretrained, label: 'model as it is' }]
      : []),
    ...(typeof truth === 'number' ? [{ x: truth, label: 'truth' }] : []),
  ]
  const lines = (pick: (point: SweepPoint) => Readonly<Record<string, number>>) =>
    actions.map((action, index) => ({
      name: action,
      color: actionColor(index),
      points: points.map((point) => ({ x: point.value as number, y: pick(point)[action]! })),
    }))
  return (
    <Card
      id={`sweep-${covariate}`}
      wide
      title={title}
      note={`Probability and score of each action if ${covariate} had been known to be this, under the policy that decided.`}
    >
      <LineChart
        label={`Probability of each action by ${covariate}`}
        x="number"
        axis={covariate}
        xLabel={covariate}
        xFormat={figure}
        yFormat={percent}
        yLabel="probability, if known"
        yMin={0}
        yMax={1}
        marks={marks}
        lines={lines(({ propensities }) => propensities)}
      />
      <LineChart
        label={`Score of each action by ${covariate}`}
        x="number"
        axis={covariate}
        xLabel={covariate}
        xFormat={figure}
        yFormat={figure}
        yLabel="score, if known"
        height={180}
        marks={marks.map(({ x }) => ({ x }))}
        lines={lines(({ scores }) => scores)}
      />
    </Card>
  )
}
