// primo study audit: regret with and without an audit that asks for a share of the missing values, where values are
// not missing at random and where they are. The truths calibrate on missing rows without assuming MAR
// (method#audits). An audit only teaches: the decision was made before the truth came.

import { playScenario, robustPolicy } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { against, arm, mean, sizeText, table, world } from '../runner/tables.js'
import { compared } from '../runner/verdicts.js'

const WORLDS = [
  { name: 'MNAR+4', atRandom: false },
  { name: 'MNAR-4', atRandom: false },
  { name: 'A', atRandom: true },
]
const ALONE = robustPolicy('no audit')
const SHARES = [0.02, 0.05]
const AUDITED = SHARES.map((audit) => ({ ...ALONE, name: `audit of ${100 * audit}%`, audit }))
const NAMES = AUDITED.map(({ name }) => name)

export const audit = defineStudy({
  name: 'audit',
  title: 'The value of asking for a few of the missing values',
  claim: 'Under MNAR an audit of 2% or 5% lowers the excess, and it does no harm under MAR.',
  full: { rounds: 2 ** 16, repeats: 10 },
  quick: { rounds: 2 ** 13, repeats: 4 },
  worlds: () => WORLDS,
  measure: ({ name }, options) => playScenario(name, [ALONE, ...AUDITED], options),
  tables: (found) => [
    table(`Excess over the unavoidable regret, ${sizeText(found.size)}`, found.places(), [
      world,
      arm,
      ...mean('excess'),
      ...against('excess', 'no audit'),
    ]),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that an audit saves',
      figure: 'excess',
      than: 'no audit',
      places: found.places(NAMES),
    }),
  ],
  verdicts: (found) =>
    found.worlds.flatMap((one) =>
      found
        .places(NAMES, [one])
        .map((place) =>
          compared(place, { figure: 'excess', than: 'no audit', target: one.atRandom ? 'not more' : 'less' }),
        ),
    ),
})
