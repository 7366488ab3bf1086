import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import {
  boolean,
  createLearner,
  type ErrorCode,
  number,
  PrimoError,
  type Problem,
  restoreLearner,
  SNAPSHOT_FORMAT,
} from '../index.js'
import { problem } from './clinic.fixture.js'

type Change = Record<string, unknown>

interface Saved extends Change {
  readonly state: Change
  readonly rounds: { readonly count: number; readonly columns: Readonly<Record<string, string>> }
}

/** In the middle of an epoch, with rewards, a truth that came late and an id of its own. */
function midEpoch() {
  const learner = createLearner(problem, { profile: 'primo-cal', seed: 5 })
  const random = Random.fromSeed(1)
  for (let t = 1; t <= 40; t++) {
    const { id } = learner.decide({
      ...(t === 40 ? { id: 'visit' } : {}),
      context: { age: 18 + 77 * random.uniform(), smoker: random.uniform() < 0.5, town: 'Bonn' },
      covariates: { genotype: t < 36 && random.uniform() < 0.8 ? 2 * random.uniform() : null },
      predictions: { blood: { A: 0.5, B: 0.5 } },
    })
    if (t !== 37) learner.reward(id, random.uniform())
  }
  learner.reveal('37', { genotype: 1 })
  return learner
}

const told = midEpoch()
const before = JSON.stringify(told.snapshot())

