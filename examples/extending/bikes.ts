// An environment of one's own: what to ask for a rented bicycle when the number of people at the station is often not counted.
//   npx @primo/cli simulate --scenario examples/extending/bikes.ts --policies uniform,primo-cal,robust

import { boolean, defineProblem, number, pretrained } from '@primo/core'
import { defineEnvironment } from '@primo/lab'

export const bikes = defineEnvironment({
  name: 'bikes',
  problem: defineProblem({
    context: { hour: number({ min: 0, max: 24 }), rain: boolean() },
    covariates: {
      // The model knows the weather; it does not know that evenings are busy.
      people: { ...number({ min: 0, max: 100 }), imputer: pretrained((x) => (x.rain ? 20 : 45)) },
    },
    actions: ['cheap', 'usual', 'dear'],
    reward: { min: 0, max: 6 },
  }),
  interactions: [['people', 'people']],
  round: (random) => {
    const hour = 24 * random.uniform()
    const rain = random.uniform() < 0.3
    const people = (rain ? 15 : 40) + (hour > 17 ? 30 : 0) + 25 * random.uniform()
    // Whoever is one of many pays more.
    const pays = (price: number, least: number) => price / (1 + Math.exp((least - people) / 8))
    const means = { cheap: pays(2, 5), usual: pays(4, 35), dear: pays(6, 65) }
    const noise = random.uniform()
    const paid = (mean: number, price: number) => (noise * price < mean ? price : 0)
    return {
      context: { hour, rain },
      covariates: { people },
      // Counted by day, hardly ever by night.
      missing: random.uniform() < (hour > 8 && hour < 20 ? 0.3 : 0.8) ? ['people'] : [],
      means,
      rewards: { cheap: paid(means.cheap, 2), usual: paid(means.usual, 4), dear: paid(means.dear, 6) },
    }
  },
})
