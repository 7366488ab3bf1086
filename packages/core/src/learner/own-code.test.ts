// A learner with code of the user's: an exploration rule and a function class, by themselves and by name, through snapshots and replays.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import {
  createLearner,
  type ExplorationRule,
  type Learner,
  type LearnerOptions,
  type LogRecord,
  type RegressionClass,
  replayLog,
  restoreLearner,
} from '../index.js'
import { problem } from './clinic.fixture.js'

const tilted: ExplorationRule = {
  kind: 'tilted',
  version: '1',
  usesWidths: true,
  compile:
    () =>
    (scores, widths, count, out, at = 0) => {
      let sum = 0
      for (let a = at; a < at + count; a++) sum += out[a] = Math.exp(3 * (scores[a]! + widths[a]!))
      for (let a = at; a < at + count; a++) out[a] = out[a]! / sum
    },
}

/** The mean target on each side of the first column's mean. */
const halves: RegressionClass<{ at: number; below: number; above: number }> = {
  kind: 'halves',
  version: '3',
  fit: ({ columns, count, inputs, targets, weights }) => {
    const mean = (values: (i: number) => number, where: (i: number) => boolean) => {
      let sum = 0
      let weight = 0
      for (let i = 0; i < count; i++) {
        if (!where(i)) continue
        sum += weights[i]! * values(i)
        weight += weights[i]!
      }
      return weight === 0 ? 0 : sum / weight
    }
    const first = (i: number) => inputs[i * columns]!
    const at = mean(first, () => true)
    const target = (i: number) => targets[i]!
    return { at, below: mean(target, (i) => first(i) < at), above: mean(target, (i) => first(i) >= at) }
  },
  compile:
    ({ at, below, above }) =>
    (inputs, from) =>
      inputs[from]! < at ? below : above,
}

const own: LearnerOptions = {
  exploration: tilted,
  oracle: { ...halves, indicator: 'intercept' },
  calibration: { class: halves },
}

function play(learner: Learner, from: number, to: number): void {
  for (let t = from; t < to; t++) {
    const random = Random.fromSeed(3).split(t)
    const { id } = learner.decide({
      context: { age: 18 + 77 * random.uniform(), smoker: random.uniform() < 0.5, town: 'Bonn' },
      covariates: { genotype: random.uniform() < 0.6 ? 2 * random.uniform() : null },
      predictions: { blood: { A: 0.5, B: 0.5 } },
    })
    learner.reward(id, random.uniform())
  }
}

describe.each(['primo-cal', 'robust'] as const)('own code in %s', (profile) => {
  it('decides, learns, and goes on from a snapshot and a log as if nothing had happened', () => {
    const records: LogRecord[] = []
    const options = { ...own, profile, seed: 4 }
    const learner: Learner = createLearner(problem, { ...options, onRecord: (record) => records.push(record) })
    play(learner, 0, 150)
    const saved: unknown = JSON.parse(JSON.stringify(learner.snapshot()))
    const again: Learner = restoreLearner(problem, saved, { use: [tilted, halves] })
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(learner.snapshot()))
    play(learner, 150, 220)
    play(again, 150, 220)
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(learner.snapshot()))
    expect(JSON.stringify(replayLog(problem, options, records).snapshot())).toBe(JSON.stringify(learner.snapshot()))
    expect(learner.epochs().some(({ covariates }) => covariates.some(({ calibration }) => calibration !== null))).toBe(
      true,
    )
    expect(() => learner.report()).not.toThrow()
  })

  it('is the same by name', () => {
    const use = [tilted, halves]
    const byName: LearnerOptions = {
      profile,
      seed: 4,
      use,
      exploration: { kind: 'tilted', version: '1' },
      oracle: { kind: 'halves', version: '3', indicator: 'intercept' },
      calibration: { class: { kind: 'halves', version: '3' } },
    }
    const learners: readonly Learner[] = [
      createLearner(problem, { ...own, profile, seed: 4 }),
      createLearner(problem, byName),
    ]
    for (const learner of learners) play(learner, 0, 80)
    expect(JSON.stringify(learners[0]!.snapshot())).toBe(JSON.stringify(learners[1]!.snapshot()))
  })
})

describe('a snapshot with own code', () => {
  const learner: Learner = createLearner(problem, { ...own, profile: 'primo-cal', seed: 4 })
  play(learner, 0, 40)
  const saved: unknown = JSON.parse(JSON.stringify(learner.snapshot()))

  it('names the code by kind and version and holds none of it', () => {
    expect((saved as { options: unknown }).options).toEqual({
      profile: 'primo-cal',
      exploration: { kind: 'tilted', version: '1' },
      oracle: { kind: 'halves', version: '3', indicator: 'intercept' },
      calibration: { class: { kind: 'halves', version: '3' } },
    })
  })

  it('says what to give where the code is missing or of another version', () => {
    const restore = (use: LearnerOptions['use']) => () =>
      restoreLearner(problem, saved, use === undefined ? {} : { use })
    expect(restore(undefined)).toThrow(
      'snapshot.options.exploration must come with its code: give { use: [...] } with kind "tilted" in version "1", got none of that kind',
    )
    expect(restore([{ ...tilted, version: '2' }, halves])).toThrow('kind "tilted" in version "1", got version "2"')
    expect(restore([tilted])).toThrow('snapshot.options.oracle must come with its code')
    expect(restore([tilted])).toThrow(expect.objectContaining({ code: 'snapshot-mismatch' }))
  })
})

it('refuses code that is named but not there, and a use that is no code', () => {
  expect(() => createLearner(problem, { exploration: { kind: 'tilted', version: '1' } })).toThrow(
    'or that of a rule in the option "use", got "tilted"',
  )
  expect(() => createLearner(problem, { oracle: { kind: 'halves', version: '3' } })).toThrow('got "halves"')
  expect(() => createLearner(problem, { use: ['./rule.ts'] as never })).toThrow('use must be a list')
})
