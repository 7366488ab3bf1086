import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { createLearner, type DecisionRequest, type LearnerOptions, PrimoError } from '../index.js'
import { anything, problem } from './clinic.fixture.js'

const good: DecisionRequest = { context: { age: 40, smoker: true, town: 'Ulm' } }

describe('options with', () => {
  const cases: [string, string[], unknown][] = [
    ['gamma < 0', ['gamma must', 'got -1'], { gamma: -1 }],
    ['gamma NaN', ['gamma must', 'NaN'], { gamma: Number.NaN }],
    ['gamma infinite', ['gamma must', 'Infinity'], { gamma: { kind: 'fixed', value: Number.POSITIVE_INFINITY } }],
    ['gamma of an unknown kind', ['gamma', '"bold"'], { gamma: 'bold' }],
    ['a negative c', ['gamma.c', '-2'], { gamma: { kind: 'practical', c: -2 } }],
    [
      'an unknown edition of the formulas',
      ['gamma.formulas', '"draft"'],
      { gamma: { kind: 'theory', formulas: 'draft' } },
    ],
    ['a confidence that the theory cannot use', ['delta', 'got 2'], { gamma: { kind: 'theory', delta: 2 } }],
    ['delta0 < 0', ['calibration.delta0', '-0.1'], { calibration: { delta0: -0.1 } }],
    ['delta0 NaN', ['calibration.delta0', 'NaN'], { calibration: { delta0: Number.NaN } }],
    [
      'delta0 < 0 for one covariate',
      ['calibration.delta0.genotype', '-1'],
      { calibration: { delta0: { genotype: -1 } } },
    ],
    ['delta0 for an unknown covariate', ['calibration.delta0', '"ldl"'], { calibration: { delta0: { ldl: 1 } } }],
    ['eps0 = 0', ['eps0', 'got 0'], { calibration: { observation: { floor: 0 } } }],
    ['eps0 > 1', ['eps0', '1.5'], { calibration: { observation: { floor: 1.5 } } }],
    ['eps0 < 0', ['eps0', '-0.1'], { calibration: { observation: { floor: -0.1 } } }],
    ['eps0 NaN', ['eps0', 'NaN'], { calibration: { observation: { floor: Number.NaN } } }],
    [
      'an unknown observation model',
      ['observation.model', '"tree"'],
      { calibration: { observation: { model: 'tree' } } },
    ],
    [
      'an unknown observation loss',
      ['observation.loss', '"hinge"'],
      { calibration: { observation: { loss: 'hinge' } } },
    ],
    ['a misspelt option of the oracle', ['oracle', '"rigde"'], { oracle: { rigde: 1 } }],
    ['a misspelt option of the calibration', ['calibration', '"delta"'], { calibration: { delta: 1 } }],
    [
      'a misspelt option of the observation model',
      ['observation', '"eps0"'],
      { calibration: { observation: { eps0: 0.1 } } },
    ],
    ['a misspelt option of gamma', ['gamma', '"C"'], { gamma: { kind: 'practical', C: 3 } }],
    ['a misspelt option of the rule', ['exploration', '"eps"'], { exploration: { kind: 'epsilon-greedy', eps: 0.1 } }],
    ['a misspelt option of the schedule', ['schedule', '"growth"'], { schedule: { kind: 'growth', growth: 2 } }],
    ['no ball written as null', ['calibration.delta0', 'null'], { calibration: { delta0: null } }],
    ['a negative theory constant', ['gamma.delta0', '-1'], { gamma: { kind: 'theory', delta0: -1 } }],
    ['an unknown correction class', ['calibration.class', '"spline"'], { calibration: { class: 'spline' } }],
    ['an unknown split', ['calibration.split', '"thirds"'], { calibration: { split: 'thirds' } }],
    ['unknown weights', ['calibration.weights', '"auto!"'], { calibration: { weights: 'auto!' } }],
    ['a correction ridge of 0', ['calibration.ridge', 'got 0'], { calibration: { ridge: 0 } }],
    ['a minimum of no rows', ['calibration.minimumRows', 'got 0'], { calibration: { minimumRows: 0 } }],
    ['true for the calibration', ['calibration', 'true'], { calibration: true }],
    ['null for the calibration', ['calibration', 'null'], { calibration: null }],
    ['an unknown schedule', ['schedule.kind', '"daily"'], { schedule: { kind: 'daily' } }],
    ['text for a schedule', ['schedule must be an object', '"doubling"'], { schedule: 'doubling' }],
    [
      'a schedule that stands still',
      ['schedule.factor', 'got 1'],
      { schedule: { kind: 'growth', first: 2, factor: 1 } },
    ],
    ['an unknown count', ['schedule.counted', '"votes"'], { schedule: { kind: 'doubling', counted: 'votes' } }],
    ['an unknown window', ['window', '"none"'], { window: 'none' }],
    ['a number for a window', ['window', '7'], { window: 7 }],
    ['an unknown option', ['options', '"gama"'], { gama: 1 }],
    ['an unknown profile', ['profile', '"primo-cal"', '"bold"'], { profile: 'bold' }],
    ['a profile called like a method of objects', ['profile', '"toString"'], { profile: 'toString' }],
    ['minimumPropensity > 1/K', ['minimumPropensity', 'K = 3', '0.34'], { minimumPropensity: 0.34 }],
    ['minimumPropensity < 0', ['minimumPropensity', '-0.1'], { minimumPropensity: -0.1 }],
    ['minimumPropensity NaN', ['minimumPropensity', 'NaN'], { minimumPropensity: Number.NaN }],
    ['text for minimumPropensity', ['minimumPropensity', '"0.1"'], { minimumPropensity: '0.1' }],
    ['unknown interactions', ['oracle.interactions', '"some"'], { oracle: { interactions: 'some' } }],
    [
      'an interaction of one feature',
      ['oracle.interactions', 'an array of 1'],
      { oracle: { interactions: [['age']] } },
    ],
    [
      'an interaction with an unknown feature',
      ['oracle.interactions', '"ldl"'],
      { oracle: { interactions: [['ldl', 'age']] } },
    ],
    ['text for an oracle', ['oracle', '"forest"'], { oracle: 'forest' }],
    ['an oracle of another class', ['oracle.kind', '"forest"'], { oracle: { kind: 'forest' } }],
    ['an oracle ridge of 0', ['oracle.ridge', 'got 0'], { oracle: { ridge: 0 } }],
    ['a clip upside down', ['oracle.clip.max', 'got 0'], { oracle: { clip: { min: 1, max: 0 } } }],
    ['a seed below 0', ['seed', '-1'], { seed: -1 }],
    ['a seed that is not whole', ['seed', '1.5'], { seed: 1.5 }],
    ['text for a seed', ['seed', '"7"'], { seed: '7' }],
    ['a log that is no function', ['onRecord', 'an array of 0'], { onRecord: [] }],
  ]
  test.each(cases)('%s are refused', (_, names, options) => {
    const error = errorOf(() => createLearner(problem, { profile: 'primo-cal', ...(options as LearnerOptions) }))
    expect(error.code).toBe('invalid-option')
    for (const name of names) expect(error.message).toMatch(name)
    expect(error.message).toMatch(/ must .*, got /)
  })

  // Found by a million hostile requests: a table of names is no table of what every object has.
  test.each(['__proto__', 'constructor', 'toString'])('%s for a kind, a class or a name is refused', (kind) => {
    for (const options of [
      { gamma: { kind } },
      { schedule: { kind } },
      { exploration: { kind } },
      { oracle: { kind } },
      { calibration: { class: kind } },
      { profile: kind },
      { missing: kind },
      { memory: kind },
    ]) {
      expect(errorOf(() => createLearner(problem, options as never)).code).toBe('invalid-option')
    }
  })

  test('objects that cannot be read as numbers or texts are refused', () => {
    const odd = { toString: 0 }
    for (const options of [
      { minimumPropensity: odd },
      { gamma: odd },
      { gamma: { kind: odd } },
      { gamma: { kind: 'practical', c: odd } },
      { gamma: { kind: 'fixed', value: odd } },
      { schedule: { kind: odd } },
      { schedule: { kind: 'growth', factor: odd } },
      { schedule: { kind: 'fixed', length: odd } },
      { schedule: { kind: 'list', ends: [odd] } },
      { oracle: { kind: odd } },
      { oracle: { ridge: odd } },
      { oracle: { shared: odd } },
      { oracle: { clip: { min: odd, max: 1 } } },
      { oracle: { interactions: [odd] } },
      { oracle: { kind: 'trees', rounds: odd } },
      { exploration: { kind: odd } },
      { exploration: { kind: 'linucb', alpha: odd } },
      { exploration: { kind: 'lints', spread: odd } },
      { exploration: { kind: 'epsilon-greedy', epsilon: odd } },
      { window: { rounds: odd } },
      { seed: odd },
      { calibration: { class: odd } },
      { calibration: { ridge: odd } },
      { missing: odd },
      { memory: odd },
      { profile: odd },
    ]) {
      const error = errorOf(() => createLearner(problem, options as never))
      expect(error.code, JSON.stringify(options)).toBe('invalid-option')
    }
  })

  test.each([
    { guards: { marTest: false } },
    { halfLife: 100 },
    { layer: 'auto' },
    { oracle: { interactions: 'auto' } },
    { gamma: 'self-tuned' },
    { exploration: { kind: 'plausible-set' } },
    { calibration: { class: 'ladder' } },
    { calibration: { cap: 'auto' } },
    { calibration: { weights: 'missing' } },
    { calibration: { ridge: 'cv' } },
    { calibration: { shrinkage: 'power' } },
    { calibration: { residuals: 'log-linear' } },
  ])('%j, an option of former versions, is refused', (options) => {
    const error = errorOf(() => createLearner(problem, options as never))
    expect(error.code).toBe('invalid-option')
    expect(error.message).toContain(Object.keys(options)[0])
  })

  test('nothing but null are refused', () => {
    expect(errorOf(() => createLearner(problem, null as never)).message).toMatch(/options must .* got null/)
  })
})

test('garbage for options makes a learner that decides or a PrimoError', () => {
  const field = fc.constantFrom('profile', 'schedule', 'window', 'gamma', 'minimumPropensity', 'seed')
  fc.assert(
    fc.property(fc.dictionary(field, anything, { minKeys: 1, maxKeys: 2 }), (options) => {
      try {
        createLearner(problem, options as LearnerOptions).decide(good)
      } catch (error) {
        expect(error).toBeInstanceOf(PrimoError)
      }
    }),
    { numRuns: 500 },
  )
})
