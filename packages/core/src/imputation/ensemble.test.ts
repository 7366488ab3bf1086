import { Random, seedKey } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../engine/engine.js'
import { initialState } from '../engine/epoch-state.js'
import { endEpoch } from '../epoch/end-epoch.js'
import { createLearner, restoreLearner } from '../learner/learner.js'
import { replayLog } from '../learner/replay.js'
import { createRoundWriter } from '../learner/round-writer.js'
import { number, scaleNumber } from '../problem/feature.js'
import type { MemberImputer } from '../problem/imputer.js'
import type { Problem } from '../problem/problem.js'
import type { LogRecord } from '../rounds/log.js'

const options = { profile: 'robust', seed: 5 } as const
const column: MemberImputer = { kind: 'column' }

function problemWith(members: readonly string[]): Problem {
  return {
    context: { x: number({ min: -1, max: 1 }) },
    covariates: {
      z: {
        ...number({ min: -4, max: 4 }),
        imputer: { kind: 'ensemble', members: Object.fromEntries(members.map((name) => [name, column])) },
      },
    },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  }
}

/** z = x + eta; `good` is x + 0.1 noise + 0.5, `bad` is noise. */
function play(rounds: number, silent: (round: number) => boolean = () => false) {
  const problem = problemWith(['good', 'bad'])
  const records: LogRecord[] = []
  const learner = createLearner(problem, { ...options, onRecord: (record) => records.push(record) })
  const world = Random.fromSeed(3).split('ensemble')
  for (let round = 0; round < rounds; round++) {
    const x = 2 * world.uniform() - 1
    const z = x + 0.3 * (world.uniform() - 0.5)
    const good = x + 0.5 + 0.2 * (world.uniform() - 0.5)
    const bad = 4 * (world.uniform() - 0.5)
    const decision = learner.decide({
      context: { x },
      covariates: { z: world.uniform() < 0.5 ? z : null },
      predictions: { z: { members: { good, bad: silent(round) ? null : bad } } },
    })
    learner.reward(decision.id, (decision.action === 'a') === z > 0 ? 1 : 0)
  }
  return { problem, learner, records }
}

describe('an ensemble', () => {
  it('starts with equal weights and weighs a bad member down, biased though the good one is', () => {
    const { learner } = play(600)
    const judged = learner.epochs().flatMap(({ covariates }) => covariates[0]!.ensemble ?? [])
    expect(judged.length).toBeGreaterThan(3)
    expect(judged.at(-1)!.weights.good).toBeGreaterThan(0.95)
    expect(judged.at(-1)!.residualVariance.bad).toBeGreaterThan(10 * judged.at(-1)!.residualVariance.good!)
    const decision = learner.decide({ context: { x: 0.5 }, predictions: { z: { members: { good: 1, bad: -2 } } } })
    expect(decision.covariates.z!.source).toBe('calibrated')
    // The correction is one of the present combination: about z = x.
    expect(decision.covariates.z!.value).toBeGreaterThan(0.35)
    expect(decision.covariates.z!.value).toBeLessThan(0.65)
  })

  it('survives a snapshot, and weighs inversely to variances where errors are uncorrelated', () => {
    const { learner } = play(200)
    const state = learner.snapshot().state
    const [w] = state.ensembles!
    const restored = restoreLearner(problemWith(['good', 'bad']), JSON.parse(JSON.stringify(learner.snapshot())))
    expect(restored.snapshot()).toEqual(learner.snapshot())
    expect(w!.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12)
    const engine = createEngine(problemWith(['good', 'bad']), { profile: 'robust' })
    expect(engine.shape.memberWidth).toBe(2)
    // Two members with residual variances 1 and 4, uncorrelated, many rows: weights 0.8 and 0.2.
    const writer = createRoundWriter(engine)
    const world = Random.fromSeed(1).split('grid')
    const sign = () => (world.uniform() < 0.5 ? -1 : 1)
    for (let round = 0; round < 4000; round++) {
      const z = sign()
      writer.append({
        context: { x: 0 },
        covariates: { z },
        predictions: { z: { members: { good: z + 0.5 * sign(), bad: z + sign() } } },
        used: [z / 4],
        action: 'a',
        propensity: 0.5,
      })
      writer.close(round, 0.5)
    }
    const next = endEpoch(initialState(1), writer.table, engine, 4000, new Random(seedKey(0)).split('epoch', 1))
    expect(next.ensembles![0]![0]).toBeGreaterThan(0.77)
    expect(next.ensembles![0]![0]).toBeLessThan(0.83)
  })

  it('is replayed from its log to the byte, without asking any member', () => {
    const { problem, learner, records } = play(300)
    expect(JSON.stringify(replayLog(problem, options, records).snapshot())).toBe(JSON.stringify(learner.snapshot()))
  })

  it('goes on when a member falls silent, and falls back only when all are', () => {
    const { learner } = play(300, (round) => round > 30)
    const one = learner.decide({ context: { x: 0 }, predictions: { z: { members: { good: 0.5, bad: null } } } })
    expect(one.covariates.z!.pretrained).toBeCloseTo(0.5, 9)
    const none = learner.decide({ context: { x: 0 }, predictions: { z: { members: { good: 9, bad: null } } } })
    expect(none.covariates.z).toMatchObject({ status: 'fallback', source: 'constant' })
    expect(none.covariates.z!.reason).toMatch(/good: predicted 9, outside -4 to 4; bad: no prediction was given/)
    expect(() => learner.decide({ context: { x: 0 }, predictions: { z: { members: { goood: 1 } } } })).toThrow(
      'predictions.z.members must only have good, bad, got "goood"',
    )
  })

  it('learns the same weights from rounds that a log brings as from its own', () => {
    const { problem, learner, records } = play(300)
    const engine = createEngine(problem, { profile: 'robust' })
    const writer = createRoundWriter(engine)
    let state = initialState(1)
    let closed = 0
    for (const record of records) {
      if (record.type === 'decision')
        writer.append({ ...record, used: [scaleNumber(number({ min: -4, max: 4 }), Number(record.covariates.z ?? 0))] })
      if (record.type === 'reward') writer.close(closed++, record.value)
      if (record.type === 'epoch')
        state = endEpoch(state, writer.table, engine, closed, new Random(seedKey(5)).split('epoch', record.epoch))
    }
    expect(state.ensembles).toEqual(learner.snapshot().state.ensembles)
    expect(state.corrections).toEqual(learner.snapshot().state.corrections)
  })
})
