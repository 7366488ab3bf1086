// primo study callers: a thousand callers that decide in their own process, with policies of some age, uploads of
// some delay, and restarts. Regret against the age of policies, paired on the same rounds with callers that are
// always up to date.

import { createEngine } from '@primo/core/engine'
import { createEnvironment, scenarioFromName, simulate } from '@primo/lab'
import { blocksOf } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import type { Figures } from '../runner/study-spec.js'
import { against, arm, figure, mean, sizeText, table } from '../runner/tables.js'
import { compared } from '../runner/verdicts.js'
import { type CallersSpec, callersOf } from './callers-world.js'

const UP_TO_DATE = 'always up to date'
/** The largest share of regret that each may add; the others are only shown. */
const MOST: Readonly<Record<string, number>> = {
  'age and uploads T/256': 0.1,
  'age and uploads T/64': 0.2,
  'T/64, restarts lose': 0.25,
}

function ways({ rounds: T, callers }: { readonly rounds: number; readonly callers: number }) {
  const spec = (policyAge: number, uploadEvery = policyAge, more: Partial<CallersSpec> = {}): CallersSpec => {
    return { callers, policyAge, uploadEvery, ...more }
  }
  return {
    [UP_TO_DATE]: spec(0),
    'age and uploads T/256': spec(T / 256),
    'age and uploads T/64': spec(T / 64),
    'age and uploads T/16': spec(T / 16),
    'age and uploads T/4': spec(T / 4),
    'age T/16, uploads at once': spec(T / 16, 0),
    'age 0, uploads T/16': spec(0, T / 16),
    'T/64, restarts lose': spec(T / 64, T / 64, { restartEvery: T / 8 }),
  }
}

export const callers = defineStudy({
  name: 'callers',
  title: 'A thousand callers with policies of some age',
  claim:
    'Policies and uploads that are late by T/256 add less than 10% of regret, by T/64 less than 20%, and with records lost less than 25%.',
  full: { rounds: 2 ** 15, repeats: 12, callers: 1000 },
  quick: { rounds: 2 ** 13, repeats: 6, callers: 1000 },
  worlds: () => [{ name: 'draws of the family' }],
  measure: (_world, { seed, size }) => {
    const environment = createEnvironment(scenarioFromName(`family?draw=${seed}`))
    const blocks = blocksOf(environment, seed, size.rounds)
    const { min, max } = environment.problem.reward.mean ?? environment.problem.reward
    const runs = Object.entries(ways(size)).map(([name, spec]): [string, Figures] => {
      const { world, keeps, lost } = callersOf(spec, seed)
      const engine = createEngine(environment.problem, { profile: 'robust' })
      const { tally } = simulate({ engine, world: world(blocks), seed, keeps })
      return [name, { regret: tally.knownRegret! * (max - min), lost: lost() / size.rounds }]
    })
    return Object.fromEntries(runs)
  },
  tables: (found) => [
    table(
      `Regret, ${sizeText(found.size)} (T rounds) by ${found.size.callers.toLocaleString('en')} callers`,
      found.places(),
      [
        { ...arm, header: 'callers' },
        ...mean('regret'),
        ...against('regret', UP_TO_DATE),
        figure('lost', 3, 'records lost'),
      ],
    ),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that old policies and late uploads save (less than 0: add), in per cent of the regret without',
      figure: 'regret',
      than: UP_TO_DATE,
      places: found.places(found.arms().slice(1)),
      name: (place) => place.arm,
      percent: true,
    }),
  ],
  verdicts: (found) =>
    found
      .places(Object.keys(MOST))
      .map((place) => compared(place, { figure: 'regret', than: UP_TO_DATE, target: MOST[place.arm]! })),
})
