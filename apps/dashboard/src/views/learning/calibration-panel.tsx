// The model of each covariate before and after correction: its error where the value is missing.

import type { ProblemDefinition } from '@primo/contract'
import type { EpochDiagnosis } from '@primo/core'
import { policyColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { figure, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { cutName } from '../../components/cut-name.js'
import { correctionSentence, setSentence, usedOutside } from './calibration-findings.js'
import { type ErrorByEpoch, errorsByEpoch, type LearntEpoch, newestDiagnosis } from './learnt.js'

interface CalibrationPanelProps {
  readonly definition: ProblemDefinition
  readonly epochs: readonly LearntEpoch[]
}

const USED = {
  pretrained: 'the model as it is',
  calibrated: 'the corrected model',
  constant: 'a constant',
} as const

export function CalibrationPanel({ definition, epochs }: CalibrationPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  return (
    <div className="stack" id="calibration">
      {Object.keys(definition.covariates).map((name) => {
        const rows = errorsByEpoch(epochs, name)
        const said = diagnosis?.covariates.find(({ covariate }) => covariate === name)
        return (
          <Card
            key={name}
            id={`calibration-${name}`}
            title={correctionSentence(cutName(name), rows)}
            note="Root mean square error where the value is missing, estimated from seen values, with 95% intervals."
          >
            <LineChart
              label={`Error of the model of ${name} as it is and corrected`}
              x="count"
              axis="rounds"
              xLabel="decisions"
              xFormat={whole}
              yFormat={figure}
              yLabel={`error in units of ${cutName(name)}`}
              yMin={0}
              height={190}
              lines={[
                line('as it is', policyColor('primo'), rows, 'pretrained'),
                { ...line('corrected', policyColor('primo-cal'), rows, 'calibrated'), thick: true },
              ]}
            />
            {said === undefined ? null : <p className="small quiet">{correctionWords(said)}</p>}
            {said?.missingSet === undefined ? null : (
              <p className={usedOutside(said.missingSet) ? 'small note' : 'small quiet'}>
                {setSentence(said.missingSet)}
              </p>
            )}
          </Card>
        )
      })}
    </div>
  )
}

type Said = EpochDiagnosis['covariates'][number]

function correctionWords({ known, correction: { use, residualSd } }: Said): string {
  const open = residualSd === null ? '' : ` True values lie about ${figure(residualSd)} around it.`
  return `Judged by ${whole(known)} seen values. In use: ${USED[use]}.${open}`
}

function line(name: string, color: string, rows: readonly ErrorByEpoch[], which: 'pretrained' | 'calibrated') {
  return {
    name,
    color,
    points: rows.map((row) => {
      const [low, high] = row[`${which}Limits`]
      return { x: row.rounds, y: row[which], low, high }
    }),
  }
}
