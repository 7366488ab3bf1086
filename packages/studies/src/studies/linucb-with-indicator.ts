// The rival that many would build first: LinUCB on the pre-trained predictions, with all coefficients apart where the value is
// missing (method#robust-table: alpha 0.3 in units of reward at sigma 0.173, ridge 1, all data, nearly every round).

import type { Interactions } from '@primo/core'
import type { PolicySpec } from '@primo/lab'

export function linUcbWithIndicator(interactions: Interactions): PolicySpec {
  return {
    name: 'LinUCB with indicator',
    kind: 'engine',
    sees: 'world',
    options: {
      profile: 'primo',
      window: 'all',
      // Nothing changes when a prediction is filled in anew; but then the sums of a block are kept.
      refresh: true,
      schedule: { kind: 'growth', first: 20, factor: 1.02 },
      exploration: { kind: 'linucb', alpha: 1.73 },
      oracle: { interactions, indicator: 'interacted', ridge: 1, clip: { min: -0.5, max: 1.5 } },
    },
  }
}
