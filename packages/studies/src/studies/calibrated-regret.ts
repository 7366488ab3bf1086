// primo study calibrated-regret (Thm 4): the excess of regret over the realised unavoidable regret (method#regret), with calibration and
// without, in environments A (reward linear in z) and B (quadratic), with all data, refresh and c = 100, and as printed (last
// epoch, c = 10). The excess still holds what exploration and the reward fit cost, which falls with T. A policy
// that sees all values pays that too under the same settings and seeds, so excess minus its regret, per round and by doubling
// of T, shows whether a linear part is left: the intercept of a line in T^-1/2, the parametric rate, through the doublings
// weighted by their precision.

import { formatEstimate, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyPlot, StudyResult, StudyTable } from '@primo/lab/node'
import {
  type CalibratedRegretSize,
  ENVIRONMENTS,
  type EnvironmentName,
  READ,
  regretCurves,
  SETTINGS,
} from './calibrated-regret-curves.js'
import { calibratedRegretVerdicts, type Reading, readingsOf } from './calibrated-regret-verdicts.js'
import { bandPoints, power } from './rate-figures.js'

function excessTable(environment: EnvironmentName, readings: readonly Reading[]): StudyTable {
  const { rounds } = readings[0]!
  return {
    title: `${environment}: excess over the unavoidable regret per round, by doubling of T (beyond the policy that sees all values)`,
    header: ['rounds', ...readings.map(({ learner, setting }) => `${learner}, ${setting}`)],
    rows: [
      ...rounds
        .slice(1)
        .map((end, i) => [
          `${rounds[i]!.toLocaleString('en')} to ${end.toLocaleString('en')}`,
          ...readings.map(
            ({ perRound, beyondMeans }) => `${formatEstimate(perRound[i]!)} (${formatEstimate(beyondMeans[i]!)})`,
          ),
        ]),
      ['limit beyond the policy that sees all values', ...readings.map(({ limit }) => formatEstimate(limit))],
      ['slope per round', ...readings.map(({ trend }) => formatEstimate(trend))],
      ['slope of the cumulative excess', ...readings.map(({ rate }) => formatEstimate(rate))],
      ['excess at T', ...readings.map(({ excess }) => formatEstimate(summarise(excess.map((one) => one.at(-1)!))))],
    ],
  }
}

function excessPlot(environment: EnvironmentName, readings: readonly Reading[]): StudyPlot {
  const ends = readings[0]!.rounds.slice(1)
  const calibrated = readings.find(({ learner }) => learner === 'PRIMO-Cal')!
  return {
    title: `${environment}: excess over the unavoidable regret per round`,
    xLabel: 'rounds T',
    yLabel: 'excess per round in the doubling that ends at T',
    xLog: true,
    yLog: true,
    series: [
      ...readings.map(({ learner, setting, perRound }) => ({
        name: `${learner}, ${setting === SETTINGS[0] ? 'c = 100' : 'c = 10'}`,
        points: bandPoints(ends, perRound),
      })),
      power('T^-1/2', ends, -0.5, [ends[0]!, calibrated.perRound[0]!.mean]),
    ],
  }
}

function beyondPlot(environment: EnvironmentName, readings: readonly Reading[]): StudyPlot {
  const ends = readings[0]!.rounds.slice(1)
  return {
    title: `${environment}: what is left beyond the policy that sees all values, ${SETTINGS[0]}`,
    xLabel: 'rounds T',
    yLabel: 'excess minus regret of the policy that sees all values, per round',
    xLog: true,
    series: readings
      .filter(({ setting }) => setting === SETTINGS[0])
      .map(({ learner, beyondMeans }) => ({ name: learner, points: bandPoints(ends, beyondMeans) })),
  }
}

export async function runCalibratedRegret(size: CalibratedRegretSize, options: StudyOptions): Promise<StudyResult> {
  const curves = await regretCurves(size, options)
  const readings = readingsOf(curves)
  const inside = (environment: EnvironmentName) => readings.filter((one) => one.environment === environment)
  return {
    settings: {
      environments: ENVIRONMENTS.join(', '),
      rounds: 2 ** size.lastExponent,
      seeds: size.repeats,
      'first seed': options.seed,
      'doublings read': READ,
      scale: options.scale,
    },
    tables: ENVIRONMENTS.map((environment) => excessTable(environment, inside(environment))),
    plots: ENVIRONMENTS.flatMap((environment) => [
      excessPlot(environment, inside(environment)),
      beyondPlot(environment, inside(environment)),
    ]),
    verdicts: calibratedRegretVerdicts(curves),
  }
}

export const calibratedRegret: Study = {
  name: 'calibrated-regret',
  title: 'Theorem 4: excess over the unavoidable regret with and without calibration',
  claim:
    'With calibration the regret beyond the unavoidable is sublinear where the reward is linear in z; without it the excess is linear.',
  run: (options) =>
    runCalibratedRegret(
      options.scale === 'full' ? { lastExponent: 17, repeats: 20 } : { lastExponent: 16, repeats: 12 },
      options,
    ),
}
