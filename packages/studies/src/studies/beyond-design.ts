// primo study beyond-design: the robust profile where one assumption fails at a time. Draws of the parametric family; policies paired on the
// same rounds.

import { familyStructure, scenarioFromName } from '@primo/lab'
import { linUcbWithIndicator, playScenario } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { against, arm, mean, sizeText, table, world } from '../runner/tables.js'
import { compared } from '../runner/verdicts.js'

/** Dials of the family. */
export function familyWorlds({ rounds }: { readonly rounds: number }) {
  return [
    { name: 'as designed', dials: '' },
    { name: 'F misspecified: waves in x', dials: 'misspecifiedReward=1' },
    { name: 'F misspecified: sine of z', dials: 'reward=nonlinear' },
    { name: 'G misspecified', dials: 'covariateMean=rough&misspecifiedImputer=0.3' },
    { name: 'rewards late by 500 rounds', dials: 'delayMean=500' },
    { name: 'rewards drift', dials: `driftPeriod=${rounds}` },
    { name: 'covariate drifts', dials: `staleAt=${rounds / 4}&staleOver=${rounds / 2}` },
    { name: 'rare action', dials: 'rareShare=0.02' },
    { name: 'correlated contexts', dials: 'correlation=0.8' },
  ]
}

const RIVALS = ['primo-cal', 'LinUCB with indicator']

export const beyondDesign = defineStudy({
  name: 'beyond-design',
  title: 'The robust profile where an assumption fails',
  claim:
    'With a misspecified F or G, late rewards, drift, a rare action or correlated contexts, robust loses neither to primo-cal nor to LinUCB with a missing indicator.',
  full: { rounds: 2 ** 16, repeats: 12 },
  quick: { rounds: 2 ** 12, repeats: 6 },
  worlds: familyWorlds,
  measure: ({ dials }, { seed, repeat, size, policies = ['robust'] }) => {
    // Repeats are draws of the family's parameters; all have the same contexts and noise.
    const scenario = `family?${dials}&draw=${seed}`
    const { interactions } = familyStructure(scenarioFromName(scenario) as Parameters<typeof familyStructure>[0])
    const rivals = ['primo-cal', linUcbWithIndicator(interactions)]
    return playScenario(scenario, [...policies, ...rivals], { seed: seed - repeat, size })
  },
  tables: (found) =>
    RIVALS.map((rival) =>
      table(`Against ${rival}: ${sizeText(found.size)}`, found.places(), [
        world,
        arm,
        ...mean('regret'),
        ...against('regret', rival),
      ]),
    ),
  plots: (found) =>
    RIVALS.map((than) => {
      const places = found.places(found.arms().filter((name) => !RIVALS.includes(name)))
      return savingsPlot(found, {
        title: `Regret saved against ${than}, in per cent`,
        figure: 'regret',
        than,
        places,
        percent: true,
      })
    }),
  verdicts: (found) =>
    found
      .places(found.arms().filter((name) => !RIVALS.includes(name)))
      .flatMap((place) => RIVALS.map((than) => compared(place, { figure: 'regret', than, target: 'not more' }))),
})