describe('a snapshot', () => {
  const saved = () => JSON.parse(before) as Saved
  const withState = (change: Change) => ({ ...saved(), state: { ...saved().state, ...change } })
  const withColumn = (change: Change) => {
    const { rounds } = saved()
    return { ...saved(), rounds: { ...rounds, columns: { ...rounds.columns, ...change } } }
  }
  const column = (name: string) => saved().rounds.columns[name]!
  const cases: [string, ErrorCode, string[], unknown][] = [
    ['that is none', 'snapshot-invalid', ['snapshot', 'null'], null],
    ['that is text', 'snapshot-invalid', ['snapshot', '"{}"'], '{}'],
    ['that is a list', 'snapshot-invalid', ['snapshot', 'an array of 0'], []],
    ['without a format', 'snapshot-invalid', ['snapshot.format', 'nothing'], {}],
    ['of format 0', 'snapshot-invalid', ['snapshot.format', 'got 0'], { ...saved(), format: 0 }],
    [
      'of a newer format',
      'snapshot-too-new',
      ['snapshot.format', `${SNAPSHOT_FORMAT + 1}`],
      { ...saved(), format: SNAPSHOT_FORMAT + 1 },
    ],
    ['of a newer format and another problem', 'snapshot-too-new', ['format'], { format: 99, problem: 'x' }],
    ['of no problem', 'snapshot-mismatch', ['snapshot.problem', 'nothing'], { ...saved(), problem: undefined }],
    ['of garbage for a problem', 'snapshot-mismatch', ['snapshot.problem', '"zzz"'], { ...saved(), problem: 'zzz' }],
    ...['options', 'seed', 'state', 'ids', 'rounds'].flatMap((field): [string, ErrorCode, string[], unknown][] => [
      [`without ${field}`, 'snapshot-invalid', [`snapshot.${field}`, 'nothing'], { ...saved(), [field]: undefined }],
      [`with null for ${field}`, 'snapshot-invalid', [`snapshot.${field}`, 'null'], { ...saved(), [field]: null }],
      [`with text for ${field}`, 'snapshot-invalid', [`snapshot.${field}`, '"x"'], { ...saved(), [field]: 'x' }],
    ]),
    [
      'with options that are not legal',
      'invalid-option',
      ['window', '"none"'],
      { ...saved(), options: { window: 'none' } },
    ],
    [
      'with a truncated column',
      'snapshot-invalid',
      ['rounds.columns.reward', '320 bytes', 'got 318'],
      withColumn({ reward: column('reward').slice(0, -4) }),
    ],
    [
      'with a column cut inside a group',
      'snapshot-invalid',
      ['rounds.columns.reward', 'base64'],
      withColumn({ reward: column('reward').slice(0, -1) }),
    ],
    [
      'with a column too long',
      'snapshot-invalid',
      ['rounds.columns.action', '80 bytes'],
      withColumn({ action: `AAAA${column('action')}` }),
    ],
    [
      'with garbage in a column',
      'snapshot-invalid',
      ['rounds.columns.context', 'base64'],
      withColumn({ context: `!!!!${column('context').slice(4)}` }),
    ],
    ['without a column', 'snapshot-invalid', ['rounds.columns.status', 'nothing'], withColumn({ status: undefined })],
    ['with a number for a column', 'snapshot-invalid', ['rounds.columns.status', '5'], withColumn({ status: 5 })],
    [
      'with an action that is none',
      'snapshot-invalid',
      ['rounds.columns.action', '65535'],
      withColumn({ action: `//8A${column('action').slice(4)}` }),
    ],
    [
      'with a status that is none',
      'snapshot-invalid',
      ['rounds.columns.status', '255'],
      withColumn({ status: `/wAA${column('status').slice(4)}` }),
    ],
    [
      'with a context of NaN',
      'snapshot-invalid',
      ['rounds.columns.context', 'NaN'],
      withColumn({ context: `////////////////${column('context').slice(16)}` }),
    ],
    [
      'with more rounds than its columns',
      'snapshot-invalid',
      ['rounds.columns', 'bytes'],
      { ...saved(), rounds: { ...saved().rounds, count: 1e15 } },
    ],
    [
      'with a negative number of rounds',
      'snapshot-invalid',
      ['rounds.count', '-1'],
      { ...saved(), rounds: { ...saved().rounds, count: -1 } },
    ],
    ['with no columns', 'snapshot-invalid', ['rounds.columns', 'nothing'], { ...saved(), rounds: { count: 0 } }],
    ['in epoch 0', 'snapshot-invalid', ['state.epoch', 'got 0'], withState({ epoch: 0 })],
    [
      'with an epoch that starts later',
      'snapshot-invalid',
      ['state.start', '40 rounds', '41'],
      withState({ start: 41 }),
    ],
    ['with gamma < 0', 'snapshot-invalid', ['state.gamma', '-1'], withState({ gamma: -1 })],
    ['with gamma lost in JSON', 'snapshot-invalid', ['state.gamma', 'null'], withState({ gamma: null })],
    ['without reports', 'snapshot-invalid', ['state.reports', 'nothing'], withState({ reports: undefined })],
    [
      'with too few corrections',
      'snapshot-invalid',
      ['state.corrections', 'list of 3', 'an array of 1'],
      withState({ corrections: [null] }),
    ],
    [
      'with a correction of another size',
      'snapshot-invalid',
      ['state.corrections', 'genotype'],
      withState({ corrections: [{ kind: 'correction', class: 'linear', coefficients: [[1]] }, null, null] }),
    ],
    [
      'with another kind of reward model',
      'snapshot-invalid',
      ['state.rewardModel'],
      withState({ rewardModel: { kind: 'forest' } }),
    ],
    [
      'with a reward model of other size',
      'snapshot-invalid',
      ['state.rewardModel'],
      withState({ rewardModel: { kind: 'linear', coefficients: [[1]] } }),
    ],
    ['with an id of no round', 'snapshot-invalid', ['ids', '"x", 40'], { ...saved(), ids: [['x', 40]] }],
    [
      'with an id twice',
      'snapshot-invalid',
      ['ids', '"x", 2'],
      {
        ...saved(),
        ids: [
          ['x', 1],
          ['x', 2],
        ],
      },
    ],
    [
      'with a round twice',
      'snapshot-invalid',
      ['ids', '"y", 1'],
      {
        ...saved(),
        ids: [
          ['x', 1],
          ['y', 1],
        ],
      },
    ],
    ['with garbage for an id', 'snapshot-invalid', ['ids', 'got 3'], { ...saved(), ids: [3] }],
  ]
  test.each(cases)('%s is refused: %s', (_, code, names, snapshot) => {
    const error = errorOf(() => restoreLearner(problem, snapshot))
    expect(error.code).toBe(code)
    for (const name of names) expect(error.message).toMatch(name)
    expect(error.message).toMatch(/ must .*, got /)
  })

  test('of another problem is refused, whatever part differs', () => {
    const { context, covariates } = problem
    const others: Problem[] = [
      { ...problem, actions: ['low', 'high', 'medium'] },
      { ...problem, context: { ...context, age: number({ min: 18, max: 96 }) } },
      { ...problem, context: { smoker: boolean(), age: context.age!, town: context.town! } },
      { ...problem, reward: { ...problem.reward, window: 3 } },
      { ...problem, covariates: { ...covariates, genotype: { ...covariates.genotype!, reveals: 'context' } } },
    ]
    for (const other of others) {
      const error = errorOf(() => restoreLearner(other, saved()))
      expect(error.code).toBe('snapshot-mismatch')
      expect(error.message).toContain(String(saved().problem))
    }
  })

  test('that is refused leaves the one it was made from as it was', () => {
    expect(JSON.stringify(restoreLearner(problem, saved()).snapshot())).toBe(before)
    expect(JSON.stringify(told.snapshot())).toBe(before)
  })

  test('with any part replaced by garbage restores or is refused by a PrimoError', () => {
    const paths: string[][] = []
    const walk = (value: unknown, path: string[]) => {
      if (path.length > 0) paths.push(path)
      if (typeof value !== 'object' || value === null || path.length === 4) return
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key])
    }
    // The reports are history: shown, never used.
    walk({ ...saved(), state: { ...saved().state, reports: [] } }, [])
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, garbage) => {
        const snapshot = JSON.parse(before)
        const last = path.slice(0, -1).reduce((value, key) => value[key], snapshot)
        last[path.at(-1)!] = garbage
        try {
          restoreLearner(problem, snapshot)
        } catch (error) {
          expect(error).toBeInstanceOf(PrimoError)
        }
      }),
      { numRuns: 400 },
    )
  })
})
