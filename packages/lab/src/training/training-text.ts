// A trained model in words: the conclusion first, then the tables.

import type { TrainedModel } from '@primo/core'
import { textTable } from '../report/text-table.js'

const short = (value: number) => (value === 0 ? '0' : Number(value.toPrecision(4)).toString())
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`

/** One sentence: which class predicts the covariate, how well, and whether it is worth using. */
export function trainingConclusion({ covariate, target, card }: TrainedModel): string {
  const unit = target.type === 'number' ? 'root mean squared error' : 'log loss'
  const than = target.type === 'number' ? 'the mean' : 'the shares'
  const figures = `held-out ${unit} ${short(card.error)} against ${short(card.constantError)} of ${than} alone`
  if (card.explained < 0.005)
    return `${covariate} cannot be predicted from these features: ${figures}. A constant does as well.`
  return `${covariate} is best predicted by ${card.class}: ${figures} (${percent(card.explained)} explained, ${card.observed.toLocaleString('en')} of ${card.rows.toLocaleString('en')} rows seen).`
}

/** The conclusion, the classes that were tried, what matters, and the calibration curve. */
export function trainingText(model: TrainedModel): string {
  const { card, target } = model
  const number = target.type === 'number'
  const loss = (value: number) => short(number ? Math.sqrt(value) : value)
  const most = card.importance[0]?.rise ?? 0
  const levels = target.type === 'category'
  return [
    trainingConclusion(model),
    textTable(
      ['class', number ? 'held-out rmse' : 'held-out log loss', 'rows', ''],
      card.tried.map(({ class: name, loss: value, rows, chosen }) => [
        name,
        loss(value),
        rows.toLocaleString('en'),
        chosen ? 'chosen' : '',
      ]),
    ),
    textTable(
      ['feature', 'importance'],
      card.importance
        .slice(0, 12)
        .map(({ feature, rise }) => [feature, most > 0 ? percent(Math.max(0, rise) / most) : '0%']),
    ),
    textTable(
      [...(levels ? ['level'] : []), 'predicted', 'observed', 'rows'],
      card.calibration.map(({ level, predicted, observed, rows }) => [
        ...(levels ? [level!] : []),
        short(predicted),
        short(observed),
        rows.toLocaleString('en'),
      ]),
    ),
    `not for: ${card.notFor.map((line) => `\n  - ${line}`).join('')}`,
  ].join('\n\n')
}
