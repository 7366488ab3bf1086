// An analysis of a calibration as tables and pictures, for the terminal and for the HTML report that studies have too.

import { formatEstimate, formatInterval, formatNumber } from '../report/number-format.js'
import type { StudyPlot, StudyResult, StudyTable } from '../report/study.js'
import { studyDotPlot } from '../report/study-dot-plot.js'
import { textTable } from '../report/text-table.js'
import type { CalibrationAnalysis } from './analyse-calibration.js'
import type { IntervalEstimate } from './augmented-mean.js'
import type { CalibrationLine } from './calibration-line.js'
import type { Bounds } from './sensitivity.js'

function analysisTables(analysis: CalibrationAnalysis): readonly StudyTable[] {
  const { bias, squaredError, line, overlap, balance, sensitivity, shrinkage } = analysis
  return [
    {
      title: 'Model before and after calibration',
      header: ['figure', 'rows', 'as given', '95% interval', 'calibrated', '95% interval'],
      rows: (['all', 'missing'] as const).flatMap((target) => [
        ['bias E[g - z]', target, ...cells(bias[target].pretrained), ...cells(bias[target].calibrated)],
        ['squared error', target, ...cells(squaredError[target].pretrained), ...cells(squaredError[target].calibrated)],
      ]),
    },
    {
      title: 'Gain of calibrating and its shrinkage',
      header: ['figure', 'estimate', '95% interval'],
      rows: [
        ['squared error, calibrated - as given, all rows', ...cells(squaredError.all.difference)],
        ['squared error, calibrated - as given, missing rows', ...cells(squaredError.missing.difference)],
        ...(shrinkage === null ? [] : [['shrinkage before clipping to [0, 1]', ...cells(shrinkage)]]),
      ],
    },
    {
      title: 'Calibration line z = intercept + slope g',
      header: ['model', 'slope', 'intercept', 'mean distance over bins'],
      rows: [lineRow('as given', line.before), lineRow('calibrated', line.after)],
    },
    {
      title: 'Calibration curve with 95% bands',
      header: ['model', 'mean prediction', 'mean truth', '95% band', 'rows'],
      rows: (['before', 'after'] as const).flatMap((when) =>
        line[when].curve.map(({ prediction, truth, low, high, count }) => [
          when === 'before' ? 'as given' : 'calibrated',
          formatNumber(prediction, 4),
          formatNumber(truth, 4),
          formatInterval([low, high]),
          String(count),
        ]),
      ),
    },
    {
      title: `Overlap: rows by observation probability (effective rows ${Math.round(overlap.effectiveRows).toLocaleString('en')}, smallest probability ${formatNumber(overlap.smallest)})`,
      header: ['probability', 'observed', 'missing'],
      rows: overlap.bins.map(({ from, to, observed, missing }) => [
        `${from.toFixed(1)} to ${to.toFixed(1)}`,
        String(observed),
        String(missing),
      ]),
    },
    {
      title: 'Balance: standardised difference observed - missing',
      header: ['context column', 'before weighting', 'after'],
      rows: balance.map(({ column, before, after }) => [column, before.toFixed(3), after.toFixed(3)]),
    },
    ...sensitivityTables(sensitivity),
  ]
}

function thousandths(value: number): number {
  return Math.round(1000 * value) / 1000
}

function sensitivityTables(sensitivity: CalibrationAnalysis['sensitivity']): readonly StudyTable[] {
  const { shift, tilt, odds, robustness, residualSd, shiftThatUndoes } = sensitivity
  const figure = (value: number) => formatNumber(value, 3)
  const bounds = ({ low, high, band }: Bounds) =>
    `${low === high ? figure(low) : formatInterval([low, high])}${band === null ? '' : ` (${formatInterval([band.low, band.high])})`}`
  const value = (found: number | null) =>
    found === null ? 'beyond 100' : found === 1 ? '1 (no sign under MAR)' : figure(found)
  const header = ['bias as given', 'bias calibrated', 'gain: squared error difference']
  return [
    {
      title: `If missing values are shifted (z given the context has standard deviation ${figure(residualSd)}); the gain is gone at a shift of ${shiftThatUndoes === null ? 'no size' : figure(shiftThatUndoes)}`,
      header: ['shift of E[z | x]', ...header],
      rows: shift.map(({ delta, bias, difference }) => [
        figure(delta),
        figure(bias.pretrained),
        figure(bias.calibrated),
        figure(difference),
      ]),
    },
    {
      title: 'If missing values are tilted exponentially',
      header: ['tilt, in standard deviations', ...header],
      rows: tilt.map(({ alpha, bias, difference }) => [
        figure(alpha),
        figure(bias.pretrained),
        figure(bias.calibrated),
        figure(difference),
      ]),
    },
    {
      title: 'Bounds when the odds of being observed depend on z by a factor of at most (95% bootstrap band)',
      header: ['odds ratio', ...header],
      rows: odds.difference.map(({ lambda }, k) => [
        figure(lambda),
        bounds(odds.bias.pretrained[k]!),
        bounds(odds.bias.calibrated[k]!),
        bounds(odds.difference[k]!),
      ]),
    },
    {
      title: 'Robustness values: the odds ratio that it takes to make a sign doubtful',
      header: ['conclusion', 'odds ratio'],
      rows: [
        ['the model as given is biased on missing rows', value(robustness.pretrainedBias)],
        ['calibrating changes the error on missing rows', value(robustness.gain)],
      ],
    },
  ]
}

