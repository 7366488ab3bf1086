import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine, RoundStatus, RoundTable } from '../engine.js'
import { number, type Problem } from '../index.js'
import { linearOracle } from '../oracle/linear.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { blockParts } from '../rounds/block-parts.js'
import { completeRows } from '../rounds/reward-rows.js'
import { inputBasis } from './input-basis.js'
import { rewardPlacebo } from './reward-placebo.js'
import type { RewardInput } from './reward-probe.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: -3, max: 3, mean: { min: 0, max: 1 } },
}
const { encoding, shape } = createEngine(problem, { profile: 'robust' })
const basis = inputBasis('rich', 'both', encoding.context, 1)
const COUNT = 2000
const SWING = 6

/** Uniform play; z = x/2 + residual is hidden where it is high; the reward also moves by `wrong` sin(6 x), with the sign of the action. */
function drawn(wrong: number, seed: number) {
  const rounds = new RoundTable(shape)
  const random = Random.fromSeed(seed)
  const rows: { x: number; z: number; action: number; reward: number }[] = []
  for (let round = 0; round < COUNT; round++) {
    const block = rounds.block(rounds.append())
    const x = 2 * random.uniform() - 1
    const residual = 0.9 * random.uniform() - 0.45
    const z = x / 2 + residual
    const known = random.uniform() < 1 / (1 + Math.exp(6 * residual))
    const action = random.uniform() < 0.5 ? 0 : 1
    const reward = 0.5 + (2 * action - 1) * (0.3 * z + wrong * Math.sin(SWING * x)) + 0.2 * random.normal()
    block.context[round] = x
    block.pretrained[round] = x / 2
    block.observed[round] = known ? 1 : 0
    block.covariates[round] = known ? z : x / 2
    block.action[round] = action
    block.propensity[round] = 0.5
    block.reward[round] = reward
    block.status[round] = RoundStatus.closed
    if (known) rows.push({ x, z, action, reward })
  }
  const all = { from: 0, to: COUNT }
  const model = linearOracle(encoding).fit(completeRows(rounds, all, 2, null), Random.fromSeed(0)) as LinearModel
  const parts = [...blockParts(rounds, all)]
  const input: RewardInput = { parts, encoding, which: 0, completeCase: model, basis, spread: [[1, 0, 0]] }
  return { input, rows, model }
}

/** A change of the correction by the column sin(pi x), and what it is at x. */
const change = Array.from({ length: basis.columns }, (_, k) => (k === sineColumn() ? 0.4 : 0))
function sineColumn(): number {
  const out = new Float64Array(basis.columns + 2)
  basis.expandAt(Float64Array.of(0.5), 0, Float64Array.of(0), 0, out, 0)
  return out.indexOf(1, 1)
}

describe('rewardPlacebo', () => {
  it('is what a naive sum over the rows with the value says', () => {
    const { input, rows, model } = drawn(0.2, 5)
    const { coefficients, clip } = model
    const inside = (value: number) => Math.min(clip!.max, Math.max(clip!.min, value))
    let product = 0
    let square = 0
    for (const { x, z, action, reward } of rows) {
      const [constant, byX, byZ] = coefficients[action]!
      const at = (value: number) => inside(constant! + byX! * x + byZ! * value)
      const slope = (at(z + 1e-3) - at(z - 1e-3)) / 2e-3
      const term = slope * 0.4 * Math.sin(Math.PI * x) * (reward - at(z))
      product += term
      square += term * term
    }
    expect(rewardPlacebo(input, change)).toBeCloseTo(product / Math.sqrt(square), 6)
  })

  // A standard normal is beyond 1.6449 in 5% of cases: at most 14 of 120 within three standard errors.
  it('is rarely beyond its 5% point where the reward model is right, though values are not missing at random', () => {
    const values = Array.from({ length: 120 }, (_, k) => rewardPlacebo(drawn(0, 1000 + k).input, change))
    expect(values.filter((value) => value > 1.6449).length).toBeLessThanOrEqual(14)
    expect(values.filter((value) => value > 0).length).toBeGreaterThan(30)
  })

  it('is far beyond it where the model lacks what the change stands in for, and far below for the opposite change', () => {
    const { input } = drawn(-0.2, 7)
    const own = rewardPlacebo(input, change)
    expect(Math.abs(own)).toBeGreaterThan(4)
    expect(
      rewardPlacebo(
        input,
        change.map((value) => -value),
      ),
    ).toBeCloseTo(-own, 9)
  })
})
