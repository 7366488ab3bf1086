import { Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import {
  createLearner,
  type Learner,
  type LogRecord,
  number,
  type Problem,
  pretrained,
  replayLog,
  restoreLearner,
} from '../index.js'
import type { LinearModel } from '../oracle/linear-model.js'

// Both ranges are a hundred times too wide.
const problem: Problem = {
  context: { x: number({ min: 0, max: 100 }) },
  covariates: { z: { ...number({ min: -100, max: 100 }), imputer: pretrained((x) => Number(x.x) - 0.4) } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

/** The sign of (z - .1)(x - .5) says which action is right: one product, strong enough for any seed. */
function play(learner: Learner, rounds: number, seed: number): void {
  const random = Random.fromSeed(seed)
  for (let t = 0; t < rounds; t++) {
    const x = random.uniform()
    const z = x - 0.5 + 0.6 * (random.uniform() - 0.5)
    const { id, action } = learner.decide({
      context: { x },
      covariates: { z: random.uniform() < 0.6 ? z : null },
    })
    const gain = 2 * (z - 0.1) * (x - 0.5)
    learner.reward(id, 0.5 + (action === 'a' ? gain : -gain) * 0.6 + 0.02 * random.uniform())
  }
}

test('a learner that chose products and scales is restored and replayed to the same bytes', () => {
  const log: LogRecord[] = []
  const options = { seed: 3 }
  const learner = createLearner(problem, { ...options, onRecord: (record) => log.push(record) })
  play(learner, 600, 1)
  const saved = learner.snapshot()
  const { design } = saved.state.rewardModel as LinearModel
  expect(design.products).toContainEqual([1, 0])
  expect(design.scale).toHaveLength(2)
  const restored = restoreLearner(problem, JSON.parse(JSON.stringify(saved)))
  expect(JSON.stringify(restored.snapshot())).toBe(JSON.stringify(saved))
  expect(JSON.stringify(replayLog(problem, options, log).snapshot())).toBe(JSON.stringify(saved))
  play(learner, 200, 2)
  play(restored, 200, 2)
  expect(JSON.stringify(restored.snapshot().state)).toBe(JSON.stringify(learner.snapshot().state))
})

test('a design that is not of the problem is refused', () => {
  const learner = createLearner(problem, { seed: 4 })
  play(learner, 300, 5)
  const saved = JSON.parse(JSON.stringify(learner.snapshot()))
  for (const change of [
    { products: [[7, 0]] },
    { products: [['x']] },
    { scale: [{ centre: 0 }] },
    { contextWidth: 2 },
  ]) {
    const state = structuredClone(saved.state)
    Object.assign(state.rewardModel.design, change)
    expect(() => restoreLearner(problem, { ...saved, state })).toThrow(/state\.rewardModel/)
  }
})
