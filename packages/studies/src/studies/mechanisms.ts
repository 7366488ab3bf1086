// primo study mechanisms: how the value goes missing decides whether calibration helps. Environment A under MCAR,
// MAR, in blocks, with drift, and MNAR of either sign; PRIMO and PRIMO-Cal with all data, paired by seed.

import { referenceData, summarise } from '@primo/lab'
import type { Place } from '../runner/found.js'
import { playScenario } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { paired } from '../runner/statistics.js'
import { against, crossTable, sizeText, table, world } from '../runner/tables.js'
import { referencePolicies } from './reference-policies.js'

const MNAR = 'MNAR'

/** Scenarios by what is shown of them; those whose label begins with MNAR depend on the hidden value. */
function worlds({ rounds }: { readonly rounds: number }) {
  return [
    { name: 'MCAR, half missing', scenario: 'A?mechanism=mcar&share=0.5' },
    { name: 'MAR (environment A)', scenario: 'A' },
    { name: 'missing in blocks of 50', scenario: 'A?mechanism=blocks&share=0.5&length=50' },
    { name: 'missing share drifts from .2 to .8', scenario: `A?mechanism=drift&from=0.2&to=0.8&over=${rounds}` },
    { name: 'MNAR, strength +4', scenario: 'MNAR+4' },
    { name: 'MNAR +4, better model', scenario: 'MNAR+4 mild bias' },
    { name: 'MNAR, strength -4', scenario: 'MNAR-4' },
    { name: 'MNAR -4, better model', scenario: 'MNAR-4 mild bias' },
  ]
}

function gain(place: Place) {
  return summarise(paired([place.values('regret', 'primo'), place.values('regret')], (a, b) => a - b))
}

export const mechanisms = defineStudy({
  name: 'mechanisms',
  title: 'How the value goes missing',
  claim:
    'Calibration lowers regret when missingness depends on the context only; when it depends on the hidden value it can raise it.',
  full: { rounds: 2 ** 17, repeats: 10 },
  quick: { rounds: 2 ** 14, repeats: 4 },
  worlds,
  measure: ({ name, scenario }, options) => {
    const { policy, calibration } = referencePolicies(referenceData(name.startsWith(MNAR) ? scenario : 'A'))
    const cal = { profile: 'primo-cal', refresh: true, calibration: calibration({ split: 'swap' }) } as const
    const policies = [
      policy('primo', { profile: 'primo', window: 'all' }),
      policy('primo-cal', { ...cal, window: 'all' }),
      policy('sees all values', { profile: 'primo', window: 'all' }, 'truth'),
    ]
    return playScenario(scenario, policies, options)
  },
  tables: (found) => [
    crossTable(`Regret by mechanism, ${sizeText(found.size)}`, found, (place) => place.mean('regret').mean.toFixed(0)),
    table('Calibration', found.places(['primo-cal']), [world, ...against('regret', 'primo')]),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that calibration saves',
      figure: 'regret',
      than: 'primo',
      places: found.places(['primo-cal']),
      name: (place) => place.world,
    }),
  ],
  verdicts: (found) => {
    const hidden = (place: Place) => place.world.startsWith(MNAR)
    const places = found.places(['primo-cal'])
    const failed = places.filter((place) => !hidden(place) && gain(place).mean < 3 * gain(place).standardError)
    const hurt = places.filter((place) => hidden(place) && gain(place).mean < -3 * gain(place).standardError)
    const names = (list: readonly Place[]) => list.map((place) => place.world).join(', ') || 'none'
    return [
      {
        held: failed.length === 0,
        sentence: `Mechanisms that depend on the context only, under which calibration does not lower regret by three standard errors: ${names(failed)} (claim: none).`,
      },
      {
        held: hurt.length > 0,
        sentence: `Mechanisms that depend on the hidden value, under which it raises regret by three standard errors: ${names(hurt)} (claim: some).`,
      },
    ]
  },
})
