// primo study calibration-rate (Thm 3, method#theory-checks): how the error ||g^ - g*|| of the calibrated model depends on the
// number of rows, on the size delta0 of the ball in either norm (E17), and on a wrong observation model (E16).
// Errors of estimators by Monte Carlo; the exponents of the critical radius, which have no sampling noise, stand beside them.

import { formatEstimate } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, StudyTable } from '@primo/lab/node'
import { type CalibrationRateSize, type Curves, calibrationRates, OBSERVATIONS } from './calibration-rate-curves.js'
import { calibrationRateVerdicts, rate } from './calibration-rate-verdicts.js'
import { DELTA0 } from './linear-calibration.js'
import { bandPoints, level, power, summariesOf } from './rate-figures.js'

function curveTable(title: string, first: string, named: Readonly<Record<string, Curves>>): StudyTable {
  const entries = Object.entries(named).map(([name, curves]) => ({ name, curves, means: summariesOf(curves.errors) }))
  return {
    title,
    header: [first, ...entries.map(({ name }) => name)],
    rows: [
      ...entries[0]!.curves.x.map((x, i) => [
        x.toLocaleString('en'),
        ...entries.map(({ means }) => formatEstimate(means[i]!)),
      ]),
      ['slope', ...entries.map(({ curves }) => formatEstimate(rate(curves)))],
    ],
  }
}

function series(name: string, { x, errors }: Curves) {
  return { name, points: bandPoints(x, summariesOf(errors)) }
}

function through({ x, errors }: Curves): readonly [number, number] {
  return [x.at(-1)!, summariesOf(errors).at(-1)!.mean]
}

export function runCalibrationRate(size: CalibrationRateSize, options: StudyOptions): StudyResult {
  const rates = calibrationRates(size, options)
  const { right, half, weighted, sobolev, complexityBall, l2Ball } = rates
  const byRows = { xLabel: 'rows N', yLabel: '||g^ - g*||', xLog: true, yLog: true }
  const byBall = { ...byRows, xLabel: 'delta0' }
  return {
    settings: {
      linear: `6 columns, delta0 = ${DELTA0.toFixed(3)}, ${size.linearRepeats} repetitions`,
      Sobolev: `64 cosines, d = 1, ${size.sobolevRepeats} repetitions`,
      'first seed': options.seed,
      scale: options.scale,
    },
    tables: [
      curveTable('Linear case, Alg.2 as printed', 'N', { 'right ball': right, 'half ball': half }),
      curveTable('Linear case, e-hat given', 'N', weighted),
      curveTable('Sobolev case, complexity ball of size 1', 'N', { error: sobolev }),
      curveTable(`Complexity ball, N = ${size.ballRows}`, 'delta0', { error: complexityBall }),
      curveTable(`L2 ball, N = ${size.ballRows}`, 'delta0', { error: l2Ball }),
    ],
    plots: [
      {
        title: 'Linear class, with the right ball and with half of it',
        ...byRows,
        series: [
          series('right ball', right),
          series('half ball', half),
          power('N^-1/2', right.x, -0.5, through(right)),
          level('delta0 / 2', right.x, DELTA0 / 2),
        ],
      },
      {
        title: 'Linear class, with an observation model that is given',
        ...byRows,
        series: [
          ...OBSERVATIONS.map((name) => series(name, weighted[name])),
          power('N^-1/2', right.x, -0.5, through(weighted['constant e'])),
        ],
      },
      {
        title: 'Sobolev class with d = 1',
        ...byRows,
        series: [series('error', sobolev), power('N^-1/3', sobolev.x, -1 / 3, through(sobolev))],
      },
      {
        title: 'Error against the size of the ball',
        ...byBall,
        series: [
          series('complexity ball', complexityBall),
          series('L2 ball', l2Ball),
          power('delta0^(1/3)', complexityBall.x, 1 / 3, through(complexityBall)),
        ],
      },
    ],
    verdicts: calibrationRateVerdicts(rates),
  }
}

export const calibrationRate: Study = {
  name: 'calibration-rate',
  title: 'Theorem 3: the error of the calibrated model',
  claim:
    'Calibration learns at the rate of its class; the L2 ball of radius delta0 does not change the rate, a complexity ball does; a wrong observation model costs variance only.',
  run: async (options) =>
    runCalibrationRate(
      options.scale === 'full'
        ? { linearExponent: 16, linearRepeats: 60, sobolevExponent: 15, sobolevRepeats: 60, ballRows: 4096 }
        : { linearExponent: 13, linearRepeats: 30, sobolevExponent: 13, sobolevRepeats: 20, ballRows: 2048 },
      options,
    ),
}
