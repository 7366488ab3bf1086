// primo study oracle-inequality (Thm 1, method#theory-checks): the error ||fhat - f*||_2 of the reward fit on imputed rows against N,
// uniform policy, linear class, next to what the theorem says of it: sqrt(E), sqrt(E_miss), sqrt(E_bias) and both bounds.

import type { StudySeries } from '@primo/lab'
import { formatEstimate, formatNumber } from '@primo/lab'
import type { Study, StudyOptions, StudyPlot, StudyResult, StudyTable } from '@primo/lab/node'
import { type OracleInequalitySize, oracleInequalityCurves } from './oracle-inequality-curves.js'
import { oracleInequalityVerdicts, type Reading, read, root } from './oracle-inequality-verdicts.js'
import { bandPoints, level, power } from './rate-figures.js'

function errorTable(readings: readonly Reading[]): StudyTable {
  return {
    title: '||fhat - f*|| on a fresh sample, mean ± standard error over repetitions',
    header: ['N', ...readings.map(({ name }) => name)],
    rows: [
      ...readings[0]!.sizes.map((n, i) => [
        n.toLocaleString('en'),
        ...readings.map(({ means }) => formatEstimate(means[i]!)),
      ]),
      ['limit', ...readings.map(({ limit }) => root(limit ** 2))],
      ['sqrt(E_bias)', ...readings.map(({ elasticities }) => root(elasticities.bias))],
      ['the same, mean over actions', ...readings.map(({ elasticities }) => root(elasticities.biasUniform))],
      ['sqrt(E_miss)', ...readings.map(({ elasticities }) => root(elasticities.missingOnly))],
      ['sqrt(E) printed', ...readings.map(({ elasticities }) => root(elasticities.printed))],
      ['slope in log N', ...readings.map(({ rate }) => formatEstimate(rate))],
    ],
  }
}

function boundTable(readings: readonly Reading[]): StudyTable {
  return {
    title: 'Thm 1 at the largest N',
    header: ['configuration', 'error', 'printed bound', 'times the error', 'corrected bound', 'times the error'],
    rows: readings.map(({ name, last, printed, corrected }) => [
      name,
      formatEstimate(last),
      printed.at(-1) === null ? 'infinite' : formatNumber(printed.at(-1)!),
      printed.at(-1) === null ? '' : formatNumber(printed.at(-1)! / last.mean),
      formatNumber(corrected.at(-1)!),
      formatNumber(corrected.at(-1)! / last.mean),
    ]),
  }
}

function errorPlot(title: string, readings: readonly Reading[], levels: readonly StudySeries[]): StudyPlot {
  const { sizes, means } = readings[0]!
  return {
    title,
    xLabel: 'rows N',
    yLabel: '||fhat - f*||',
    xLog: true,
    yLog: true,
    series: [
      ...readings.map((reading) => ({ name: reading.name, points: bandPoints(sizes, reading.means) })),
      power('N^-1/2', sizes, -0.5, [sizes[2]!, means[2]!.mean]),
      ...levels,
    ],
  }
}

function rootLevel({ name, sizes, elasticities }: Reading, which: 'missingOnly' | 'bias'): StudySeries {
  return level(`${which === 'bias' ? 'sqrt(E_bias)' : 'sqrt(E_miss)'}, ${name}`, sizes, Math.sqrt(elasticities[which]))
}

export function runOracleInequality(size: OracleInequalitySize, options: StudyOptions): StudyResult {
  const curves = oracleInequalityCurves(size, options)
  const readings = curves.map(read)
  return {
    settings: {
      policy: 'uniform',
      class: 'linear per action, ridge 0.05',
      N: `2^7 to 2^${size.lastExponent}`,
      repetitions: size.repeats,
      'fresh sample': size.fresh,
      'first seed': options.seed,
      scale: options.scale,
    },
    tables: [errorTable(readings), boundTable(readings)],
    plots: [
      errorPlot('Error of the reward fit without bias', readings.slice(0, 2), [rootLevel(readings[1]!, 'missingOnly')]),
      errorPlot(
        'Error of the reward fit with bias',
        readings.slice(2),
        readings.slice(3).map((reading) => rootLevel(reading, 'bias')),
      ),
    ],
    verdicts: oracleInequalityVerdicts(curves),
  }
}

export const oracleInequality: Study = {
  name: 'oracle-inequality',
  title: 'Theorem 1: the error of the reward fit on imputed rows',
  claim:
    'The reward fit errs by at most its own rate plus the square root of the elasticity; only the imputer’s bias stays, covariate noise does not.',
  run: async (options) =>
    runOracleInequality(
      options.scale === 'full'
        ? { lastExponent: 17, repeats: 30, fresh: 2 ** 18 }
        : { lastExponent: 16, repeats: 8, fresh: 2 ** 16 },
      options,
    ),
}
