// A calibration report for the terminal: what was found first, then the figures.

import { textTable } from '../report/text-table.js'
import type { CalibrationBin } from './calibration-curve.js'
import type { CalibrationReport, ConstantEstimate, LossReport } from './calibration-report.js'
import type { Estimate } from './weighted-mean.js'

/** A calibration report for the terminal. */
export function calibrationText(report: CalibrationReport): string {
  const { n, observed, observation, correction, loss, diagnostics } = report
  const parts = [
    finding(report),
    `${observed.toLocaleString('en')} of ${n.toLocaleString('en')} values observed (${percent(observed / n)}); observation model ${observation.kind}, AUC ${figure(observation.auc)}, smallest probability ${figure(observation.min)}, effective sample size ${Math.round(observation.effectiveSampleSize).toLocaleString('en')}.`,
    correction.rung === null
      ? 'Correction: none.'
      : `Correction: ${correction.rung}, shrinkage ${figure(correction.shrinkage)}, size ${figure(correction.ball.size)}${correction.ball.delta0 === null ? '' : ` in a ball of ${figure(correction.ball.delta0)}${correction.ball.active ? ' (binding)' : ''}`}.`,
    textTable(
      ['model', 'mean squared error', 'se', 'bias', 'se'],
      [lossRow('as given', loss.pretrained), lossRow('calibrated', loss.calibrated)],
    ),
    ...(report.constants === null
      ? []
      : [
          textTable(
            ['constant', 'estimate', '95% interval'],
            [
              ['delta0: error of the model against E[z | x]', ...constantCells(report.constants.delta0)],
              ['omega0: spread of z around E[z | x]', ...constantCells(report.constants.omega0)],
              ['tau: largest distance from E[z | x] seen', figure(report.constants.tau), 'none: an extreme'],
            ],
          ),
        ]),
    `Calibration curve (mean prediction and mean truth by bin)\n${curves(diagnostics.calibrationCurve)}`,
    textTable(
      ['context column', 'difference observed - missing', 'after weighting'],
      diagnostics.balance.map(({ column, before, after }) => [column, figure(before), figure(after)]),
    ),
    ...diagnostics.warnings.map(({ message }) => `Warning: ${message}`),
    ...report.notes,
  ]
  return parts.join('\n\n')
}

function finding({ n, observed, withoutPrediction, loss, correction }: CalibrationReport): string {
  const { difference } = loss
  if (difference === null || loss.pretrained.mse === null) {
    const why =
      observed === 0
        ? 'No value is observed'
        : withoutPrediction === n
          ? 'No row has a prediction that can be used'
          : 'No row has both an observed value and a prediction'
    return `${why}: nothing can be said about the model.`
  }
  if (correction.rung === null) return 'No correction helps on held-out rows: the model stays as it is.'
  const share = -difference.value / loss.pretrained.mse.value
  return `Calibration changes the model’s mean squared error by ${figure(difference.value)} ± ${figure(difference.se)} (${percent(-share)}) on held-out rows.`
}

function lossRow(name: string, { mse, bias }: LossReport): string[] {
  const single = bias !== null && isEstimate(bias) ? bias : null
  return [name, figure(mse?.value), figure(mse?.se), figure(single?.value), figure(single?.se)]
}

/** A category has one bias per level; its table would not fit here. */
function isEstimate(bias: NonNullable<LossReport['bias']>): bias is Estimate {
  return typeof bias.value === 'number'
}

function constantCells({ value, low, high }: ConstantEstimate): [string, string] {
  return [figure(value), low === null || high === null ? 'none, see below' : `${figure(low)} to ${figure(high)}`]
}

function curves({ before, after }: CalibrationReport['diagnostics']['calibrationCurve']): string {
  const cells = (bin: CalibrationBin | undefined) =>
    bin === undefined ? ['', '', ''] : [figure(bin.prediction), figure(bin.truth), String(bin.count)]
  const rows = Array.from({ length: Math.max(before.length, after.length) }, (_, i) => [
    String(i + 1),
    ...cells(before[i]),
    ...cells(after[i]),
  ])
  return textTable(['bin', 'as given', 'truth', 'rows', 'calibrated', 'truth', 'rows'], rows)
}

function figure(value: number | null | undefined): string {
  return value == null ? '-' : Math.abs(value) >= 100 ? value.toFixed(1) : Number(value.toPrecision(3)).toString()
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
