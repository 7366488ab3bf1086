import { Random, seedKey } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { renewRounds } from '../epoch/grow.js'
import { boolean, category, number } from '../problem/feature.js'
import type { EnsembleImputer, Imputer } from '../problem/imputer.js'
import type { Problem } from '../problem/problem.js'
import type { LogRecord } from '../rounds/log.js'
import { createDecider } from './decider.js'
import { growProblem } from './grow-problem.js'
import { createLearner, type Learner, restoreLearner } from './learner.js'
import { applyLog } from './replay.js'
import type { DecisionRequest } from './request.js'
import { createRoundWriter } from './round-writer.js'

const ensemble: EnsembleImputer = {
  kind: 'ensemble',
  members: {
    flat: { kind: 'constant', value: 1 },
    line: { kind: 'linear', intercept: 0, coefficients: { age: 0.01 } },
  },
}
const before: Problem = {
  context: { age: number({ min: 18, max: 95 }), smoker: boolean(), town: category(['north', 'south']) },
  covariates: {
    z: { ...number({ min: -4, max: 4 }), imputer: ensemble },
    group: { ...category(['a', 'b']), imputer: { kind: 'constant', value: { a: 0.3, b: 0.7 } } },
  },
  actions: ['low', 'high', 'none'],
  reward: { min: 0, max: 1 },
}
/** Everything grows at once, and the context has another order. */
const after: Problem = {
  ...before,
  context: {
    town: category(['west', 'north', 'south', 'east']),
    age: number({ min: 0, max: 130 }),
    visits: number({ min: 0, max: 20, default: 3 }),
    smoker: boolean(),
    plan: { ...category(['old', 'new']), default: 'old' },
  },
  covariates: {
    z: { ...number({ min: -4, max: 10 }), imputer: ensemble },
    group: { ...category(['a', 'c', 'b']), imputer: { kind: 'constant', value: { a: 0.3, b: 0.7 } } },
  },
}

function requestOf(random: Random): DecisionRequest {
  const age = 18 + 77 * random.uniform()
  return {
    context: { age, smoker: random.uniform() < 0.3, town: random.uniform() < 0.5 ? 'north' : 'south' },
    covariates: {
      z: random.uniform() < 0.5 ? -3 + age / 20 + random.uniform() : null,
      group: random.uniform() < 0.6 ? (random.uniform() < 0.5 ? 'a' : 'b') : null,
    },
  }
}

function play(learner: Learner, rounds: number, random: Random, change = (request: DecisionRequest) => request): void {
  for (let k = 0; k < rounds; k++) {
    const request = change(requestOf(random))
    const { id, action } = learner.decide(request)
    const chance = action === 'low' ? 0.7 - Number(request.context.age) / 200 : action === 'high' ? 0.5 : 0.3
    learner.reward(id, random.uniform() < chance ? 1 : 0)
  }
}

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const scoresOf = (
  problem: Problem,
  state: EpochState,
  options: EngineOptions,
  requests: readonly DecisionRequest[],
) => {
  const decider = createDecider(createEngine(problem, options), state, seedKey(7))
  return requests.map((request, k) => {
    const choice = decider.decide(request, `r-${k}`)
    const { scores, propensities } = choice
    const uses = decider.uses(choice)
    return { numbers: [...scores, ...propensities, uses.z!.value as number, uses.z!.sd ?? 0], uses: Object.keys(uses) }
  })
}

const classes: readonly EngineOptions[] = [
  { profile: 'robust' },
  { profile: 'primo-cal' },
  { profile: 'robust', oracle: { kind: 'trees' } },
]

