import { Random, type Sums, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import type { RewardView } from '../rounds/reward-rows.js'
import { type Design, hasPlainColumns } from './design.js'
import { refilledSums } from './refilled-sums.js'

const ACTIONS = 3

function viewOf(random: Random, p: number, m: number, covariates: Float64Array): RewardView {
  const total = 60
  const numbers = (count: number) => Float64Array.from({ length: count }, () => random.normal())
  return {
    count: 40,
    rows: Int32Array.from({ length: 40 }, (_, i) => i + 10 + (i > 20 ? 5 : 0)),
    context: numbers(total * p),
    covariates,
    observed: new Uint8Array(total * m),
    modelSd: null,
    // The last action was never played.
    action: Uint16Array.from({ length: total }, () => (random.uniform() < 0.3 ? 0 : 1)),
    reward: numbers(total),
    weight: null,
  }
}

/** Every row [1, x, z, r] of an action, one after the other. */
function naive(view: RewardView, p: number, m: number): readonly (Sums | null)[] {
  return Array.from({ length: ACTIONS }, (_, a) => {
    const own = Array.from(view.rows).filter((row) => view.action[row] === a)
    const rows = own.flatMap((row) => [
      1,
      ...view.context.subarray(row * p, (row + 1) * p),
      ...view.covariates.subarray(row * m, (row + 1) * m),
      view.reward[row]!,
    ])
    if (own.length === 0) return null
    const weights = view.weight?.filter((_, i) => view.action[view.rows[i]!] === a) ?? null
    return sumRows(Float64Array.from(rows), 0, own.length, 1 + p + m, weights, 0, new Float64Array(rows.length))
  })
}

describe('sums of rows filled anew', () => {
  it.each([
    [10, 1],
    [3, 4],
    [0, 2],
  ])('have the bits of summing all again, %i context and %i covariate columns', (p, m) => {
    const random = Random.fromSeed(10 * p + m)
    const filled = () => Float64Array.from({ length: 60 * m }, () => random.normal())
    const design = { contextWidth: p, covariateWidth: m } as Design
    const alike = viewOf(random, p, m, filled())
    const weighted = { ...alike, weight: Float64Array.from({ length: 40 }, () => random.uniform()) }
    for (const before of [alike, weighted]) {
      const after = { ...before, covariates: filled() }
      const kept = naive(before, p, m)
      const copy = structuredClone(kept)
      expect(refilledSums(after, kept, design)).toEqual(naive(after, p, m))
      expect(kept).toEqual(copy)
    }
  })

  it('are for features that are the columns themselves', () => {
    const design: Design = {
      contextWidth: 1,
      covariateWidth: 1,
      covariateCount: 1,
      owners: [0],
      products: [],
      indicator: 'none',
    }
    expect(hasPlainColumns(design)).toBe(true)
    expect(hasPlainColumns({ ...design, products: [[0, 1]] })).toBe(false)
    expect(hasPlainColumns({ ...design, indicator: 'intercept' })).toBe(false)
  })
})
