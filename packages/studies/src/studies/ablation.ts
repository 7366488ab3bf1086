// primo study ablation: the robust profile with each of its parts changed alone, in environments A, B and MNAR,
// paired by seed. The effect of a part is the regret without it minus the regret with it.

import type { EngineOptions } from '@primo/core/engine'
import type { Verdict } from '@primo/lab/node'
import type { Place } from '../runner/found.js'
import { playScenario, robustPolicy } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { effectText, pairedEffect, shareText } from '../runner/statistics.js'
import { against, arm, mean, sizeText, table, world } from '../runner/tables.js'

/** Options that replace one part each, by name. */
export const PARTS: Readonly<Record<string, EngineOptions>> = {
  'refits at doublings': { schedule: { kind: 'growth', factor: 2, counted: 'closed' } },
  'the last epoch of doubling ones': { schedule: { kind: 'doubling', counted: 'closed' }, window: 'last' },
  'values as the decisions used them': { refresh: false },
  'the pre-trained model as it is': { calibration: false },
}

/** Less regret without a part by more than this share: the part does not earn its place. */
const TOLERATED = 0.02

/** Fails where the change lowers regret by more than is tolerated and than chance allows. */
export function partVerdict(name: string, places: readonly Place[]): Verdict {
  const effects = places.map((place) => ({
    place: place.world,
    ...pairedEffect(place.values('regret'), place.values('regret', 'robust')),
  }))
  const costs = effects.filter(({ high, share }) => high < 0 && share < -TOLERATED)
  const figures = effects.map((effect) => `${effect.place} ${effectText(effect)}, ${shareText(effect)}`).join('; ')
  return {
    held: costs.length === 0,
    sentence: `${name}: regret changes by ${figures} (target: nowhere lower by more than 2%).`,
  }
}

export const ablation = defineStudy({
  name: 'ablation',
  title: 'The value of each part of the robust profile',
  claim: 'No part of the robust profile costs more than 2% of regret in A, B or MNAR.',
  full: { rounds: 2 ** 16, repeats: 10 },
  quick: { rounds: 2 ** 12, repeats: 4 },
  worlds: () => ['A', 'B', 'MNAR+4'].map((name) => ({ name })),
  measure: ({ name }, options) => {
    const changed = Object.entries(PARTS).map(([part, changes]) => robustPolicy(part, changes))
    return playScenario(name, [robustPolicy(), ...changed], options)
  },
  tables: (found) => [
    table(`Regret with a part changed, ${sizeText(found.size)}`, found.places(), [
      world,
      arm,
      ...mean('regret'),
      ...against('regret', 'robust'),
    ]),
  ],
  plots: (found) =>
    found.worlds.map((one) =>
      savingsPlot(found, {
        title: `Environment ${one.name}: regret that a change saves`,
        figure: 'regret',
        than: 'robust',
        places: found.places(Object.keys(PARTS), [one]),
        name: (place) => place.arm,
      }),
    ),
  verdicts: (found) => Object.keys(PARTS).map((part) => partVerdict(part, found.places([part]))),
})
