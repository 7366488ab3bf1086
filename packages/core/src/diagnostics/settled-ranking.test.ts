import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { compileSettledRanking, createEngine, endEpoch, initialState, RoundTable } from '../engine.js'
import { number, type Problem } from '../index.js'
import { epochReport } from './epoch-report.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: 0, max: 10 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: -3, max: 3, mean: { min: 0, max: 1 } },
}
const engine = createEngine(problem, { profile: 'robust' })
const ROUNDS = 3000

/** b is better where z is above the middle of its range; z = x/2 + noise inside, the model says x/2, at random half are missing. */
function learnt() {
  const rounds = new RoundTable(engine.shape)
  const random = Random.fromSeed(1)
  for (let round = 0; round < ROUNDS; round++) {
    const block = rounds.block(rounds.append())
    const x = 2 * random.uniform() - 1
    const z = x / 2 + 0.9 * random.uniform() - 0.45
    const known = random.uniform() < 0.5
    const action = random.uniform() < 0.5 ? 0 : 1
    block.context[round] = x
    block.pretrained[round] = x / 2
    block.observed[round] = known ? 1 : 0
    block.covariates[round] = known ? z : x / 2
    block.action[round] = action
    block.propensity[round] = 0.5
    block.reward[round] = 0.5 + (action === 1 ? 0.3 : -0.3) * z + 0.1 * random.normal()
    rounds.close(round)
  }
  return { rounds, state: endEpoch(initialState(1), rounds, engine, ROUNDS, Random.fromSeed(1)) }
}

describe('settled rankings', () => {
  const { rounds, state } = learnt()
  const rowAt = (z: number) => ({
    context: Float64Array.of(2 * z),
    covariates: Float64Array.of(z),
    observed: Uint8Array.of(0),
  })

  it('are those where no value within the limits, moved from the imputed one, has another best action', () => {
    const { missingSet } = epochReport(state, rounds, engine).covariates[0]!
    const { limits } = missingSet!
    // Inside, the range of 10 units is 2 wide.
    const half = (limits!.upper - limits!.lower) / 2 / 5
    expect(half).toBeLessThan(0.15)
    const ranked = compileSettledRanking(engine, state, [missingSet])!
    // The best action changes at 0, as far as 3,000 rounds tell.
    for (const z of [-0.45, -0.3, 0.3, 0.45]) expect(ranked(rowAt(z), 0, 0)).toBe(true)
    const open = Array.from({ length: 61 }, (_, k) => (k - 30) / 100).filter((z) => ranked(rowAt(z), 0, 0) === false)
    expect(open.length).toBeGreaterThan(0)
    expect(open.at(-1)! - open[0]!).toBeLessThan(2 * half + 0.02)
    const row = rowAt(0.3)
    ranked(row, 0, 0)
    expect(row.covariates[0]).toBe(0.3)
    expect(ranked(rowAt(open[0]!), 0, 0, Int32Array.of(1))).toBe(true)
  })

  it('are counted by the report, beside the set in the units of the covariate', () => {
    const { missingSet } = epochReport(state, rounds, engine).covariates[0]!
    const { limits, used, settledShare, excluded, range } = missingSet!
    expect(excluded).toBe(false)
    expect(limits!.lower).toBeLessThan(used)
    expect(limits!.upper).toBeGreaterThan(used)
    expect(used).toBeCloseTo(5, 0)
    expect(range.upper).toBeGreaterThan(8)
    expect(settledShare).toBeGreaterThan(0.7)
    expect(settledShare).toBeLessThan(1)
  })

  it('are not known where rewards say nothing', () => {
    expect(compileSettledRanking(engine, initialState(1), [])).toBeNull()
    const silent = compileSettledRanking(engine, state, [undefined])!
    expect(silent(rowAt(0.4), 0, 0)).toBeNull()
  })
})
