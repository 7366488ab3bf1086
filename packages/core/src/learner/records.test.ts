import { describe, expect, it } from 'vitest'
import { createLearner, type LearnerOptions, type LogRecord, restoreLearner } from '../index.js'
import { problem } from './clinic.fixture.js'

const request = { context: { age: 40, smoker: true, town: 'Ulm' }, covariates: { carrier: true, blood: 'A' } }

describe('a record that cannot be kept', () => {
  /** A learner in its second epoch whose log fails while `failing` is true. */
  function withLog(options: LearnerOptions = {}) {
    const log: LogRecord[] = []
    const state = { failing: false }
    const learner = createLearner(problem, {
      profile: 'primo-cal',
      seed: 3,
      ...options,
      onRecord: (record) => {
        if (state.failing) throw new Error('disk full')
        log.push(record)
      },
    })
    for (let t = 0; t < 5; t++) learner.reward(learner.decide(request).id, 0.5)
    const { id } = learner.decide({ ...request, id: 'open' })
    return { learner, log, state, id }
  }

  const calls = {
    decide: ({ learner }: ReturnType<typeof withLog>) => learner.decide({ ...request, id: 'new' }),
    reward: ({ learner, id }: ReturnType<typeof withLog>) => learner.reward(id, 0.25),
    reveal: ({ learner, id }: ReturnType<typeof withLog>) => learner.reveal(id, { genotype: 1 }),
    void: ({ learner, id }: ReturnType<typeof withLog>) => learner.void(id),
  }

  it.each(Object.entries(calls))(
    'leaves the learner as it was (%s), and the call works when it is made again',
    (_, call) => {
      const failed = withLog()
      const before = JSON.stringify(failed.learner.snapshot())
      const counts = failed.learner.counts()
      failed.state.failing = true
      expect(() => call(failed)).toThrow('disk full')
      expect(JSON.stringify(failed.learner.snapshot())).toBe(before)
      expect(failed.learner.counts()).toEqual(counts)
      failed.state.failing = false
      call(failed)
      const straight = withLog()
      call(straight)
      expect(JSON.stringify(failed.learner.snapshot())).toBe(JSON.stringify(straight.learner.snapshot()))
      expect(failed.log).toEqual(straight.log)
    },
  )

  it('does not end an epoch either', () => {
    const { learner, state } = withLog()
    for (let t = 0; t < 2; t++) learner.decide(request)
    // Eight rounds are decided: the next decision ends epoch 3.
    const before = JSON.stringify(learner.snapshot())
    state.failing = true
    expect(() => learner.decide(request)).toThrow('disk full')
    expect(JSON.stringify(learner.snapshot())).toBe(before)
    expect(learner.epochs()).toHaveLength(2)
  })
})

describe('what a caller keeps in hand', () => {
  it('does not reach into the learner: options, problem and snapshots are copies', () => {
    const options = { seed: 1, gamma: { kind: 'practical', c: 10 } } as {
      seed: number
      gamma: { kind: 'practical'; c: number }
    }
    const given = structuredClone({ ...problem, covariates: {} })
    const learner = createLearner(given, options)
    const other = createLearner(structuredClone(given), structuredClone(options))
    options.gamma.c = 0
    ;(given.actions as string[])[0] = 'none'
    const snapshot = learner.snapshot()
    expect(() => Object.assign(snapshot.options, { profile: 'primo' })).toThrow(TypeError)
    expect(JSON.stringify(learner.snapshot())).toBe(JSON.stringify(other.snapshot()))
  })

  it('is not silently ignored on restore: only onRecord may be given', () => {
    const saved = createLearner(problem, {}).snapshot()
    expect(() => restoreLearner(problem, saved, { seed: 9 } as object)).toThrow('"seed"')
    expect(() => restoreLearner(problem, saved, null as unknown as object)).toThrow(
      'options must be an object, got null',
    )
  })
})
