// primo study regret-elasticity (Thm 2): what the imputer's error costs per round, against the square root of the elasticity.
// Environment A, PRIMO with all data and c = 100 (exploration small), the imputer's bias turned from 0 to 3, under MCAR, MAR and
// MNAR of either sign. The cost is the regret per round of the last half minus that of the policy that sees all values,
// paired by seed: that policy pays the theorem's other terms (exploration, reward fit), so the rest is what the linear term must
// cover, including the unavoidable regret.

import { formatEstimate, formatNumber, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult } from '@primo/lab/node'
import { bandPoints } from './rate-figures.js'
import { BIASES, C, elasticityPoints, type RegretElasticitySize } from './regret-elasticity-points.js'
import { linesOf, ROOT_K, regretElasticityVerdicts } from './regret-elasticity-verdicts.js'

export async function runRegretElasticity(size: RegretElasticitySize, options: StudyOptions): Promise<StudyResult> {
  const points = await elasticityPoints(size, options)
  const lines = linesOf(points)
  const seeing = summarise(points[0]!.seeing)
  const roots = lines.flatMap(({ readings }) => readings.map(({ rootMissing }) => rootMissing))
  return {
    settings: {
      environment: 'A',
      policy: `PRIMO, all data, c = ${C}`,
      rounds: size.rounds,
      seeds: size.repeats,
      'first seed': options.seed,
      'bias of the imputer': BIASES.join(', '),
      'draws for E': size.draws,
      scale: options.scale,
    },
    tables: [
      {
        title: `Per round of the last half; the policy that sees all values has regret ${formatEstimate(seeing)}`,
        header: [
          'mechanism',
          'bias',
          'sqrt(E) printed',
          'sqrt(E_miss)',
          'sqrt(E_bias)',
          'regret',
          'cost (minus sees all values)',
          'unavoidable',
          'cost / sqrt(K E_miss)',
        ],
        rows: lines.flatMap(({ mechanism, readings }) =>
          readings.map((reading) => [
            mechanism,
            String(reading.bias),
            formatNumber(reading.rootPrinted),
            formatNumber(reading.rootMissing),
            formatNumber(reading.rootBias),
            formatEstimate(reading.total),
            formatEstimate(reading.cost),
            formatEstimate(summarise(reading.floor)),
            formatNumber(reading.cost.mean / (ROOT_K * reading.rootMissing), 2),
          ]),
        ),
      },
      {
        title: 'Cost per round on sqrt(E_miss), least squares by seed',
        header: ['mechanism', 'slope', 'intercept', 'slope / sqrt(K)'],
        rows: lines.map(({ mechanism, slope, intercept }) => [
          mechanism,
          formatEstimate(slope),
          formatEstimate(intercept),
          formatNumber(slope.mean / ROOT_K, 2),
        ]),
      },
    ],
    plots: [
      {
        title: 'Cost of imputation against the square root of the elasticity',
        xLabel: 'sqrt(E_miss)',
        yLabel: 'cost per round (regret minus that of the policy that sees all values)',
        series: lines.map(({ mechanism, readings }) => ({
          name: mechanism,
          points: bandPoints(
            readings.map(({ rootMissing }) => rootMissing),
            readings.map(({ cost }) => cost),
          ),
        })),
      },
      {
        title: 'Cost of imputation against the theorem’s linear term',
        xLabel: 'sqrt(E_miss)',
        yLabel: 'per round',
        yLog: true,
        series: [
          ...lines.map(({ mechanism, readings }) => ({
            name: mechanism,
            points: bandPoints(
              readings.map(({ rootMissing }) => rootMissing),
              readings.map(({ cost }) => cost),
            ),
          })),
          {
            name: 'sqrt(K) sqrt(E_miss)',
            dashed: true,
            points: [Math.min(...roots), Math.max(...roots)].map((x) => ({ x, y: ROOT_K * x })),
          },
        ],
      },
    ],
    verdicts: regretElasticityVerdicts(points),
  }
}

export const regretElasticity: Study = {
  name: 'regret-elasticity',
  title: 'Theorem 2: regret against the square root of the elasticity',
  claim:
    'Whatever the mechanism, what imputation costs per round grows with the square root of the elasticity and stays below sqrt(K) times it.',
  run: (options) =>
    runRegretElasticity(
      options.scale === 'full'
        ? { rounds: 2 ** 17, repeats: 12, draws: 2 ** 18 }
        : { rounds: 2 ** 14, repeats: 5, draws: 2 ** 15 },
      options,
    ),
}
