// (4) Imputer calibration before and after.

import type { ProblemDefinition } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { figure, percent, whole } from '../charts/number-format.js'
import { errorsByEpoch, type LearntEpoch, newestDiagnosis } from './learnt.js'
import { Panel } from './panel.js'

interface CalibrationPanelProps {
  readonly definition: ProblemDefinition
  readonly epochs: readonly LearntEpoch[]
}

export function CalibrationPanel({ definition, epochs }: CalibrationPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  const names = Object.keys(definition.covariates)
  const series = names.map((name) => ({ name, rows: errorsByEpoch(epochs, name) }))
  const first = series.find(({ rows }) => rows.length > 0)
  const last = first?.rows.at(-1)
  const title =
    first === undefined || last === undefined
      ? 'Too few values have been seen to judge the pre-trained model'
      : last.calibrated < last.pretrained
        ? `Calibration cut the error on missing ${first.name} by ${percent(1 - last.calibrated / last.pretrained)}`
        : `The pre-trained model of ${first.name} needs no correction so far`
  return (
    <Panel
      id="calibration"
      title={title}
      note="Root mean square error on missing values by epoch, estimated from observed ones (missing at random given the context), 95% intervals."
    >
      {series.map(({ name, rows }) => (
        <LineChart
          key={name}
          label={`Error of the pre-trained and the calibrated model of ${name}`}
          x="count"
          xLabel="decisions"
          xFormat={whole}
          yFormat={figure}
          yLabel={`error in units of ${name}`}
          yMin={0}
          height={190}
          lines={[
            {
              name: 'pre-trained',
              color: 'var(--c-primo)',
              points: rows.map(({ rounds, pretrained, pretrainedLimits: [low, high] }) => ({
                x: rounds,
                y: pretrained,
                low,
                high,
              })),
            },
            {
              name: 'calibrated',
              color: 'var(--c-primo-cal)',
              thick: true,
              points: rows.map(({ rounds, calibrated, calibratedLimits: [low, high] }) => ({
                x: rounds,
                y: calibrated,
                low,
                high,
              })),
            },
          ]}
        />
      ))}
      {diagnosis?.covariates.map(({ covariate, known, correction }) => (
        <p key={covariate} className="small quiet">
          {covariate}: {whole(known)} seen values judged; in use: {correction.use}
          {correction.rung === null ? '' : `, ${correction.rung} correction`}
          {correction.shrinkage === null ? '' : `, ${percent(correction.shrinkage)} of it kept`}
          {correction.residualSd === null ? '' : `; it leaves a spread of ${figure(correction.residualSd)}`}.
        </p>
      ))}
    </Panel>
  )
}
