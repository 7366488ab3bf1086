// primo study behaviour: do intervals by estimated propensities cover as they say where one of the classes of
// behaviour models is right?

import { formatFixed, summarise } from '@primo/lab'
import { evaluateByBehaviour } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import type { Place } from '../runner/found.js'
import { defineStudy } from '../runner/run-study.js'
import type { Figures } from '../runner/study-spec.js'
import { arm, column, figure, table, world } from '../runner/tables.js'
import { covers } from '../runner/verdicts.js'
import { type Behaviour, behaviourPolicies, behaviours, drawBehaviourLog } from './behaviour-world.js'

const LIMITS = { least: 0.92, most: 0.99 }
const ROWS = [500, 2000, 10_000]
const ESTIMATORS = ['ips', 'dr'] as const
const CLASSES = ['linear', 'products', 'trees']
/** The arm that says which class of behaviour models was chosen. */
const CHOSEN = 'class'

let policies: ReturnType<typeof behaviourPolicies> | undefined

const spread = (place: Place) => {
  const errors = place.values('error')
  return summarise(errors).standardError * Math.sqrt(errors.length)
}

export const behaviour = defineStudy({
  name: 'behaviour',
  title: 'Logs without propensities: coverage',
  claim:
    'Where a class of behaviour models is right, 95% intervals of IPS and doubly robust values by estimated propensities hold the truth in 92% to 99% of logs, from 500 to 10,000 rows.',
  full: { repeats: 400, mostRows: 10_000 },
  quick: { repeats: 30, mostRows: 2000 },
  worlds: ({ mostRows }) =>
    (Object.keys(behaviours) as Behaviour[]).flatMap((kind) =>
      ROWS.filter((rows) => rows <= mostRows).map((rows) => ({ name: `${kind}, ${rows} rows`, kind, rows })),
    ),
  measure: ({ kind, rows }, { seed, repeat }) => {
    policies ??= behaviourPolicies()
    const { log } = drawBehaviourLog(kind, rows, Random.fromSeed(seed - repeat).split('behaviour', kind, rows, repeat))
    const { evaluation, behaviour: model } = evaluateByBehaviour(log, {
      policies: policies.map(({ policy }) => policy),
      estimators: ESTIMATORS,
      replicates: 0,
      observing: false,
      seed: repeat,
    })
    const cell: Record<string, Figures> = {
      [CHOSEN]: Object.fromEntries(CLASSES.map((name) => [name, model.class === name ? 1 : 0])),
    }
    evaluation.policies.forEach(({ policy, estimates }, j) => {
      const truth = policies![j]!.value
      for (const { estimator, value, standardError, asymptotic } of estimates) {
        const covered = asymptotic !== null && asymptotic.low <= truth && truth <= asymptotic.high
        cell[`${estimator}: ${policy}`] = { error: value - truth, standardError, covered: covered ? 1 : 0 }
      }
    })
    return cell
  },
  tables: (found) => [
    table(
      'Value by estimated propensities: bias, spread, mean standard error, and share of 95% intervals that hold the truth',
      found.places(found.arms().slice(1)),
      [
        { ...world, header: 'played by' },
        { ...arm, header: 'estimate' },
        figure('error', 4, 'bias'),
        column('sd', (place) => formatFixed(spread(place), 4)),
        figure('standardError', 4, 'mean standard error'),
        figure('covered'),
      ],
    ),
    table('Which class was chosen, shares of logs', found.places([CHOSEN]), [
      world,
      ...CLASSES.map((name) => figure(name)),
    ]),
  ],
  verdicts: (found) => {
    // At full scale the limits are those of the claim over the policies; a quick run and single policies have three
    // standard errors of room.
    const slack = found.size.repeats >= 400 ? 0 : 3
    return found.worlds.flatMap(({ name }) =>
      ESTIMATORS.flatMap((estimator) => {
        const own = found.places(
          found.arms(name).filter((one) => one.startsWith(`${estimator}: `)),
          [{ name }],
        )
        const what = `Intervals of ${estimator}, ${name}, hold the truth in`
        const all = covers({ what, hits: own.flatMap((place) => place.values('covered')), ...LIMITS, slack })
        const single = own.map((place) =>
          covers({ what: `${what} (${place.arm})`, hits: place.values('covered'), ...LIMITS, slack: 3 }),
        )
        return [all, ...single.filter(({ held }) => !held)]
      }),
    )
  },
})
