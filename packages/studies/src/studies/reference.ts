// primo study reference: environment A with the exact settings of the reference runs, against the figures of method#main-table.

import { type PolicySpec, referenceData } from '@primo/lab'
import type { Found } from '../runner/found.js'
import { playScenario } from '../runner/play.js'
import { defineStudy } from '../runner/run-study.js'
import type { Size, World } from '../runner/study-spec.js'
import { arm, column, mean, sizeText, table } from '../runner/tables.js'
import { distanceFrom, percent, type Quoted, quotedText, reproduced } from '../runner/verdicts.js'
import { referencePolicies } from './reference-policies.js'

/** Over 20 seeds at T = 2^17. */
const QUOTED: Readonly<Record<string, Quoted>> = {
  uniform: [14383, 5],
  'sees all values': [1284, 5],
  primo: [2588, 6],
  'primo-cal': [2272, 6],
  'primo, theory gamma': [14280, 5],
  'primo-cal, theory gamma': [14325, 5],
}

export function referenceLineup(): readonly PolicySpec[] {
  const { policy, calibration, theoryGamma } = referencePolicies(referenceData('A'))
  const cal = { profile: 'primo-cal', calibration: calibration() } as const
  return [
    { name: 'uniform', kind: 'uniform' },
    policy('sees all values', { profile: 'primo' }, 'truth'),
    policy('primo', { profile: 'primo' }),
    policy('primo-cal', cal),
    policy('primo, theory gamma', { profile: 'primo', gamma: theoryGamma }),
    policy('primo-cal, theory gamma', { ...cal, gamma: theoryGamma }),
  ]
}

/** Regret of the printed gammas as shares of uniform play's. */
export function theoryShares(found: Found<World, Size>): readonly number[] {
  const uniform = found.mean('A', 'uniform', 'regret').mean
  return found
    .arms()
    .filter((name) => name.endsWith('theory gamma'))
    .map((name) => found.mean('A', name, 'regret').mean / uniform)
}

export const reference = defineStudy({
  name: 'reference',
  title: 'The paper’s algorithms against an independent implementation',
  claim:
    'Regret in environment A agrees with the reference figures within three combined standard errors; printed theory gammas play within 1% of uniform.',
  full: { rounds: 2 ** 17, repeats: 20 },
  quick: { rounds: 2 ** 14, repeats: 5 },
  worlds: () => [{ name: 'A' }],
  measure: ({ name }, options) => playScenario(name, referenceLineup(), options),
  tables: (found) => [
    table(`Regret in environment A, ${sizeText(found.size)}`, found.places(), [
      arm,
      ...mean('regret', 1),
      column('of uniform', (place) => percent(place.mean('regret').mean / place.mean('regret', 'uniform').mean)),
      column('quoted (2^17)', (place) => quotedText(QUOTED[place.arm]!)),
      column('combined se off', (place) =>
        found.full ? distanceFrom(QUOTED[place.arm]!, place, 'regret').toFixed(1) : '-',
      ),
    ]),
  ],
  verdicts: (found) => {
    const quotes = found.places().map((place) => ({ place, quoted: QUOTED[place.arm]! }))
    const shares = theoryShares(found)
    return [
      ...(found.full ? [reproduced('A', quotes, 'regret')] : []),
      {
        held: shares.every((share) => Math.abs(share - 1) <= 0.01),
        sentence: `With the printed theory gamma, regret is ${shares.map((share) => percent(share)).join(' and ')} of uniform play's (claim: within 1%).`,
      },
    ]
  },
})
