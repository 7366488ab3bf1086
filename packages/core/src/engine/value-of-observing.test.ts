import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { boolean, category, createLearner, number, type Problem, pretrained } from '../index.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { normalPoints } from '../residuals/residual-points.js'

const problem: Problem = {
  context: { x: number({ min: 0, max: 10 }) },
  covariates: {
    z: { ...number({ min: -2, max: 2 }), imputer: pretrained((x) => 0.1 * Number(x.x) - 0.5) },
    smoker: { ...boolean(), imputer: { kind: 'constant', value: 0.25 } },
    blood: { ...category(['A', 'B']), imputer: { kind: 'constant', value: { A: 0.6, B: 0.4 } } },
  },
  actions: ['low', 'high', 'other'],
  reward: { min: -5, max: 15, mean: { min: 0, max: 10 } },
}

/** Rewards react to z, smoker and blood; z is seen in two of three rounds. */
function trained(rounds: number, profile: 'robust' | 'primo' | 'primo-cal' = 'robust') {
  const learner = createLearner(problem, {
    profile,
    seed: 3,
    oracle: { interactions: [['z', 'z']] },
  })
  const random = Random.fromSeed(5)
  for (let t = 0; t < rounds; t++) {
    const x = 10 * random.uniform()
    const z = Math.min(2, Math.max(-2, 0.1 * x - 0.2 + 0.5 * random.normal()))
    const smoker = random.uniform() < 0.3
    const blood = random.uniform() < 0.5 ? 'A' : 'B'
    const seen = t % 3 > 0
    const decision = learner.decide({
      context: { x },
      covariates: { z: seen ? z : null, smoker: seen ? smoker : null, blood: seen ? blood : null },
    })
    const signs = { low: 1, high: -1, other: 0 }
    const sign = signs[decision.action as keyof typeof signs]
    const mean = 5 + sign * (1.5 * z + (smoker ? 1 : -1) + (blood === 'A' ? 0.7 : -0.7) + 0.3 * z * z)
    learner.reward(decision.id, Math.min(15, Math.max(-5, mean + 0.5 * random.normal())))
  }
  return learner
}

const request = { context: { x: 4 }, covariates: { z: null, smoker: true, blood: 'B' } } as const

describe('the value of observing', () => {
  it('is absent until there is a reward model and a residual, and for what was observed', () => {
    const fresh = trained(0).decide(request)
    expect(fresh.covariates.z).not.toHaveProperty('valueOfObserving')
    expect(fresh.covariates.z).not.toHaveProperty('sd')
    expect(trained(200, 'primo').decide(request).covariates.z).not.toHaveProperty('valueOfObserving')
    const later = trained(200).decide(request)
    expect(later.covariates.z!.valueOfObserving).toBeGreaterThanOrEqual(0)
    expect(later.covariates.z!.sd).toBeGreaterThan(0.3)
    expect(later.covariates.smoker).not.toHaveProperty('valueOfObserving')
  })

  it('is known after a calibration of the paper too', () => {
    expect(trained(200, 'primo-cal').decide(request).covariates.z!.valueOfObserving).toBeGreaterThanOrEqual(0)
  })

  it('equals the naive average over 16 residuals, in the units of the reward', () => {
    const learner = trained(600)
    const { state } = learner.snapshot()
    const decision = learner.decide(request)
    const model = learner.snapshot().state.rewardModel as LinearModel
    expect(learner.snapshot().state.version).toBe(state.version)
    const correction = state.corrections[0]!
    if (correction.kind !== 'correction') throw new Error('a correction')
    const points = normalPoints(correction.moments![2]!)
    const inside = (decision.covariates.z!.value as number) / 2
    // Columns: 1, x, z, smoker, blood A, blood B, z z.
    const scores = (z: number) =>
      model.coefficients.map((theta) => {
        const phi = [1, (2 * 4 - 10) / 10, z, 1, 0, 1, z * z]
        return Math.min(
          1.5,
          Math.max(
            -0.5,
            theta.reduce((sum, value, k) => sum + value * phi[k]!, 0),
          ),
        )
      })
    const all = points.map((eta) => scores(inside + eta))
    const expected = all.reduce((sum, row) => sum + Math.max(...row), 0) / 16
    const means = [0, 1, 2].map((a) => all.reduce((sum, row) => sum + row[a]!, 0) / 16)
    expect(decision.covariates.z!.valueOfObserving).toBeCloseTo(10 * (expected - Math.max(...means)), 10)
    expect(decision.covariates.z!.valueOfObserving).toBeGreaterThan(0)
  })

  it('weighs the levels of a boolean and a category by their probabilities', () => {
    const learner = trained(600)
    const decision = learner.decide({ context: { x: 4 }, covariates: { z: -0.5, smoker: null, blood: null } })
    const model = learner.snapshot().state.rewardModel as LinearModel
    const z = -0.25
    const smoker = decision.covariates.smoker!.value as number
    const blood = decision.covariates.blood!.value as Record<string, number>
    const score = (s: number, a: number, b: number) =>
      model.coefficients.map((theta) =>
        [1, -0.2, z, s, a, b, z * z].reduce((sum, value, k) => sum + value * theta[k]!, 0),
      )
    const gain = (rows: readonly (readonly [number, number[]])[]) =>
      rows.reduce((sum, [weight, row]) => sum + weight * Math.max(...row), 0) -
      Math.max(...[0, 1, 2].map((k) => rows.reduce((sum, [weight, row]) => sum + weight * row[k]!, 0)))
    expect(decision.covariates.smoker!.valueOfObserving).toBeCloseTo(
      10 *
        gain([
          [1 - smoker, score(0, blood.A!, blood.B!)],
          [smoker, score(1, blood.A!, blood.B!)],
        ]),
      10,
    )
    expect(decision.covariates.blood!.valueOfObserving).toBeCloseTo(
      10 *
        gain([
          [blood.A!, score(smoker, 1, 0)],
          [blood.B!, score(smoker, 0, 1)],
        ]),
      10,
    )
  })

  it('counts eligible actions only: with one action left, knowing is worth nothing', () => {
    const decision = trained(600).decide({ ...request, actions: ['high'] })
    expect(decision.covariates.z!.valueOfObserving).toBe(0)
  })

  it('does not change a decision or the log', () => {
    const learner = trained(300)
    const before = JSON.stringify(learner.snapshot().state)
    learner.decide(request)
    expect(JSON.stringify(learner.snapshot().state)).toBe(before)
  })
})