function cells({ value, se, low, high }: IntervalEstimate): [string, string] {
  const interval = low === null || high === null ? 'none, see below' : formatInterval([low, high])
  return [formatEstimate({ mean: value, standardError: se }), interval]
}

function lineRow(name: string, { slope, intercept, distance }: CalibrationLine): string[] {
  const cell = (found: CalibrationLine['slope']) =>
    found === null ? '-' : formatEstimate({ mean: found.value, standardError: found.se })
  return [name, cell(slope), cell(intercept), formatNumber(distance, 3)]
}

function finding({ covariate, rows, observed, squaredError }: CalibrationAnalysis): string {
  const { difference, pretrained } = squaredError.all
  const change = `${formatEstimate({ mean: difference.value, standardError: difference.se })} (${((100 * difference.value) / pretrained.value).toFixed(1)}%)`
  const verdict =
    difference.high !== null && difference.high < 0
      ? 'Calibrating helps'
      : difference.low !== null && difference.low > 0
        ? 'Calibrating harms'
        : 'The data do not show whether calibrating helps'
  return `${covariate}: ${observed.toLocaleString('en')} of ${rows.toLocaleString('en')} values observed. ${verdict}: it changes the squared error by ${change}.`
}

/** An analysis of a calibration for the terminal. */
export function analysisText(analysis: CalibrationAnalysis): string {
  return [
    finding(analysis),
    ...analysisTables(analysis).map(({ title, header, rows }) => `${title}\n\n${textTable(header, rows)}`),
    ...analysis.notes,
  ].join('\n\n')
}

/** The same as the result of a study, whose report it shares. */
export function analysisResult(analysis: CalibrationAnalysis): StudyResult {
  const { rows, observed, folds, repetitions, seed } = analysis
  return {
    settings: { covariate: analysis.covariate, rows, observed, folds, repetitions, seed },
    tables: analysisTables(analysis),
    plots: plots(analysis),
    verdicts: [],
    conclusion: finding(analysis),
  }
}

function plots({ line, overlap, balance, sensitivity, covariate }: CalibrationAnalysis): readonly StudyPlot[] {
  const curve = (name: string, { curve: bins }: CalibrationLine) => ({
    name,
    points: bins.map(({ prediction, truth, low, high }) => ({ x: prediction, y: truth, low, high })),
  })
  const ends = [...line.before.curve, ...line.after.curve].map(({ prediction }) => prediction)
  const [least, most] = [Math.min(...ends), Math.max(...ends)]
  const shares = (kind: 'observed' | 'missing') => {
    const total = overlap.bins.reduce((sum, bin) => sum + bin[kind], 0)
    return overlap.bins.map(({ from, to, [kind]: count }) => ({ x: (from + to) / 2, y: (100 * count) / total }))
  }
  return [
    {
      title: `Calibration of ${covariate}: mean truth by mean prediction`,
      xLabel: 'mean prediction',
      yLabel: 'mean truth',
      close: true,
      series: [
        curve('as given', line.before),
        curve('calibrated', line.after),
        { name: 'perfect', dashed: true, points: [least, most].map((x) => ({ x, y: x })) },
      ],
    },
    {
      title: 'Overlap: observed and missing rows by observation probability',
      xLabel: 'observation probability',
      yLabel: 'share of rows, %',
      series: [
        { name: 'observed', points: shares('observed') },
        { name: 'missing', points: shares('missing') },
      ],
    },
    ...(balance.length === 0
      ? []
      : [
          studyDotPlot({
            title: 'Balance: standardised difference of observed and missing rows',
            subtitle: 'after weighting the observed rows to look like the missing ones; up to 0.1 is usual',
            xLabel: 'difference',
            less: 'smaller where observed',
            more: 'larger where observed',
            whole: true,
            rows: balance.slice(0, 30).flatMap(({ column, before, after }) => [
              { name: column, color: 'grey' as const, seeds: [thousandths(before)] },
              { name: `${column}, weighted`, color: 'navy' as const, seeds: [thousandths(after)] },
            ]),
          }),
        ]),
    {
      title: 'Bounds of the gain on missing rows by the odds ratio',
      xLabel: 'odds ratio of being observed, given z',
      yLabel: 'squared error, calibrated - as given',
      series: [
        {
          name: 'upper bound',
          points: sensitivity.odds.difference.map(({ lambda, high }) => ({ x: lambda, y: high })),
        },
        { name: 'lower bound', points: sensitivity.odds.difference.map(({ lambda, low }) => ({ x: lambda, y: low })) },
        {
          name: 'no gain',
          dashed: true,
          points: sensitivity.odds.difference.map(({ lambda }) => ({ x: lambda, y: 0 })),
        },
      ],
    },
  ]
}