describe('a problem that has grown', () => {
  it.each(classes)('decides 1,000 requests as before: $profile $oracle', (options) => {
    const learner = createLearner(before, { ...options, seed: 7 })
    play(learner, 300, Random.fromSeed(1))
    const { state } = learner.snapshot()
    const grown = json(growProblem(before, after, json(learner.snapshot())))
    expect(state.rewardModel).not.toBeNull()
    const random = Random.fromSeed(2)
    const requests = Array.from({ length: 1000 }, () => requestOf(random))
    const then = scoresOf(before, state, options, requests)
    scoresOf(after, grown.state, options, requests).forEach(({ numbers, uses }, k) => {
      expect(uses).toEqual(then[k]!.uses)
      numbers.forEach((value, i) => {
        expect(Math.abs(value - then[k]!.numbers[i]!)).toBeLessThan(1e-12)
      })
    })
  })

  it('has the rounds that it would have had if it had been declared so from the beginning', () => {
    const log: LogRecord[] = []
    const learner = createLearner(before, { seed: 7, onRecord: (record) => log.push(record) })
    play(learner, 300, Random.fromSeed(3))
    const [old, now] = [createEngine(before), createEngine(after)]
    const [first, all] = [old, now].map((engine) => {
      const writer = createRoundWriter(engine)
      for (const record of log) {
        if (record.type === 'decision') writer.append(record)
        if (record.type === 'reward') writer.close(Number(record.id) - 1, record.value)
      }
      return writer.table
    })
    const [grown] = renewRounds(first!, old, now).blocks
    const [declared] = all!.blocks
    for (const column of ['context', 'covariates', 'pretrained', 'members'] as const) {
      const values = grown![column]!
      expect(values.length).toBe(declared![column]!.length)
      declared![column]!.forEach((value, k) => {
        if (Number.isNaN(value)) expect(values[k]).toBeNaN()
        else if (!(Math.abs(values[k]! - value) < 1e-12)) expect([column, k, values[k]]).toEqual([column, k, value])
      })
    }
    for (const column of ['observed', 'action', 'propensity', 'reward', 'status'] as const)
      expect(grown![column]).toEqual(declared![column])
  })

  it('goes on, learns the new columns, and a replay over the change gives the same bytes', () => {
    const learner = createLearner(before, { seed: 7 })
    play(learner, 300, Random.fromSeed(4))
    const grown = json(growProblem(before, after, learner.snapshot()))
    expect(grown.state.columns).toBeDefined()
    const log: LogRecord[] = []
    const next = restoreLearner(after, grown, { onRecord: (record) => log.push(record) })
    expect(next.report().version).toBe(learner.report().version)
    play(next, 200, Random.fromSeed(5), ({ context, covariates }) => ({
      context: {
        ...context,
        town: Number(context.age) > 60 ? 'west' : 'north',
        age: Number(context.age) + 20,
        visits: 5,
      },
      covariates: { ...covariates!, group: 'c' },
    }))
    const saved = next.snapshot()
    expect(saved.state.columns).toBeUndefined()
    expect(saved.state.reports.at(-1)!.learnt).toBeGreaterThan(400)
    const again = restoreLearner(after, json(grown))
    applyLog(again, json(log))
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(saved))
    // A problem may grow again before anything new was learnt.
    const wider: Problem = { ...after, context: { ...after.context, age: number({ min: -5, max: 140 }) } }
    const twice = growProblem(after, wider, grown)
    expect(twice.state.columns).toEqual(grown.state.columns)
    const request = requestOf(Random.fromSeed(6))
    const { propensities } = restoreLearner(wider, json(twice)).decide(request)
    const first = restoreLearner(after, json(grown)).decide(request).propensities
    for (const [action, p] of Object.entries(first)) expect(propensities[action]).toBeCloseTo(p, 12)
  })

  it('may get another model at the same time: members that stay keep what they said, in the new columns', () => {
    const learner = createLearner(before, { seed: 7 })
    play(learner, 100, Random.fromSeed(8))
    const saved = json(learner.snapshot())
    const other: Imputer = { ...ensemble, members: { ...ensemble.members, flat: { kind: 'constant', value: 2 } } }
    const both: Problem = {
      ...after,
      covariates: { ...after.covariates, z: { ...after.covariates.z!, imputer: other } },
    }
    const grown = growProblem(before, both, saved)
    expect(grown.state.models!.map(({ since }) => since)).toEqual([100, 0])
    const columns = (snapshot: typeof grown) =>
      new Float64Array(Uint8Array.from(Buffer.from(snapshot.rounds.columns.members!, 'base64')).buffer)
    const [then, now] = [columns(saved), columns(json(grown))]
    for (let round = 0; round < 100; round++) {
      // -4 to 4 becomes -4 to 10.
      expect(7 * now[2 * round]! + 3).toBeCloseTo(2, 12)
      expect(7 * now[2 * round + 1]! + 3).toBeCloseTo(4 * then[2 * round + 1]!, 12)
    }
    play(restoreLearner(both, json(grown)), 40, Random.fromSeed(9))
  })

  it.each<[string, (problem: Problem) => Problem]>([
    [
      'context.age may widen its range, not shrink it',
      (p) => ({ ...p, context: { ...p.context, age: number({ min: 20, max: 99 }) } }),
    ],
    [
      'context.town may gain levels, not lose them: "south"',
      (p) => ({ ...p, context: { ...p.context, town: category(['north']) } }),
    ],
    [
      'context.smoker.type may not change',
      (p) => ({ ...p, context: { ...p.context, smoker: number({ min: 0, max: 1 }) } }),
    ],
    ['context.bmi must have a default to be added', (p) => ({ ...p, context: { ...p.context, bmi: boolean() } })],
    ['context.smoker may not be removed', ({ context: { smoker: _, ...context }, ...p }) => ({ ...p, context })],
    [
      'covariates.more may not be added',
      (p) => ({
        ...p,
        covariates: { ...p.covariates, more: { ...boolean(), imputer: { kind: 'constant', value: 0.5 } } },
      }),
    ],
    ['actions, reward, signals, reveals and reasons must stay', (p) => ({ ...p, actions: ['low'] })],
  ])('is refused where what was learnt would be lost: %s', (sentence, change) => {
    expect(() => growProblem(before, change(before), createLearner(before).snapshot())).toThrow(sentence)
  })
})
