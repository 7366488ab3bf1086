// Strangers of other kinds, one oddity each.

import type { Random } from '@primo/numeric'
import { continuous, type LinearWorld, linearWorld } from './linear-world.js'
import type { Stranger } from './world.js'

/** Corners of the cube: every feature -1 or 1. */
function corners(random: Random, x: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = random.sign()
}

/** One factor behind all features. */
function correlated(random: Random, x: Float64Array): void {
  const factor = 2 * random.uniform() - 1
  for (let k = 0; k < x.length; k++) x[k] = 0.9 * factor + 0.1 * (2 * random.uniform() - 1)
}

/** Mostly near -1, rarely up to 1. */
function skewed(random: Random, x: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() ** 6 - 1
}

/** The second and third feature repeat the first. */
function repeated(random: Random, x: Float64Array): void {
  const first = 2 * random.uniform() - 1
  for (let k = 0; k < x.length; k++) x[k] = k < 3 ? first : 2 * random.uniform() - 1
}

const odd = (name: string, options: LinearWorld): Stranger => linearWorld('oddities', name, options)

export const oddWorlds: readonly Stranger[] = [
  odd('model decays', {
    model: ({ z, random, round }) => (round < 1000 ? z : 0) + 0.1 * random.normal(),
  }),
  odd('correlated contexts', { drawContext: correlated }),
  odd('discrete contexts', { drawContext: corners }),
  odd('skewed contexts', { drawContext: skewed }),
  odd('repeated features', { drawContext: repeated }),
  odd('last action best, rarely', {
    actions: 5,
    // Better by far where two features are large, worse elsewhere.
    bend: (x, _z, a, actions) => (a < actions - 1 ? 0 : x[3]! > 0.7 && x[4]! > 0.7 ? 2.5 : -1),
  }),
  odd('near ties', { actions: 5, reach: 0.01, base: 0.5 }),
  odd('rewards late by 200', { delay: (random) => Math.floor(-200 * Math.log1p(-random.uniform())) }),
  odd('observation fades', { missing: ({ round }) => Math.min(0.95, 0.05 + round / 3000) }),
  odd('observation in blocks', { missing: ({ round }) => (Math.floor(round / 250) % 2 === 0 ? 1 : 0) }),
  odd('noise by action and context', {
    reward: (mean, x, action, random) => mean + 0.4 * (action / 2) * Math.abs(x[0]!) * (2 * random.uniform() - 1),
    range: { min: -0.4, max: 1.4, mean: { min: 0, max: 1 } },
  }),
  odd('no noise at all', { reward: (mean) => mean }),
  odd('never seen', { missing: () => 1 }),
  odd('never seen on one side', { missing: ({ x }) => (x[0]! > 0 ? 1 : 0.2) }),
  odd('twenty features, one matters', {
    features: 20,
    reach: 0.05,
    bend: (x, _z, a) => 4 * (a - 1) * x[0]!,
    reward: continuous,
  }),
  odd('z matters only when large', { weight: 0, bend: (_x, z, a) => (z > 0.6 ? 3 * (a - 1) : 0) }),
]
