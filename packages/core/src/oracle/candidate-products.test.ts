// Candidates with missing indicators: what they are at a row, and that the rewards of values hidden by size ask for them.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { boolean, number, type Problem } from '../index.js'
import { createLearner } from '../learner/learner.js'
import { encodingOf } from '../problem/encoding.js'
import { candidateProducts } from './candidate-products.js'
import { type Design, designColumns, designOf } from './design.js'
import type { LinearModel } from './linear-model.js'
import { compileDesign } from './write-design.js'

const problem = {
  context: { x: number({ min: -1, max: 1 }), y: boolean() },
  covariates: {
    z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'constant', value: 0 } },
    w: { ...number({ min: -1, max: 1 }), imputer: { kind: 'constant', value: 0 } },
  },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
} satisfies Problem

describe('candidates with missing indicators', () => {
  const encoding = encodingOf(problem)
  const plain = designOf(encoding)
  const all = candidateProducts(encoding, plain)
  const design = all.design([])
  const [z, w] = [4, 5]

  it('are each indicator alone and by every context column, and none where the design has indicators anyway', () => {
    const withMissing = design.products.filter((product) => product.some((factor) => factor >= z))
    expect(withMissing).toEqual([
      [z, z],
      [w, w],
      [z, 0],
      [z, 1],
      [w, 0],
      [w, 1],
    ])
    expect(all.alike(design).filter((count) => count === 2)).toHaveLength(2)
    const given = designOf(encoding, 'none', 'intercept')
    expect(
      candidateProducts(encoding, given)
        .design([])
        .products.some((product) => product[0]! >= z),
    ).toBe(false)
  })

  it('are 0 where the value was seen, and the context column where it was not', () => {
    const products = [
      [z, z],
      [w, 0],
      [z, 1],
      [2, 0],
    ]
    const small: Design = { ...plain, products, scale: [0, 1, 2, 3].map(() => ({ centre: 0.5, unit: 2 })) }
    const write = compileDesign(small)
    const phi = new Float64Array(designColumns(small))
    const input = {
      context: Float64Array.of(0.25, 1),
      covariates: Float64Array.of(0.75, -0.5),
      observed: Uint8Array.of(0, 1),
    }
    write(input, 0, phi, 0)
    expect([...phi.slice(5)]).toEqual([1, 0, 1, -0.25])
    write({ ...input, observed: Uint8Array.of(1, 0) }, 0, phi, 0)
    expect([...phi.slice(5)]).toEqual([0, -0.5, 0, -0.25])
  })
})

/** Whether the reward model has an indicator after 5,000 rounds in which z is 0.6 where it is missing, or as where it is seen. */
function asksForIndicator(hidden: boolean, seed: number): boolean {
  const one = { ...problem, covariates: { z: problem.covariates.z } } satisfies Problem
  // Without the checks, which would correct the imputation instead.
  const learner = createLearner(one, { seed, guards: { fallback: false, marTest: false } })
  const random = Random.fromSeed(seed)
  for (let round = 0; round < 5000; round++) {
    const missing = random.uniform() < 0.5
    const value = missing && hidden ? 0.6 : 0.8 * random.uniform() - 0.6
    const context = { x: 2 * random.uniform() - 1, y: random.uniform() < 0.5 }
    const { id, action } = learner.decide({ context, covariates: missing ? {} : { z: value } })
    const mean = 0.5 + (action === 'a' ? 0.4 : -0.4) * value
    learner.reward(id, random.uniform() < mean ? 1 : 0)
  }
  const model = learner.snapshot().state.rewardModel as LinearModel
  return model.design.products.some((product) => product.some((factor) => factor >= 3))
}

describe('robust', () => {
  it('takes an indicator in where missing values are unlike seen ones, and not where they are alike', () => {
    expect([1, 2, 3, 4].map((seed) => asksForIndicator(true, seed))).toEqual([true, true, true, true])
    expect([1, 2, 3, 4].filter((seed) => asksForIndicator(false, seed)).length).toBeLessThanOrEqual(1)
  })
})
