// primo study evaluation: bias and coverage of the off-policy estimators in a world with known values: many logs, the
// same question of each.

import type { EstimatorName, EvaluationInterval } from '@primo/lab'
import {
  crossFittedRewards,
  evaluatePolicy,
  fitObserving,
  foldParts,
  formatEstimate,
  formatFixed,
  randomFolds,
  valueOfObserving,
} from '@primo/lab'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import type { Figures } from '../runner/study-spec.js'
import { arm, column, estimate, figure, table, world } from '../runner/tables.js'
import { covers } from '../runner/verdicts.js'
import { drawLog, SMALLEST_PROPENSITY, trueValues } from './evaluation-world.js'

/** Not among them: the direct estimator, which is biased, and those that trade bias for variance. */
const UNBIASED = ['ips', 'snips', 'dr', 'replay', 'ips, z always', 'dr, z always']
const INTERVALS = ['asymptotic', 'bootstrap', 'bernstein'] as const
const FOLDS = 5

interface Estimate extends Partial<Record<(typeof INTERVALS)[number], EvaluationInterval | null>> {
  readonly value: number
}

function figuresOf(estimate: Estimate, truth: number): Figures {
  const figures: Record<string, number> = { error: estimate.value - truth, square: (estimate.value - truth) ** 2 }
  for (const kind of INTERVALS) {
    const interval = estimate[kind]
    if (interval != null) figures[kind] = interval.low <= truth && truth <= interval.high ? 1 : 0
  }
  return figures
}

export const evaluation = defineStudy({
  name: 'evaluation',
  title: 'Off-policy evaluation: bias and coverage',
  claim:
    'IPS, SNIPS, doubly robust and replay estimates have no bias beyond chance and their 95% intervals cover as they say (n = 10,000, propensities from 0.02).',
  full: { repeats: 1000, rows: 10_000, replicates: 500 },
  quick: { repeats: 60, rows: 10_000, replicates: 200 },
  worlds: () => {
    const truth = trueValues()
    return (['skewed', 'uniform'] as const).map((kind) => ({ name: `${kind} log`, kind, truth }))
  },
  measure: ({ kind, truth }, { seed, repeat, size: { rows, replicates } }) => {
    const random = Random.fromSeed(seed - repeat).split('evaluation study', repeat)
    const { log, target } = drawLog(kind, rows, random.split(kind))
    const parts = foldParts(randomFolds(rows, FOLDS, random.split('folds')), FOLDS)
    const skewed = kind === 'skewed'
    const evaluated = evaluatePolicy(kind, log.choices, target, {
      rewards: crossFittedRewards(log, { parts, random: random.split('model') }),
      replicates,
      seed,
      ...(skewed
        ? { minimumPropensity: SMALLEST_PROPENSITY }
        : { estimators: ['replay', 'ips', 'dr'] as EstimatorName[] }),
    })
    const cell: Record<string, Figures> = {}
    for (const one of evaluated.evaluation.estimates) cell[one.estimator] = figuresOf(one, truth.now)
    if (!skewed) return cell
    const fit = fitObserving(log, { random: random.split('observing'), folds: FOLDS })!
    const { always, gain } = valueOfObserving(fit, evaluated)!
    for (const name of ['ips', 'dr'] as const) {
      const { value, asymptotic } = always[name]
      cell[`${name}, z always`] = figuresOf({ value, asymptotic }, truth.always)
    }
    cell['gain of seeing z'] = figuresOf({ value: gain.value, asymptotic: gain.asymptotic }, truth.always - truth.now)
    return cell
  },
  tables: (found) => {
    const { now, always } = found.worlds[0]!.truth
    const title = `Bias and coverage of 95% intervals (true value ${formatFixed(now, 5)}; ${formatFixed(always, 5)} if z were always seen)`
    return [
      table(title, found.places(), [
        { ...arm, header: 'estimator' },
        world,
        estimate('error', 'bias'),
        column('root mean square', (place) => formatFixed(Math.sqrt(place.mean('square').mean), 5)),
        ...INTERVALS.map((kind) => figure(kind)),
      ]),
    ]
  },
  verdicts: (found) =>
    found.places(UNBIASED).flatMap((place) => {
      const bias = place.mean('error')
      const off = bias.mean / bias.standardError
      const name = `${place.arm} (${place.world})`
      // With 1,000 repeats the limits are those of the claim; with fewer they give way by three standard errors.
      const slack = found.size.repeats >= 1000 ? 0 : 3
      return [
        {
          held: Math.abs(off) <= 3,
          sentence: `${name} is unbiased: ${formatEstimate(bias)}, ${formatFixed(off, 1)} standard errors from zero (at most 3).`,
        },
        ...INTERVALS.filter((kind) => place.values(kind).length > 0).map((kind) => {
          const limits = kind === 'bernstein' ? { least: 0.95 } : { least: 0.92, most: 0.98 }
          return covers({
            what: `${kind} 95% intervals of ${name} cover in`,
            hits: place.values(kind),
            slack,
            ...limits,
          })
        }),
      ]
    }),
})
