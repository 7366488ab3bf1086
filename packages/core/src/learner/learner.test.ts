import { drawKey, drawOf, Random, seedKey } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boolean,
  createLearner,
  type Decision,
  type DecisionRequest,
  type Learner,
  type LearnerOptions,
  type LogRecord,
  number,
  type Problem,
  pretrained,
  restoreLearner,
} from '../index.js'

const problem: Problem = {
  context: { age: number({ min: 18, max: 95 }), smoker: boolean() },
  covariates: {
    genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained((x) => 1.2 - 0.004 * Number(x.age)) },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1 },
}
const imputedBy = (predict: (context: Readonly<Record<string, unknown>>) => number): Problem => ({
  ...problem,
  covariates: { genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained(predict) } },
})

/** A patient whose genotype is missing half of the time and, in truth, 0.3 below what the model says. */
function patient(random: Random): DecisionRequest {
  const age = 18 + 77 * random.uniform()
  const genotype = 0.9 - 0.004 * age + 0.2 * (random.uniform() - 0.5)
  return {
    context: { age, smoker: random.uniform() < 0.3 },
    covariates: { genotype: random.uniform() < 0.5 ? genotype : null },
  }
}

const mean: Readonly<Record<string, number>> = { low: 0.2, medium: 0.4, high: 0.8 }

function treat(learner: Learner, rounds: number, seed: number): Decision[] {
  const random = Random.fromSeed(seed)
  return Array.from({ length: rounds }, () => {
    const decision = learner.decide(patient(random))
    learner.reward(decision.id, mean[decision.action]! + 0.2 * (random.uniform() - 0.5))
    return decision
  })
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

describe('the flow', () => {
  test('decide, reward, reveal, snapshot and restore work as the design’s example says', () => {
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 7 })
    const d = learner.decide({ context: { age: 63, smoker: false }, covariates: { genotype: null } })
    expect(d).toMatchObject({ id: '1', epoch: 1, policy: { version: 0, epoch: 1, gamma: 0, profile: 'primo-cal' } })
    expect(problem.actions).toContain(d.action)
    expect(d.propensity).toBe(d.propensities[d.action])
    expect(d.covariates.genotype).toMatchObject({ status: 'imputed', source: 'pretrained' })
    expect(d.covariates.genotype!.value).toBeCloseTo(1.2 - 0.004 * 63, 12)
    expect(learner.reward(d.id, 1)).toBe('accepted')
    expect(learner.reveal(d.id, { genotype: 2 })).toBe('accepted')
    const saved = learner.snapshot()
    const restored = restoreLearner(problem, JSON.parse(JSON.stringify(saved)))
    expect(JSON.stringify(restored.snapshot())).toBe(JSON.stringify(saved))
    const next = { context: { age: 40, smoker: true }, covariates: { genotype: 1 } }
    expect(restored.decide(next)).toEqual(learner.decide(next))
  })

  test('a covariate that is absent, undefined or null is missing; a value is used as it is', () => {
    const learner = createLearner(problem, { profile: 'primo', seed: 1 })
    const context = { age: 20, smoker: true }
    for (const covariates of [{}, { genotype: undefined }, { genotype: null }])
      expect(learner.decide({ context, covariates }).covariates.genotype!.status).toBe('imputed')
    expect(learner.decide({ context }).covariates.genotype!.status).toBe('imputed')
    const observed = learner.decide({ context, covariates: { genotype: 0.5 } }).covariates.genotype
    expect(observed).toEqual({ status: 'observed', value: 0.5, source: 'request' })
  })

  test('a reveal never rewrites what the decision used', () => {
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 1 })
    const { id } = learner.decide({ context: { age: 20, smoker: true } })
    const before = learner.snapshot().rounds.columns
    learner.reveal(id, { genotype: 2 })
    const after = learner.snapshot().rounds.columns
    for (const column of ['context', 'covariates', 'pretrained', 'action', 'propensity', 'reward'])
      expect(after[column]).toBe(before[column])
    expect(after.observed).not.toBe(before.observed)
  })

  test('the same report again is a duplicate and changes nothing', () => {
    const learner = createLearner(problem, { profile: 'primo', seed: 1 })
    const { id } = learner.decide({ context: { age: 20, smoker: true } })
    const other = learner.decide({ context: { age: 20, smoker: true } })
    learner.reward(id, 0.5)
    learner.reveal(id, { genotype: 1 })
    learner.void(other.id)
    const before = JSON.stringify(learner.snapshot())
    expect(learner.reward(id, 0.5)).toBe('duplicate')
    expect(learner.reveal(id, { genotype: 1 })).toBe('duplicate')
    expect(learner.void(other.id)).toBe('duplicate')
    expect(JSON.stringify(learner.snapshot())).toBe(before)
    expect(learner.counts()).toEqual({ decided: 2, closed: 1 })
  })
})

