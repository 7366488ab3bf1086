// Pricing: which monthly price to offer a visitor for a subscription. The visitor buys at price p with probability
//   sigmoid((w - p) / 4),   w = -1.5 + 5.5 income / 1000 + .02 tenure + .12 visits dollars (what it is worth to them),
// and the reward is the revenue. The covariate is monthly income in dollars, right-skewed around a mean that depends on
// device, region, tenure and visits; more than half of the visitors withhold it. The pre-trained model comes from a
// national survey: it thinks too well of phones and frequent visitors and not well enough of the coast.
// One draw decides for all prices, so who buys at a price also buys at any lower one. Numbers are made up.

import { category, number } from '@primo/core'
import { biased } from './imputers.js'
import { buildEnvironment, type KnownEnvironment, type Structure } from './structure.js'

const PRICES = [9, 14, 19, 29]
const WORTH_SCALE = 4
const PRICE_ODDS = PRICES.map((price) => Math.exp(price / WORTH_SCALE))
const DEVICES = ['phone', 'tablet', 'desktop']
const DEVICE_INCOME = [0, 400, 1000]
const REGIONS = ['coast', 'inland', 'north', 'south']
const REGION_INCOME = [900, 0, 400, -300]
const REGION_MOVED = [300, 500, -200, 400]

// eta = ETA_SCALE (h(u) - E h) with h(u) = -log(1 - CUT u), an exponential law without its far tail.
const ETA_SCALE = 850
const CUT = 0.97
const MEAN_H = ((1 - CUT) * (Math.log(1 - CUT) - 1) + 1) / CUT

export function pricingStructure(): Structure {
  return {
    name: 'pricing',
    problem: {
      context: {
        tenure: number({ min: 0, max: 60 }),
        visits: number({ min: 0, max: 30 }),
        device: category(DEVICES),
        region: category(REGIONS),
      },
      covariates: { income: { ...number({ min: 500, max: 8500 }), imputer: { kind: 'column' } } },
      actions: PRICES.map((price) => `$${price}`),
      reward: { min: 0, max: PRICES.at(-1)! },
    },
    interactions: [
      ['income', 'income'],
      ['income', 'tenure'],
      ['income', 'visits'],
    ],
    drawContext: (random, x) => {
      // Most are new: the square of a uniform draw.
      x[0] = Math.floor(61 * random.uniform() ** 2)
      x[1] = Math.round(15 * (random.uniform() + random.uniform()))
      const device = random.uniform()
      x[2] = device < 0.5 ? 0 : device < 0.62 ? 1 : 2
      x[3] = random.integer(REGIONS.length)
    },
    covariate: {
      mean: (x) => incomeMean(x, REGION_INCOME),
      // A move of industry: the regions change places.
      moved: (x) => incomeMean(x, REGION_MOVED),
      law: { kind: 'additive', eta: (draw) => ETA_SCALE * (-Math.log(1 - CUT * draw) - MEAN_H) },
      inputUnit: ETA_SCALE * MEAN_H,
      bias: (x) => (x[2] === 0 ? 700 : -200) + (x[3] === 0 ? -1100 : 200) + 55 * (x[1]! - 15),
      index: (x) => -0.3 + 0.02 * (x[0]! - 20) + 0.5 * DEVICE_INDEX[x[2]!]! - 0.04 * (x[1]! - 15),
      etaUnit: 1000,
      clip: 0.05,
      missingness: { kind: 'mar' },
      imputer: biased(1),
    },
    rewardMeans: (x, z, out) => {
      const worth = -1.5 + 5.5e-3 * z + 0.02 * x[0]! + 0.12 * x[1]!
      const odds = Math.exp(-worth / WORTH_SCALE)
      for (let a = 0; a < PRICES.length; a++) out[a] = PRICES[a]! / (1 + PRICE_ODDS[a]! * odds)
    },
    realise: (_x, _z, means, draw, out) => {
      for (let a = 0; a < PRICES.length; a++) out[a] = draw * PRICES[a]! < means[a]! ? PRICES[a]! : 0
    },
    delay: null,
  }
}

const DEVICE_INDEX = [-0.5, 0, 1]

export function pricingEnvironment(): KnownEnvironment {
  return buildEnvironment(pricingStructure())
}

function incomeMean(x: Float64Array, regions: readonly number[]): number {
  return 2300 + 12 * x[0]! + 25 * x[1]! + DEVICE_INCOME[x[2]!]! + regions[x[3]!]!
}
