import { describe, expect, it } from 'vitest'
import { encodeContext, encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import { checkProblem, defineProblem } from '../problem/problem.js'
import type { LogRecord } from '../rounds/log.js'
import { createLearner, restoreLearner } from './learner.js'
import { replayLog } from './replay.js'

const problem = defineProblem({
  context: {
    age: number({ min: 0, max: 100, outside: 'clip' }),
    weight: number({ min: 0, max: 100 }),
    visits: number({ min: 0, max: 10, default: 2 }),
  },
  covariates: {
    dose: { ...number({ min: 0, max: 1, outside: 'clip' }), imputer: { kind: 'constant', value: 0.5 } },
  },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
})

describe('values outside their range', () => {
  it('are taken as the nearer end where the feature says so, else refused', () => {
    const encoding = encodingOf(problem)
    const row = (context: object) => {
      const out = new Float64Array(3)
      encodeContext(encoding, context, out)
      return [...out]
    }
    expect(row({ age: 130, weight: 50, visits: 5 })).toEqual(row({ age: 100, weight: 50, visits: 5 }))
    expect(row({ visits: 5, weight: 50, age: -1 })).toEqual(row({ age: 0, weight: 50, visits: 5 }))
    expect(() => row({ age: 50, weight: 101, visits: 5 })).toThrow('context.weight must be between 0 and 100, got 101')
    expect(() => row({ age: Number.NaN, weight: 50, visits: 5 })).toThrow('context.age must be between')
  })

  it('are counted, also by a restored and by a replayed learner', () => {
    const log: LogRecord[] = []
    const learner = createLearner(problem, { seed: 3, onRecord: (record) => log.push(record) })
    for (let t = 0; t < 60; t++) {
      const { id } = learner.decide({
        context: { age: t < 7 ? 101 : 40, weight: t, visits: 1 },
        covariates: { dose: t < 3 ? -0.1 : t < 30 ? 0.2 : null },
      })
      learner.reward(id, t % 2)
    }
    expect(learner.counts()).toEqual({ decided: 60, closed: 60, clipped: { age: 7, dose: 3 } })
    const saved = JSON.stringify(learner.snapshot())
    expect(restoreLearner(problem, JSON.parse(saved)).counts()).toEqual(learner.counts())
    expect(JSON.stringify(replayLog(problem, { seed: 3 }, log).snapshot())).toBe(saved)
  })

  it('says what is wrong with the rule', () => {
    const wrong = { ...problem, context: { age: { type: 'number', min: 0, max: 1, outside: 'cut' } } }
    expect(() => checkProblem(wrong)).toThrow('context.age.outside must be "refuse" or "clip", got "cut"')
  })
})

describe('a default', () => {
  it('stands where a request gives no value', () => {
    const encoding = encodingOf(problem)
    const [given, filled] = [new Float64Array(3), new Float64Array(3)]
    encodeContext(encoding, { age: 1, weight: 2, visits: 2 }, given)
    expect(encodeContext(encoding, { age: 1, weight: 2 }, filled)).toEqual({ age: 1, weight: 2, visits: 2 })
    expect(filled).toEqual(given)
    expect(() => encodeContext(encoding, { age: 1, weight: 2, visit: 3 }, filled)).toThrow('visit')
  })

  it('is a value of the feature, and of the context alone', () => {
    const of = (feature: object) => ({ ...problem, context: { x: feature } })
    expect(() => checkProblem(of({ type: 'number', min: 0, max: 1, default: 2 }))).toThrow(
      'context.x.default must be between 0 and 1, got 2',
    )
    expect(() => checkProblem(of({ type: 'category', levels: ['a'], default: 'b' }))).toThrow('context.x.default')
    const { dose } = problem.covariates
    expect(() => checkProblem({ ...problem, covariates: { dose: { ...dose, default: 0.2 } } })).toThrow(
      'covariates.dose.default must be absent: where the value is missing its imputer speaks',
    )
  })
})
