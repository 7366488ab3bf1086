// A small world with known means for tests of off-policy evaluation: x uniform in [-1, 1], z = 0.5 x + noise, seen with
// probability e(x), three actions whose mean rewards depend on x and z, and a logging policy with propensities from 0.1.

import { Random } from '@primo/numeric'
import { type LogRow, logHeader } from '../node.js'

export const header = logHeader({
  actions: ['a', 'b', 'c'],
  context: { x: { type: 'number', min: -1, max: 1 } },
  covariates: { z: { type: 'number', min: -1.5, max: 1.5 } },
  reward: { min: 0, max: 1 },
})

export function observationProbability(x: number): number {
  return 0.6 + 0.3 * x
}

export function means(x: number, z: number): readonly number[] {
  return [0.5 + 0.3 * z, 0.5 - 0.3 * z, 0.45 + 0.1 * x]
}

export function* logRows(rows: number, seed: number): Generator<LogRow> {
  const random = Random.fromSeed(seed)
  for (let k = 1; k <= rows; k++) {
    const x = 2 * random.uniform() - 1
    const z = 0.5 * x + 2 * (random.uniform() - 0.5)
    const seen = random.uniform() < observationProbability(x)
    const propensities = x > 0 ? [0.6, 0.3, 0.1] : [0.2, 0.2, 0.6]
    const draw = random.uniform()
    const action = draw < propensities[0]! ? 0 : draw < propensities[0]! + propensities[1]! ? 1 : 2
    yield {
      decisionId: `d${k}`,
      action: header.actions[action]!,
      propensity: propensities[action]!,
      propensities,
      reward: random.uniform() < means(x, z)[action]! ? 1 : 0,
      rewardStatus: 'closed',
      'context.x': x,
      'covariate.z': seen ? z : null,
      'pretrained.z': 0.5 * x,
    }
  }
}

/** Mean of `value` over the law of (x, z, b), by a grid. */
export function worldMean(value: (x: number, z: number, e: number) => number): number {
  const points = 400
  let sum = 0
  for (let i = 0; i < points; i++) {
    const x = -1 + (2 * (i + 0.5)) / points
    for (let j = 0; j < points; j++) {
      const z = 0.5 * x + 2 * ((j + 0.5) / points - 0.5)
      sum += value(x, z, observationProbability(x))
    }
  }
  return sum / points ** 2
}