describe('a decision', () => {
  test('reports propensities of all actions that are positive and sum to 1, its own among them', () => {
    const decisions = treat(createLearner(problem, { profile: 'primo-cal', seed: 3 }), 400, 1)
    for (const { action, propensity, propensities } of decisions) {
      expect(Object.keys(propensities)).toEqual(['low', 'medium', 'high'])
      expect(sum(Object.values(propensities))).toBeCloseTo(1, 12)
      expect(Math.min(...Object.values(propensities))).toBeGreaterThan(0)
      expect(propensity).toBe(propensities[action])
    }
    // It has learnt: the best action is drawn far more often than at the start.
    const late = decisions.slice(300)
    expect(late.filter(({ action }) => action === 'high').length / late.length).toBeGreaterThan(0.8)
  })

  test('is uniform in epoch 1, and tells the epoch, the policy’s version and gamma of each later one', () => {
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 3 })
    // gamma = c sqrt(K n / dim) with K = 3 and dim = 3 (1 + 2 + 1); n = |D_{s-1}|.
    const gamma = (epoch: number) => (epoch === 1 ? 0 : 10 * Math.sqrt((3 * (epoch === 2 ? 2 : 2 ** (epoch - 2))) / 12))
    treat(learner, 64, 1).forEach(({ epoch, policy, propensities }, t) => {
      expect(epoch).toBe(Math.max(1, Math.ceil(Math.log2(t + 1))))
      expect([policy.epoch, policy.version]).toEqual([epoch, epoch - 1])
      expect(policy.gamma).toBeCloseTo(gamma(epoch), 10)
      if (epoch === 1) for (const p of Object.values(propensities)) expect(p).toBeCloseTo(1 / 3, 15)
    })
    expect(learner.epochs().map(({ epoch, learnt }) => [epoch, learnt])).toEqual([
      [1, 2],
      [2, 2],
      [3, 4],
      [4, 8],
      [5, 16],
    ])
  })

  test('uses the pretrained value at first and the calibrated one once enough was observed', () => {
    const learner = createLearner(problem, { profile: 'primo-cal', seed: 3 })
    const imputed = treat(learner, 2000, 1)
      .map((decision) => decision.covariates.genotype!)
      .filter(({ status }) => status === 'imputed')
    expect(imputed[0]!.source).toBe('pretrained')
    expect(imputed[0]!.value).toBe(imputed[0]!.pretrained)
    const last = imputed.at(-1)!
    expect(last.source).toBe('calibrated')
    // The truth is 0.3 below the model; some 250 known rows of noise (sd 0.06) put the correction near it.
    expect((last.value as number) - (last.pretrained as number)).toBeCloseTo(-0.3, 1)
  })

  test('never calibrates under primo, and asks the model only where the value is missing', () => {
    let asked = 0
    const counting = imputedBy(() => {
      asked++
      return 1
    })
    const decisions = treat(createLearner(counting, { profile: 'primo', seed: 3 }), 200, 1)
    const uses = decisions.map((decision) => decision.covariates.genotype!)
    expect(new Set(uses.map(({ source }) => source))).toEqual(new Set(['request', 'pretrained']))
    expect(asked).toBe(uses.filter(({ status }) => status === 'imputed').length)
  })

  test('is logged as it was made, whatever the model or the caller does to the objects afterwards', () => {
    const records: LogRecord[] = []
    const meddling = imputedBy((x) => {
      ;(x as Record<string, unknown>).age = 19
      return 1
    })
    const learner = createLearner(meddling, { profile: 'primo-cal', onRecord: (record) => records.push(record) })
    const context = { age: 50, smoker: true }
    const covariates: Record<string, number | null> = { genotype: null }
    const actions = ['low', 'high']
    // The model is given a frozen copy: writing to it fails, as any other error of a model.
    const decision = learner.decide({ context, covariates, actions })
    expect(decision.covariates.genotype).toMatchObject({ status: 'fallback' })
    expect(context.age).toBe(50)
    context.age = 77
    covariates.genotype = 1
    actions.push('medium')
    const revealed = { genotype: 1.5 }
    learner.reveal(decision.id, revealed)
    revealed.genotype = 0
    expect(records[0]).toMatchObject({
      context: { age: 50, smoker: true },
      covariates: { genotype: null },
      predictions: { genotype: null },
      actions: ['low', 'high'],
    })
    expect(records[1]).toEqual({ type: 'reveal', id: '1', covariates: { genotype: 1.5 } })
  })
})

