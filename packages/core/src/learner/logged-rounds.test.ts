import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { createEngine, loggedRounds } from '../engine.js'
import { createLearner, type LoggedRound, Random, restoreLearner, warmStart } from '../index.js'
import { problem } from './clinic.fixture.js'

const options = { profile: 'primo-cal', schedule: { kind: 'list', ends: [300] }, seed: 7 } as const

function request(random: Random) {
  return {
    context: {
      age: 18 + 77 * random.uniform(),
      smoker: random.uniform() < 0.3,
      town: random.uniform() < 0.5 ? 'Ulm' : 'Bonn',
    },
    covariates: {
      genotype: random.uniform() < 0.6 ? 2 * random.uniform() : null,
      carrier: random.uniform() < 0.5 ? random.uniform() < 0.5 : null,
      blood: random.uniform() < 0.5 ? 'A' : null,
    },
    predictions: { blood: { A: 0.25, B: 0.5, other: 0.25 } },
  }
}

/** A learner's first 300 rounds, and the same rounds as a log. */
function played() {
  const rounds: LoggedRound[] = []
  const rewards = Random.fromSeed(2)
  const learner = createLearner(problem, {
    ...options,
    onRecord: (record) => {
      if (record.type !== 'decision') return
      const { id, context, covariates, predictions, action, propensity } = record
      rounds.push({ id, context, covariates, predictions, action, propensity, reward: rewards.uniform() })
    },
  })
  const random = Random.fromSeed(1)
  for (let k = 0; k < 300; k++) {
    const { id } = learner.decide({ id: `visit-${k}`, ...request(random) })
    learner.reward(id, rounds[k]!.reward!)
  }
  return { learner, rounds, next: request(random) }
}

describe('warmStart', () => {
  test('gives the learner that would have made the rounds itself', () => {
    const { learner, rounds, next } = played()
    const warm = restoreLearner(problem, JSON.parse(JSON.stringify(warmStart(problem, options, rounds))))
    expect(warm.counts()).toEqual({ decided: 300, closed: 300 })
    expect(warm.decide({ id: 'next', ...next })).toEqual(learner.decide({ id: 'next', ...next }))
    expect(warm.epochs()).toHaveLength(1)
    expect(warm.snapshot()).toEqual(learner.snapshot())
  })

  test('keeps rounds without a reward and learns nothing from them', () => {
    const { rounds } = played()
    const warm = restoreLearner(
      problem,
      warmStart(
        problem,
        options,
        rounds.map((round, k) => (k % 3 === 0 ? { ...round, reward: null } : round)),
      ),
    )
    expect(warm.counts()).toEqual({ decided: 300, closed: 200 })
  })

  test('does not take a bare number for the id of a round', () => {
    const { rounds, next } = played()
    const numbered = rounds.map((round, k) => ({ ...round, id: `${1000 + k}` }))
    const warm = restoreLearner(problem, warmStart(problem, options, numbered))
    expect(errorOf(() => warm.reward('1000', 1)).code).toBe('unknown-round')
    expect(warm.decide(next).id).toBe('301')
  })

  test('refuses a propensity of 0, an unknown action, a reward out of range and an id that comes twice', () => {
    const { rounds } = played()
    const first = rounds[0]!
    const codes = [
      { ...first, propensity: 0 },
      { ...first, action: 'none' },
      { ...first, reward: 2 },
    ].map((round) => errorOf(() => warmStart(problem, options, [round])).code)
    expect(codes).toEqual(['invalid-option', 'unknown-action', 'out-of-range'])
    expect(errorOf(() => warmStart(problem, options, [first, first])).code).toBe('duplicate-id')
  })
})

describe('loggedRounds', () => {
  test('keeps no trace of a round that it refused', () => {
    const { rounds } = played()
    const refused: LoggedRound = {
      ...rounds[0]!,
      id: 'refused',
      covariates: {},
      predictions: { genotype: { value: 1, sd: 0.25 } },
      revealed: { genotype: 2, blood: 'A' },
    }
    const given = loggedRounds(createEngine(problem))
    const clean = loggedRounds(createEngine(problem))
    for (const round of rounds) {
      expect(errorOf(() => given.add({ ...refused, reward: 2 })).code).toBe('out-of-range')
      expect(errorOf(() => given.add({ ...refused, revealed: { genotype: 2, blood: 3 } })).code).toBe('wrong-type')
      expect(errorOf(() => given.add({ ...refused, action: 'none' })).code).toBe('unknown-action')
      given.add(round)
      clean.add(round)
    }
    expect(given.table.blocks).toEqual(clean.table.blocks)
    expect(given.table.count).toBe(rounds.length)
  })
})
