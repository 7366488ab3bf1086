// The default's memories in a snapshot: a restored learner goes on byte for byte, and damage is refused with the field's name.

import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { createLearner, type Learner, number, type Problem, replayLog, restoreLearner } from '../index.js'
import type { LogRecord } from '../rounds/log.js'
import { growProblem } from './grow-problem.js'

const unit = number({ min: -1, max: 1 })
const problem: Problem = {
  context: { x: unit, y: unit },
  covariates: { z: { ...unit, imputer: { kind: 'linear', intercept: 0, coefficients: { x: 0.5 } } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}

const text = (value: unknown) => JSON.stringify(value)
const json = <T>(value: T): T => JSON.parse(text(value)) as T

/** A world that turns over after 700 rounds. Rewards come up to 40 rounds late, in an order of their own. */
function steps(rounds: number, late: number, seed: number): readonly ((learner: Learner) => void)[] {
  const random = Random.fromSeed(seed)
  const due = new Map<number, [string, number][]>()
  return Array.from({ length: rounds }, (_, t) => {
    const [x, y, noise] = [2 * random.uniform() - 1, 2 * random.uniform() - 1, random.normal()]
    const seen = random.uniform() < 0.6
    const [success, wait] = [random.uniform(), late === 0 ? 0 : random.integer(late)]
    return (learner: Learner) => {
      const z = Math.max(-1, Math.min(1, 0.5 * x + 0.3 * y + 0.2 * noise))
      const { id, action } = learner.decide({ context: { x, y }, covariates: { z: seen ? z : null } })
      const sign = { a: 1, b: -1, c: 0 }[action as 'a' | 'b' | 'c'] * (t < 700 ? 1 : -1)
      due.set(t + wait, [...(due.get(t + wait) ?? []), [id, success < 0.5 + 0.45 * sign * z ? 1 : 0]])
      for (const [round, value] of (due.get(t) ?? []).reverse()) learner.reward(round, value)
    }
  })
}

describe('a restored learner of the default', () => {
  test.each([0, 40])('goes on byte for byte, rewards up to %i rounds late', (late) => {
    const all = steps(1400, late, 5)
    const learner = createLearner(problem, { seed: 2 })
    for (const step of all) step(learner)
    const again = steps(1400, late, 5)
    let restored = createLearner(problem, { seed: 2 })
    again.forEach((step, t) => {
      if (t % 167 === 100) {
        const saved = text(restored.snapshot())
        restored = restoreLearner(problem, JSON.parse(saved))
        expect(text(restored.snapshot())).toBe(saved)
      }
      step(restored)
    })
    expect(text(restored.snapshot())).toBe(text(learner.snapshot()))
    const { state, rounds } = learner.snapshot()
    expect(rounds.closings === undefined).toBe(late === 0)
    expect(state.streams!.rewards.starts.length).toBeGreaterThan(1)
  })

  test('a replay of its log gives the same bytes, with late rewards too', () => {
    const log: LogRecord[] = []
    const learner = createLearner(problem, { seed: 2, onRecord: (record) => log.push(json(record)) })
    for (const step of steps(900, 40, 6)) step(learner)
    expect(text(replayLog(problem, { seed: 2 }, log).snapshot())).toBe(text(learner.snapshot()))
  })

  test('goes on over a problem that has grown: memories begin anew at the next end of an epoch', () => {
    const grown: Problem = { ...problem, context: { ...problem.context, w: number({ min: -1, max: 1, default: 0 }) } }
    const learner = createLearner(problem, { seed: 2 })
    for (const step of steps(500, 40, 7)) step(learner)
    const saved = json(growProblem(problem, grown, json(learner.snapshot())))
    expect(saved.state.columns).toBeDefined()
    const once = restoreLearner(grown, json(saved))
    const play = (target: Learner, seed: number) => {
      const random = Random.fromSeed(seed)
      for (let t = 0; t < 60; t++) {
        const { id } = target.decide({
          context: { x: random.uniform(), y: 0, w: random.uniform() },
          covariates: { z: random.uniform() < 0.5 ? 0.2 : null },
        })
        target.reward(id, random.uniform() < 0.5 ? 1 : 0)
      }
    }
    play(once, 1)
    const { state } = once.snapshot()
    expect(state.columns).toBeUndefined()
    // Inputs: x, y, w and z.
    expect(state.streams!.rewards.columns.units).toHaveLength(4)
    const twice = restoreLearner(grown, json(once.snapshot()))
    play(once, 2)
    play(twice, 2)
    expect(text(twice.snapshot())).toBe(text(once.snapshot()))
  })

  test.each<[string, unknown]>([
    ['rewardModel.coefficients', [[1], [2], [3]]],
    ['rewardModel.owners', [1]],
    ['rewardModel.skews', [0, null, 0]],
    ['rewardModel.columns.units', []],
    ['corrections.0.moments', [1, 0]],
    ['corrections.0.parts', [{}]],
    ['streams', 7],
    ['streams.closings', -1],
    ['streams.imputers', []],
    ['streams.rewards.starts', []],
    ['streams.rewards.columns', {}],
  ])('refuses damage in %s', (path, value) => {
    const learner = createLearner(problem, { seed: 2 })
    for (const step of steps(200, 0, 8)) step(learner)
    const saved = json(learner.snapshot())
    const fields = path.split('.')
    const owner = fields.slice(0, -1).reduce((inner: object, field) => Reflect.get(inner, field), saved.state)
    Reflect.set(owner, fields.at(-1)!, value)
    expect(() => restoreLearner(problem, saved)).toThrow(`snapshot.state.${fields[0]} must be`)
  })
})
