// primo study drift: forgetting in worlds that move, and its price where nothing does. Draws of the parametric
// family; the robust profile with all rounds, with the memory that it chooses, and with a sliding window, paired on
// the same rounds.

import { playScenario, robustPolicy } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { against, arm, mean, sizeText, table, world } from '../runner/tables.js'
import { compared } from '../runner/verdicts.js'

const TESTED = 'chosen memory'

export const drift = defineStudy({
  name: 'drift',
  title: 'Forgetting in worlds that move',
  claim: 'Where the world drifts a chosen memory lowers regret; where nothing drifts it costs less than 2%.',
  full: { rounds: 2 ** 16, repeats: 12 },
  quick: { rounds: 2 ** 14, repeats: 8 },
  worlds: ({ rounds }) => [
    { name: 'nothing drifts', moves: false, dials: '' },
    { name: 'rewards drift', moves: true, dials: `&driftPeriod=${rounds}` },
    { name: 'covariate jumps', moves: true, dials: `&staleAt=${rounds / 2}` },
  ],
  measure: ({ dials }, { seed, repeat, size }) => {
    const policies = [
      robustPolicy('all rounds', { memory: 'all' }),
      robustPolicy(TESTED, { memory: 'chosen' }),
      robustPolicy('window T/4', { window: { rounds: size.rounds / 4 } }),
    ]
    // Repeats are draws of the family's parameters.
    return playScenario(`family?draw=${seed}${dials}`, policies, { seed: seed - repeat, size })
  },
  tables: (found) => [
    table(`Regret, ${sizeText(found.size)} (T rounds)`, found.places(), [
      world,
      arm,
      ...mean('regret'),
      ...against('regret', 'all rounds'),
    ]),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that forgetting saves, in per cent of the regret without',
      figure: 'regret',
      than: 'all rounds',
      places: found.places(found.arms().slice(1)),
      percent: true,
    }),
  ],
  verdicts: (found) =>
    found.worlds.map(({ name, moves }) =>
      compared(found.place(name, TESTED), { figure: 'regret', than: 'all rounds', target: moves ? 'less' : 0.02 }),
    ),
})
