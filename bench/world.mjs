// A world for benchmarks: d-dimensional uniform context, one covariate missing at random given the context, linear reward.

import { number } from '@primo/core'
import { BLOCK_ROUNDS, Random } from '@primo/numeric'

export function benchProblem(dimension, actions) {
  return {
    context: Object.fromEntries(
      Array.from({ length: dimension }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })]),
    ),
    covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
    actions: Array.from({ length: actions }, (_, a) => `a${a}`),
    reward: { min: -0.2, max: 1.2, mean: { min: 0, max: 1 } },
  }
}

/** Blocks of rounds as @primo/lab's simulate takes them. */
export function benchWorld(dimension, actions, rounds, seed) {
  const root = Random.fromSeed(seed)
  const parameters = root.split('parameters')
  const theta = Float64Array.from(
    { length: actions * (dimension + 2) },
    () => (parameters.uniform() - 0.5) / (dimension + 2),
  )
  const blocks = []
  for (let first = 0; first < rounds; first += BLOCK_ROUNDS) {
    const count = Math.min(BLOCK_ROUNDS, rounds - first)
    const random = root.split('world', first)
    const noise = new Float64Array(count)
    const block = {
      count,
      context: new Float64Array(count * dimension),
      truth: new Float64Array(count),
      observed: new Uint8Array(count),
      pretrained: new Float64Array(count),
      means: new Float64Array(count * actions),
      rewards: new Float64Array(count * actions),
      floor: null,
      delay: null,
      noise,
    }
    for (let row = 0; row < count; row++) {
      const at = row * dimension
      for (let k = 0; k < dimension; k++) block.context[at + k] = 2 * random.uniform() - 1
      const mean = 0.4 * block.context[at] - 0.3 * block.context[at + 1]
      block.truth[row] = mean + 0.3 * (2 * random.uniform() - 1)
      block.pretrained[row] = 0.6 * mean + 0.2
      block.observed[row] = random.uniform() < 1 / (1 + Math.exp(-block.context[at] + block.context[at + 2])) ? 1 : 0
      block.noise[row] = 0.2 * (2 * random.uniform() - 1)
      for (let a = 0; a < actions; a++) {
        const t = a * (dimension + 2)
        let value = 0.5 + theta[t] + theta[t + 1] * block.truth[row] * 3
        for (let k = 0; k < dimension; k++) value += theta[t + 2 + k] * block.context[at + k]
        block.means[row * actions + a] = value
        block.rewards[row * actions + a] = value + noise[row]
      }
    }
    blocks.push(block)
  }
  return blocks
}
