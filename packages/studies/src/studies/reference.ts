// primo study reference: environment A with the exact settings of the reference runs, the four main policies and the
// printed theory gammas, against the figures of method#main-table.

import type { Found } from '../runner/found.js'
import { playScenario } from '../runner/play.js'
import { defineStudy } from '../runner/run-study.js'
import type { Size, World } from '../runner/study-spec.js'
import { percent } from '../runner/verdicts.js'
import { baselineTable, LINES, reproducedIn } from './baselines.js'

const NAMES = ['uniform', 'sees all values', 'primo', 'primo-cal', 'primo, theory gamma', 'primo-cal, theory gamma']

export const referenceLineup = LINES.A!.map(({ policy }) => policy).filter(({ name }) => NAMES.includes(name))

/** Regret of the printed gammas as shares of uniform play's. */
export function theoryShares(found: Found<World, Size>): readonly number[] {
  const uniform = found.mean('A', 'uniform', 'regret').mean
  return NAMES.slice(-2).map((name) => found.mean('A', name, 'regret').mean / uniform)
}

export const reference = defineStudy({
  name: 'reference',
  title: 'The paper’s algorithms against an independent implementation',
  claim:
    'Regret in environment A agrees with the reference figures within three combined standard errors; printed theory gammas play within 1% of uniform.',
  full: { rounds: 2 ** 17, repeats: 20 },
  quick: { rounds: 2 ** 14, repeats: 5 },
  worlds: () => [{ name: 'A' }],
  measure: ({ name }, options) => playScenario(name, referenceLineup, options),
  tables: (found) => [baselineTable(found, 'A')],
  verdicts: (found) => {
    const shares = theoryShares(found)
    return [
      ...(found.full ? [reproducedIn(found, 'A')] : []),
      {
        held: shares.every((share) => Math.abs(share - 1) <= 0.01),
        sentence: `With the printed theory gamma, regret is ${shares.map((share) => percent(share)).join(' and ')} of uniform play's (claim: within 1%).`,
      },
    ]
  },
})