describe('randomness', () => {
  const options: LearnerOptions = { profile: 'primo-cal', seed: 11 }

  test('the same seed gives the same run, another seed another', () => {
    const run = (seed: number) => treat(createLearner(problem, { ...options, seed }), 300, 2)
    expect(run(11)).toEqual(run(11))
    expect(run(12).map(({ action }) => action)).not.toEqual(run(11).map(({ action }) => action))
  })

  test('a draw is a function of seed and id: the same request at another position of the epoch draws alike', () => {
    // Trained until round 65, the beginning of an epoch whose policy is far from uniform.
    const trained = createLearner(problem, options)
    treat(trained, 65, 5)
    const saved = trained.snapshot()
    const anyCase = fc.record({
      seed: fc.option(fc.nat(1_000_000), { nil: undefined }),
      id: fc.string({ minLength: 1, maxLength: 12 }).filter((id) => !/^(0|[1-9][0-9]*)$/.test(id)),
      age: fc.double({ min: 18, max: 95, noNaN: true }),
      before: fc.nat(12),
    })
    fc.assert(
      fc.property(anyCase, ({ seed, id, age, before }) => {
        const start = () =>
          seed === undefined
            ? restoreLearner(problem, saved)
            : createLearner(problem, { ...options, seed, schedule: { kind: 'fixed', length: 100 } })
        const one = start()
        const two = start()
        for (let k = 0; k < before; k++) two.decide({ context: { age: 30, smoker: true } })
        const request = { id, context: { age, smoker: false } }
        const decision = one.decide(request)
        expect(two.decide(request)).toEqual(decision)
        // That draw selects the action by the propensities, in the order of the actions.
        const draw = drawOf(drawKey(seedKey(seed ?? 11)), id)
        let below = 0
        const chosen = problem.actions.find((action) => {
          below += decision.propensities[action]!
          return draw < below
        })
        expect(decision.action).toBe(chosen)
      }),
      { numRuns: 60 },
    )
  })

  test('actions come up as often as their propensities say', () => {
    const learner = createLearner(problem, { ...options, schedule: { kind: 'list', ends: [64] } })
    treat(learner, 65, 5)
    const request = { context: { age: 40, smoker: false }, covariates: { genotype: 0.5 } }
    const { propensities } = learner.decide(request)
    const rounds = 20_000
    const counts: Record<string, number> = { low: 0, medium: 0, high: 0 }
    for (let t = 0; t < rounds; t++) counts[learner.decide(request).action]! += 1
    for (const [action, p] of Object.entries(propensities)) {
      // Seeded; four standard errors: a false alarm in 16,000 draws of the seed.
      expect(Math.abs(counts[action]! / rounds - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / rounds))
    }
  })
})

describe('ids', () => {
  const context = { age: 20, smoker: true }

  test('are the number of the round unless the request brings its own', () => {
    const learner = createLearner(problem, { profile: 'primo', seed: 1 })
    expect(learner.decide({ context }).id).toBe('1')
    expect(learner.decide({ context, id: 'visit-7' }).id).toBe('visit-7')
    expect(learner.decide({ context, id: '3' }).id).toBe('3')
    expect(learner.reward('visit-7', 1)).toBe('accepted')
    expect(learner.reward('3', 1)).toBe('accepted')
    expect(learner.counts()).toEqual({ decided: 3, closed: 2 })
  })

  test('survive a snapshot', () => {
    const learner = createLearner(problem, { profile: 'primo', seed: 1 })
    learner.decide({ context, id: 'visit-7' })
    const restored = restoreLearner(problem, JSON.parse(JSON.stringify(learner.snapshot())))
    expect(restored.reward('visit-7', 1)).toBe('accepted')
    expect(() => restored.reward('1', 1)).toThrow(/"1"/)
    expect(() => restored.decide({ context, id: 'visit-7' })).toThrow(/"visit-7" again/)
  })
})

test('what leaves the learner cannot change it: state and reports are frozen, a restored learner keeps its own copy', () => {
  const learner = createLearner(problem, { profile: 'primo-cal', seed: 2, schedule: { kind: 'fixed', length: 2 } })
  treat(learner, 3, 1)
  const saved = JSON.parse(JSON.stringify(learner.snapshot()))
  const restored = restoreLearner(problem, saved)
  for (const one of [createLearner(problem), learner, restored]) {
    const { state } = one.snapshot()
    expect(() => Object.assign(state, { gamma: 99 })).toThrow(TypeError)
    expect(() => (state.corrections as unknown[]).push(null)).toThrow(TypeError)
    expect(() => (one.epochs() as unknown[]).push(null)).toThrow(TypeError)
  }
  const before = JSON.stringify(restored.snapshot())
  saved.state.gamma = 99
  saved.ids.push(['x', 0])
  saved.options.schedule.length = 5
  expect(JSON.stringify(restored.snapshot())).toBe(before)
})
