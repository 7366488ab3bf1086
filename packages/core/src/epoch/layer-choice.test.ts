import { describe, expect, it } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import {
  compilePolicy,
  createEngine,
  type EpochState,
  endEpoch,
  initialState,
  RoundStatus,
  RoundTable,
} from '../engine.js'
import { createLearner, number, type Problem, Random, restoreLearner } from '../index.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: -3, max: 3, mean: { min: 0, max: 1 } },
}
const options = {
  profile: 'robust',
  layer: 'auto',
  oracle: { interactions: [['z', 'z']] },
  guards: { fallback: false, marTest: false },
} as const

/** Fills rounds [from, to): z is seen in half of them; hidden values lie `shift` higher than the correction can know. */
function fill(table: RoundTable, from: number, to: number, shift: number, random: Random): void {
  for (let round = from; round < to; round++) {
    table.append()
    const block = table.blocks[0]!
    const x = 2 * random.uniform() - 1
    const seen = random.uniform() < 0.5
    const z = Math.max(-1, Math.min(1, 0.3 * x + 0.2 * random.normal() + (seen ? 0 : shift)))
    block.context[round] = x
    block.pretrained[round] = 0.2 * x
    block.observed[round] = seen ? 1 : 0
    block.covariates[round] = seen ? z : 0
    const action = random.integer(3)
    block.action[round] = action
    block.reward[round] = 0.5 + (action - 1) * 0.8 * z + 0.1 * random.normal()
    block.status[round] = RoundStatus.closed
  }
}

describe('the choice of the layer', () => {
  it('adds up the squared errors of predictions made beforehand, the old ones counting less', () => {
    const engine = createEngine(problem, options)
    const table = new RoundTable(engine.shape)
    const random = Random.fromSeed(1)
    let state: EpochState = initialState(1)
    let naive = [0, 0, 0]
    let rowsBefore = 0
    for (const to of [40, 90, 160]) {
      const from = table.count
      fill(table, from, to, 0.5, random)
      if (state.layers !== null) {
        const before = state
        const sums = engine.layers!.map(({ name }, index) => {
          const asIf: EpochState = {
            ...before,
            rewardModel: before.layers!.models[index]!,
            layers: { ...before.layers!, chosen: name },
          }
          const policy = compilePolicy(engine, asIf)
          const block = structuredClone(table.blocks[0]!)
          let sum = 0
          for (let row = from; row < to; row++) {
            policy.decide(block, row, 0.5)
            sum += (table.blocks[0]!.reward[row]! - policy.scores[table.blocks[0]!.action[row]!]!) ** 2
          }
          return sum
        })
        naive = naive.map((loss, k) => loss * (rowsBefore / to) + sums[k]!)
      }
      rowsBefore = to
      state = endEpoch(state, table, engine, to, random.split('epoch', to))
      state.layers!.losses.forEach((loss, k) => {
        expect(loss).toBeCloseTo(naive[k]!, 9)
      })
    }
    expect(Math.min(...naive)).toBeGreaterThan(0)
    const { chosen, losses } = state.reports.at(-1)!.layer!
    expect(losses![chosen]).toBe(Math.min(...Object.values(losses!)))
  })

  it('mostly stays with the calibrated model where it is right, and takes indicators where hidden values differ', () => {
    const chosen = (shift: number, seed: number) => {
      const engine = createEngine(problem, options)
      const table = new RoundTable(engine.shape)
      const random = Random.fromSeed(seed)
      let state = initialState(1)
      for (const to of [100, 200, 400, 800, 1600]) {
        fill(table, table.count, to, shift, random)
        state = endEpoch(state, table, engine, to, random.split('epoch', to))
      }
      return state.layers!.chosen
    }
    const seeds = Array.from({ length: 10 }, (_, k) => k + 1)
    // The three are equally right when nothing is hidden on purpose; the fewer parameters predict better.
    const right = seeds.map((seed) => chosen(0, seed)).filter((name) => name === 'calibrated').length
    const hidden = seeds.map((seed) => chosen(0.6, seed)).filter((name) => name === 'calibrated').length
    expect(right).toBeGreaterThanOrEqual(6)
    expect(hidden).toBe(0)
  })

  it('survives snapshot and restore byte for byte', () => {
    const straight = createLearner(problem, { ...options, seed: 2 })
    let other = createLearner(problem, { ...options, seed: 2 })
    const random = Random.fromSeed(3)
    for (let t = 0; t < 500; t++) {
      const x = 2 * random.uniform() - 1
      const seen = random.uniform() < 0.5
      const z = 0.3 * x + 0.1 * random.normal() + (seen ? 0 : 0.5)
      for (const learner of [straight, other]) {
        const decision = learner.decide({
          context: { x },
          covariates: { z: seen ? Math.max(-1, Math.min(1, z)) : null },
          predictions: { z: 0.2 * x },
        })
        learner.reward(decision.id, 0.5 + (problem.actions.indexOf(decision.action) - 1) * 0.8 * z)
      }
      if (t % 120 === 119) other = restoreLearner(problem, JSON.parse(JSON.stringify(other.snapshot())))
    }
    expect(JSON.stringify(other.snapshot())).toBe(JSON.stringify(straight.snapshot()))
    const broken = JSON.parse(JSON.stringify(straight.snapshot()))
    broken.state.layers.models.pop()
    expect(errorOf(() => restoreLearner(problem, broken)).code).toBe('snapshot-invalid')
  })

  it.each([
    [{ layer: 'best' }, /layer must be "fixed" or "auto", got "best"/],
    [{ layer: 'auto', calibration: false }, /layer must be "fixed" unless/],
    [{ layer: 'auto', oracle: { indicator: 'intercept' } }, /layer must be "fixed" unless/],
    [{ layer: 'auto', refresh: false }, /layer must be "fixed" unless/],
  ])('refuses %j', (given, message) => {
    expect(errorOf(() => createEngine(problem, { profile: 'robust', ...(given as object) })).message).toMatch(message)
  })
})
