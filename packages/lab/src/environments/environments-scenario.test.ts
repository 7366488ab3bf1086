// Scenarios as JSON and as short names: what is read, and what is refused with which words.

import { PrimoError } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEnvironment } from './scenario.js'
import { scenarioFromName, scenarioName, scenarioNames } from './scenario-name.js'
import { parseScenario, type ScenarioSpec } from './scenario-spec.js'

function refusal(action: () => unknown): PrimoError {
  try {
    action()
  } catch (error) {
    if (error instanceof PrimoError) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('parseScenario', () => {
  it('reads JSON text and objects alike', () => {
    const spec: ScenarioSpec = {
      kind: 'reference',
      environment: 'B',
      name: 'my own',
      missingness: { kind: 'mnar', mnarStrength: 2, share: 0.4 },
      imputer: { bias: 0.5, stale: { at: 100, over: 50 } },
      delay: { mean: 12 },
    }
    expect(parseScenario(JSON.stringify(spec))).toEqual(spec)
    expect(parseScenario(spec)).toEqual(spec)
    expect(createEnvironment(spec).name).toBe('my own')
  })

  it.each<[unknown, string]>([
    ['{"kind": "family"', 'scenario must be JSON, got "{"kind": "family""'],
    ['[]', 'scenario must be an object, got an array of 0'],
    [null, 'scenario must be an object, got null'],
    [{}, '^kind must be one of reference, .*, got undefined$'],
    [{ kind: 'casino' }, '^kind must be one of reference, .*, got "casino"$'],
    [
      { kind: 'reference', environment: 'C' },
      'environment must be one of A, B, MNAR+4, MNAR+4 mild bias, MNAR-4, MNAR-4 mild bias, got "C"',
    ],
    [{ kind: 'reference' }, /^environment must be one of .*, got undefined$/.source],
    [{ kind: 'family', dimension: 2.5 }, 'dimension must be a whole number between 1 and 200, got 2.5'],
    [{ kind: 'family', dimensions: 2 }, /^dimensions must be left out \(known: .*\), got 2$/.source],
    [{ kind: 'family', reward: 'cubic' }, 'reward must be one of linear, quadratic, nonlinear, got "cubic"'],
    [{ kind: 'pricing', toString: 1 }, /^toString must be left out/.source],
    [{ kind: 'bandit', imputer: {} }, /^imputer must be left out/.source],
    [
      { kind: 'dosing', missingness: { kind: 'mcar' } },
      'missingness.share must be a number between 0 and 1, got undefined',
    ],
    [{ kind: 'dosing', missingness: 'mcar' }, 'missingness must be an object, got "mcar"'],
    [
      { kind: 'dosing', missingness: { kind: 'mar', share: 1 } },
      'missingness.share must be a number greater than 0 and less than 1, got 1',
    ],
    [
      { kind: 'dosing', missingness: { kind: 'drift', from: 0, to: 1.5, rounds: 5 } },
      'missingness.to must be a number between 0 and 1, got 1.5',
    ],
    [{ kind: 'dosing', imputer: { stale: {} } }, /^imputer.stale.at must be a whole number/.source],
    [{ kind: 'dosing', imputer: { bias: '1' } }, 'imputer.bias must be a number between -100 and 100, got "1"'],
    [{ kind: 'dosing', delay: { rounds: 1, mean: 2 } }, 'delay must be either {rounds} or {mean}, got an object'],
    [{ kind: 'dosing', delay: {} }, 'delay must be either {rounds} or {mean}, got an object'],
    [{ kind: 'dosing', delay: { mean: Number.NaN } }, 'delay.mean must be a number between 0 and 1000000, got NaN'],
    [{ kind: 'dosing', name: '' }, 'name must be non-empty text, got ""'],
  ])('refuses %j', (given, sentence) => {
    const error = refusal(() => parseScenario(given))
    expect(error.code).toBe('invalid-option')
    if (sentence.startsWith('^')) expect(error.message).toMatch(new RegExp(sentence))
    else expect(error.message).toBe(sentence)
    expect(error.facts).toHaveProperty('field')
  })
})

describe('scenarioFromName', () => {
  it('knows every listed name, in any case', () => {
    for (const { name } of scenarioNames) {
      const spec = scenarioFromName(name)
      expect(createEnvironment(spec).name).toBe(name)
      expect(scenarioFromName(name.toUpperCase()).kind).toBe(spec.kind)
    }
  })

  it('reads dials and options', () => {
    expect(scenarioFromName('A?mnarStrength=2&bias=0.3&delay=50')).toEqual({
      kind: 'reference',
      environment: 'A',
      name: 'A?mnarStrength=2&bias=0.3&delay=50',
      missingness: { kind: 'mnar', mnarStrength: 2 },
      imputer: { bias: 0.3 },
      delay: { rounds: 50 },
    })
    expect(scenarioFromName('MNAR-4?share=0.3')).toMatchObject({
      missingness: { kind: 'mnar', mnarStrength: -4, share: 0.3 },
    })
    expect(scenarioFromName('family?reward=quadratic&draw=7&share=0.3&length=20')).toMatchObject({
      reward: 'quadratic',
      draw: 7,
      missingness: { kind: 'blocks', share: 0.3, length: 20 },
    })
  })

  it('gives back a scenario from the name made of it', () => {
    const specs: readonly ScenarioSpec[] = [
      { kind: 'reference', environment: 'MNAR+4 mild bias', imputer: { noise: 0.1, extra: 0.2 } },
      { kind: 'family', dimension: 3, missingness: { kind: 'drift', from: 0.1, to: 0.5, rounds: 1000 } },
      { kind: 'bandit', actions: 10, gap: 0.05, delay: { mean: 3 } },
      { kind: 'dosing', grading: 'graded', imputer: { stale: { at: 5, amount: 0.5 } } },
      { kind: 'pricing', missingness: { kind: 'mcar', share: 0.25 } },
    ]
    for (const spec of specs) {
      const { name, ...read } = scenarioFromName(scenarioName(spec))
      expect(read).toEqual(spec)
      expect(createEnvironment(spec).name).toBe(name)
    }
  })

  it.each([
    ['C', /^scenario must be one of A, B, .*, got "C"$/],
    ['', /^scenario must be one of A, B, .*, got ""$/],
    ['A?colour=red', /^dial must be one of mechanism, .*, got "colour"$/],
    ['A?environment=B', /^dial must be one of /],
    ['A?bias=lots', /^imputer.bias must be a number between -100 and 100, got "lots"$/],
    ['A?bias', /^imputer.bias must be a number between -100 and 100, got ""$/],
    ['A?delay=5&delayMean=5', /^delay must be either \{rounds\} or \{mean\}/],
    ['A?length=5', /^missingness.share must be a number between 0 and 1, got undefined$/],
    ['bandit?bias=1', /^imputer must be left out/],
  ])('refuses %s', (name, sentence) => {
    const error = refusal(() => scenarioFromName(name))
    expect(error.code).toBe('invalid-option')
    expect(error.message).toMatch(sentence)
  })
})
