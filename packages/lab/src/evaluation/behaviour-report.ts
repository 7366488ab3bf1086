// A behaviour model as sentences, a table and pictures: how far the estimated propensities come true, and how small they get.

import { formatNumber } from '../report/number-format.js'
import type { StudyPlot, StudyTable } from '../report/study.js'
import { textTable } from '../report/text-table.js'
import type { BehaviourModel } from './behaviour-model.js'

const CLASS_WORDS = { linear: 'logit', products: 'logit with products', trees: 'trees' } as const

/** How propensities were estimated, in sentences. */
function behaviourSentence(model: BehaviourModel): string {
  const { rivals, loss, sharesLoss, clippedShare, smallest } = model
  const wider =
    rivals.length === 0
      ? 'No other class of models is as good.'
      : `${rivals.map((kind) => CLASS_WORDS[kind]).join(' and ')} ${rivals.length === 1 ? 'is' : 'are'} as good as far as the log can tell, and intervals are wider by what ${rivals.length === 1 ? 'that' : 'they'} would change.`
  return `Propensities are estimated (${CLASS_WORDS[model.class]}): held-out log loss ${formatNumber(loss)}, ${formatNumber(sharesLoss - loss)} less than by the actions’ shares; ${(100 * clippedShare).toFixed(1)}% of the rows were raised to the minimum, the smallest is ${formatNumber(smallest)}. ${wider} Whatever chose the actions and is not in the log is not accounted for.`
}

function calibrationTable({ calibration }: BehaviourModel): StudyTable {
  return {
    title: 'Calibration of the estimated propensities',
    header: ['estimated', 'played', 'rows x actions'],
    rows: calibration.map(({ predicted, played, count }) => [
      predicted.toFixed(3),
      played.toFixed(3),
      count.toLocaleString('en'),
    ]),
  }
}

function overlapTable({ overlap }: BehaviourModel): StudyTable {
  const at = (quantiles: BehaviourModel['overlap'][number]['quantiles'], wanted: number) =>
    quantiles.find(({ share }) => share === wanted)?.propensity.toFixed(3) ?? '-'
  return {
    title: 'Overlap: estimated propensity of each action over the rows',
    header: ['action', 'played', 'smallest', '5%', 'median', '95%', 'largest'],
    rows: overlap.map(({ action, played, quantiles }) => [
      action,
      `${(100 * played).toFixed(1)}%`,
      ...[0, 0.05, 0.5, 0.95, 1].map((share) => at(quantiles, share)),
    ]),
  }
}

/** The behaviour model for the terminal. */
export function behaviourText(model: BehaviourModel): string {
  return [
    behaviourSentence(model),
    ...behaviourTables(model).map(({ title, header, rows }) => `${title}\n\n${textTable(header, rows)}`),
  ].join('\n\n')
}

export function behaviourTables(model: BehaviourModel): readonly StudyTable[] {
  return [calibrationTable(model), overlapTable(model)]
}

/** The same facts as the sentence, for a page. */
export function behaviourFacts(model: BehaviourModel): StudyTable {
  const { rivals, loss, sharesLoss, clippedShare, smallest } = model
  return {
    title: 'How propensities were estimated',
    header: ['figure', 'value'],
    rows: [
      ['class of the model', CLASS_WORDS[model.class]],
      ['as good, as far as the log can tell', rivals.map((kind) => CLASS_WORDS[kind]).join(', ') || 'no other class'],
      ['held-out log loss', formatNumber(loss)],
      ['log loss by the actions’ shares', formatNumber(sharesLoss)],
      ['rows raised to the minimum', `${(100 * clippedShare).toFixed(1)}%`],
      ['smallest propensity of a played action', formatNumber(smallest)],
    ],
  }
}

/** Calibration with bands of two standard errors, and overlap as sorted propensities. */
export function behaviourPlots({ calibration, overlap }: BehaviourModel): readonly StudyPlot[] {
  return [
    {
      title: 'Calibration: how often actions were played, by estimated propensity',
      xLabel: 'estimated propensity',
      yLabel: 'share played',
      series: [
        {
          name: 'played',
          points: calibration.map(({ predicted, played, count }) => {
            const error = 2 * Math.sqrt((predicted * (1 - predicted)) / count)
            return { x: predicted, y: played, low: Math.max(0, played - error), high: Math.min(1, played + error) }
          }),
        },
        {
          name: 'as estimated',
          dashed: true,
          points: [0, 1].map((p) => ({ x: p, y: p })),
        },
      ],
    },
    {
      title: 'Overlap: estimated propensity of each action, rows in its order',
      xLabel: 'share of the rows',
      yLabel: 'estimated propensity',
      series: overlap.map(({ action, quantiles }) => ({
        name: action,
        points: quantiles.map(({ share, propensity }) => ({ x: share, y: propensity })),
      })),
    },
  ]
}
