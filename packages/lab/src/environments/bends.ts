// Bends: everything that is to be learnt is bent, so that linear classes miss it. Two features, three actions,
//   f*(x, z, a) = .5 + .35 cos(pi (2 z + x2) + 2 pi a / 3) + .1 (a - 1) x1,   z* = g*(x) + eta, eta uniform on [-.15, .15],
//   g* = .55 sin(2 pi x1),   g~ = g* + .3 cos(2 pi x2) - .1,   P(b = 1 | x) = sigmoid(2 cos(2 pi x1)), at least .1.
// Which action is best goes round as z moves; over the whole range of z no action has a slope worth speaking of.

import { number } from '@primo/core'
import { biased } from './imputers.js'
import { buildEnvironment, type KnownEnvironment, type Structure } from './structure.js'

const ACTIONS = 3
const ETA = 0.15
const NOISE = 0.2

export function bendsStructure(): Structure {
  return {
    name: 'bends',
    problem: {
      context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
      covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
      actions: Array.from({ length: ACTIONS }, (_, a) => `a${a}`),
      reward: { min: -NOISE, max: 1 + NOISE, mean: { min: 0, max: 1 } },
    },
    interactions: [
      ['z', 'x1'],
      ['z', 'x2'],
      ['z', 'z'],
    ],
    drawContext: (random, x) => {
      x[0] = 2 * random.uniform() - 1
      x[1] = 2 * random.uniform() - 1
    },
    covariate: {
      mean: (x) => 0.55 * Math.sin(2 * Math.PI * x[0]!),
      moved: (x) => 0.55 * Math.sin(2 * Math.PI * x[1]!),
      law: { kind: 'additive', eta: (draw) => ETA * (2 * draw - 1) },
      inputUnit: ETA,
      bias: (x) => 0.3 * Math.cos(2 * Math.PI * x[1]!) - 0.1,
      index: (x) => 2 * Math.cos(2 * Math.PI * x[0]!),
      etaUnit: 1,
      clip: 0.1,
      missingness: { kind: 'mar' },
      imputer: biased(1),
    },
    rewardMeans: (x, z, out) => {
      for (let a = 0; a < ACTIONS; a++) {
        const phase = Math.PI * (2 * z + x[1]!) + (2 * Math.PI * a) / ACTIONS
        out[a] = 0.5 + 0.35 * Math.cos(phase) + 0.1 * (a - 1) * x[0]!
      }
    },
    realise: (_x, _z, means, draw, out) => {
      const noise = NOISE * (2 * draw - 1)
      for (let a = 0; a < ACTIONS; a++) out[a] = means[a]! + noise
    },
    delay: null,
  }
}

/** The environment in which everything is bent, so that linear classes miss it. */
export function bendsEnvironment(): KnownEnvironment {
  return buildEnvironment(bendsStructure())
}
