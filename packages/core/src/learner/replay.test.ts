import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyLog,
  boolean,
  category,
  createLearner,
  type DecisionRecord,
  type Learner,
  type LearnerOptions,
  type LogRecord,
  number,
  PrimoError,
  type Problem,
  pretrained,
  replayLog,
  restoreLearner,
} from '../index.js'

const problemWith = (reward: Partial<Problem['reward']> = {}, predict = model): Problem => ({
  context: { x: number({ min: -1, max: 1 }), town: category(['Ulm', 'Bonn'], { other: true }) },
  covariates: {
    dose: { ...number({ min: 0, max: 10 }), imputer: pretrained(predict), reveals: 'context' },
    carrier: { ...boolean(), imputer: { kind: 'constant', value: 0.4 } },
    blood: { ...category(['A', 'B'], { other: true }), imputer: { kind: 'column' } },
  },
  actions: ['a', 'b', 'c'],
  reward: { min: -0.2, max: 1.2, mean: { min: 0, max: 1 }, ...reward },
})

/** Right up to a bias, and down now and then. */
function model(context: Readonly<Record<string, unknown>>): number {
  if (context.town === 'nowhere') throw new Error('no model there')
  return 4 + 2 * Number(context.x)
}

interface Session {
  readonly problem: Problem
  readonly options: LearnerOptions
  /** The log as a file would hold it, and how much of it there was when each snapshot was taken. */
  readonly log: readonly string[]
  readonly snapshots: readonly { readonly at: number; readonly text: string }[]
  readonly final: string
}

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as LogRecord)
const textOf = (learner: Learner) => JSON.stringify(learner.snapshot())

/**
 * A session with everything in it: delayed and missing rewards, late truths, voids, ids of the caller's own, subsets of
 * actions, unlisted levels, predictions that come with the request, models that fail, -0.
 */
function session(problem: Problem, options: LearnerOptions, seed: number, rounds: number): Session {
  const log: string[] = []
  const snapshots: { at: number; text: string }[] = []
  const learner = createLearner(problem, { ...options, onRecord: (record) => log.push(JSON.stringify(record)) })
  const random = Random.fromSeed(seed)
  const chance = (probability: number) => random.uniform() < probability
  const pending: { id: string; due: number; kind: 'reward' | 'void' | 'reveal' }[] = []
  const several = problem.reward.aggregate !== undefined && problem.reward.aggregate !== 'first'
  for (let t = 0; t < rounds; t++) {
    const x = 2 * random.uniform() - 1
    const { id } = learner.decide({
      ...(chance(0.2) ? { id: `visit ${t} \u{1F600}` } : {}),
      context: { x: chance(0.05) ? -0 : x, town: ['Ulm', 'Bonn', 'Trier', 'nowhere'][random.integer(4)]! },
      covariates: {
        dose: chance(0.5) ? 5 + 2 * x + random.uniform() : null,
        carrier: chance(0.5) ? chance(0.7) : undefined,
        ...(chance(0.6) ? { blood: ['A', 'B', 'rare'][random.integer(3)]! } : {}),
      },
      ...(chance(0.8) ? { predictions: { blood: chance(0.5) ? 'A' : { A: 0.5, B: 0.5, other: -0 } } } : {}),
      ...(chance(0.2) ? { actions: chance(0.5) ? ['c', 'a'] : ['b'] } : {}),
    })
    const delay = chance(0.6) ? 0 : random.integer(40)
    if (chance(0.1)) pending.push({ id, due: t + delay, kind: 'void' })
    else if (chance(0.9)) {
      pending.push({ id, due: t + delay, kind: 'reward' })
      if (several && chance(0.5)) pending.push({ id, due: t + delay + random.integer(3), kind: 'reward' })
    }
    if (chance(0.3)) pending.push({ id, due: t + random.integer(40), kind: 'reveal' })
    for (let k = pending.length - 1; k >= 0; k--) {
      const { id: of, due, kind } = pending[k]!
      if (due > t) continue
      pending.splice(k, 1)
      try {
        if (kind === 'void') learner.void(of)
        else if (kind === 'reveal') learner.reveal(of, { dose: 7, ...(chance(0.5) ? { carrier: true } : {}) })
        else learner.reward(of, chance(0.1) ? -0 : several ? 0.4 * random.uniform() : 1.4 * random.uniform() - 0.2)
      } catch (error) {
        // Too late for its window, or unlike what was observed: refused, and so not in the log.
        expect(error).toBeInstanceOf(PrimoError)
      }
    }
    if (chance(0.05)) snapshots.push({ at: log.length, text: textOf(learner) })
  }
  return { problem, options, log, snapshots, final: textOf(learner) }
}

const rewards: Partial<Problem['reward']>[] = [
  {},
  { window: 12 },
  { window: 5, default: 0 },
  { window: 12, learnFrom: 'arrival' },
  { window: 12, aggregate: 'sum' },
  { window: 12, aggregate: 'mean', default: -0 },
  { window: 12, aggregate: 'last' },
]
const anyOptions: fc.Arbitrary<LearnerOptions> = fc.record({
  profile: fc.constantFrom('primo' as const, 'primo-cal' as const, 'robust' as const),
  seed: fc.nat(),
  window: fc.constantFrom('last' as const, 'all' as const),
  minimumPropensity: fc.constantFrom(0, 0.05),
  schedule: fc.constantFrom<NonNullable<LearnerOptions['schedule']>[]>(
    { kind: 'doubling' },
    { kind: 'doubling', counted: 'closed' },
    { kind: 'growth', first: 20, factor: 1.3, counted: 'closed' },
    { kind: 'fixed', length: 37 },
  ),
})
const anySession = fc
  .record({ reward: fc.constantFrom(...rewards), options: anyOptions, seed: fc.nat() })
  .map(({ reward, options, seed }) => session(problemWith(reward), options, seed, 160))

describe('a log', () => {
  test('has a record of every kind and survives JSON', () => {
    const { log, snapshots } = session(problemWith(), { profile: 'primo-cal', seed: 1 }, 1, 400)
    expect(new Set(parsed(log).map(({ type }) => type))).toEqual(
      new Set(['decision', 'reward', 'reveal', 'void', 'epoch']),
    )
    for (const line of log) expect(JSON.stringify(JSON.parse(line))).toBe(line)
    expect(snapshots.length).toBeGreaterThan(5)
  })

  test('with the problem, the options and the seed gives a byte-equal snapshot', () => {
    fc.assert(
      fc.property(anySession, ({ problem, options, log, final }) => {
        expect(textOf(replayLog(problem, options, parsed(log)))).toBe(final)
      }),
      { numRuns: 12 },
    )
  })

  test('gives it also after a snapshot through JSON in the middle of an epoch, wherever that is', () => {
    fc.assert(
      fc.property(anySession, ({ problem, log, snapshots, final }) => {
        for (const { at, text } of snapshots) {
          const restored = restoreLearner(problem, JSON.parse(text))
          expect(textOf(restored)).toBe(text)
          applyLog(restored, parsed(log.slice(at)))
          expect(textOf(restored)).toBe(final)
        }
      }),
      { numRuns: 6 },
    )
  })

  test('gives it with a ladder of classes, whose choice goes on from the one before', () => {
    const ladder = [{ kind: 'linear' }, { kind: 'trees', rounds: 5, minimumLeaf: 5 }] as const
    const options: LearnerOptions = { profile: 'robust', seed: 3, oracle: { kind: 'select', ladder, folds: 2 } }
    const { problem, log, snapshots, final } = session(problemWith(), options, 4, 300)
    expect(final).toContain('"judged"')
    expect(textOf(replayLog(problem, options, parsed(log)))).toBe(final)
    for (const { at, text } of snapshots.slice(-4)) {
      const restored = restoreLearner(problem, JSON.parse(text))
      applyLog(restored, parsed(log.slice(at)))
      expect(textOf(restored)).toBe(final)
    }
  })

  test('of a replay is the log itself', () => {
    const { problem, options, log } = session(problemWith({ window: 12 }), { profile: 'primo-cal', seed: 8 }, 3, 300)
    const again: string[] = []
    replayLog(problem, { ...options, onRecord: (record) => again.push(JSON.stringify(record)) }, parsed(log))
    expect(again).toEqual(log)
  })

  test('needs no model: the predictions are in it', () => {
    const { options, log, final } = session(problemWith(), { profile: 'primo-cal', seed: 8 }, 3, 300)
    const gone = problemWith({}, () => {
      throw new Error('the model was called')
    })
    expect(textOf(replayLog(gone, options, parsed(log)))).toBe(final)
  })

  test('and a problem that went through JSON give it too', () => {
    const { carrier, blood } = problemWith().covariates
    const covariates = { carrier: carrier!, blood: blood! }
    const problem: Problem = { ...problemWith({ window: 3, default: -0 }), covariates }
    const log: string[] = []
    const learner = createLearner(problem, { seed: 1, onRecord: (record) => log.push(JSON.stringify(record)) })
    for (let t = 0; t < 40; t++) learner.decide({ context: { x: -0, town: 'Ulm' } })
    const again: Problem = JSON.parse(JSON.stringify(problem))
    expect(textOf(replayLog(again, { seed: 1 }, parsed(log)))).toBe(textOf(learner))
  })

  test('gives another snapshot with another seed or other options, where decisions do not differ at once', () => {
    const options: LearnerOptions = { profile: 'primo', seed: 8, schedule: { kind: 'list', ends: [30] } }
    const { problem, log, final } = session(problemWith(), options, 3, 30)
    const other = textOf(replayLog(problem, { ...options, schedule: { kind: 'list', ends: [31] } }, parsed(log)))
    expect(other).not.toBe(final)
    expect(() => replayLog(problem, { ...options, seed: 9 }, parsed(log))).toThrow(/must come out as logged/)
  })
})

/** Cuts the log before each end of an epoch. */
function epochsOf(log: readonly LogRecord[]): LogRecord[][] {
  const segments: LogRecord[][] = [[]]
  for (const record of log) {
    if (record.type === 'epoch') segments.push([])
    segments.at(-1)!.push(record)
  }
  return segments
}

/** Reports move to any later or earlier place of their epoch, but never before the decision that they are about. */
function retimed(segment: readonly LogRecord[], random: Random): LogRecord[] {
  const fixed = segment.filter(({ type }) => type === 'decision' || type === 'epoch')
  const moving = segment.filter(({ type }) => type !== 'decision' && type !== 'epoch')
  const placed = fixed.map((record) => [record])
  // What comes before the first decision of a segment belongs to earlier rounds and may stay first.
  const first: LogRecord[] = []
  for (const record of moving) {
    const own = fixed.findIndex((other) => other.type === 'decision' && 'id' in record && other.id === record.id)
    // The decision of a new epoch follows its end at once, in one call: nothing can come between them.
    const least = Math.max(own, fixed[0]?.type === 'epoch' ? 1 : -1)
    const slot = least + random.integer(fixed.length - Math.max(least, 0) + (least < 0 ? 1 : 0))
    const list = slot < 0 ? first : placed[slot]!
    list.splice((slot < 0 ? 0 : 1) + random.integer(list.length + (slot < 0 ? 1 : 0)), 0, record)
  }
  return [...first, ...placed.flat()]
}

/** Rewards change places with each other, so that as many rewards as before have come at every decision. */
function exchanged(segment: readonly LogRecord[], random: Random): LogRecord[] {
  const decidedBefore = (id: string, at: number) => {
    const own = segment.findIndex((record) => record.type === 'decision' && record.id === id)
    return own < at
  }
  const left = segment.filter((record) => record.type === 'reward')
  return segment.map((record, at) => {
    if (record.type !== 'reward') return record
    const possible = left.filter(({ id }) => decidedBefore(id, at))
    const [chosen] = left.splice(left.indexOf(possible[random.integer(possible.length)]!), 1)
    return chosen!
  })
}

describe('between two ends of epochs', () => {
  const anyOrder = (schedule: LearnerOptions['schedule']) =>
    fc.record({
      options: anyOptions.map((options): LearnerOptions => ({ ...options, schedule: schedule! })),
      seed: fc.nat(),
      order: fc.nat(),
    })

  test('rewards, truths and voids may come at any time and in any order, from rounds of earlier epochs too', () => {
    fc.assert(
      fc.property(anyOrder({ kind: 'doubling' }), ({ options, seed, order }) => {
        const { problem, log, final } = session(problemWith(), options, seed, 150)
        const random = Random.fromSeed(order)
        const shuffled = epochsOf(parsed(log)).flatMap((segment) => retimed(segment, random))
        expect(shuffled).toHaveLength(log.length)
        expect(textOf(replayLog(problem, options, shuffled))).toBe(final)
      }),
      { numRuns: 12 },
    )
  })

  test('rewards may change places where the schedule counts closed rounds', () => {
    fc.assert(
      fc.property(
        anyOrder({ kind: 'growth', first: 20, factor: 1.3, counted: 'closed' }),
        ({ options, seed, order }) => {
          const { problem, log, final } = session(problemWith(), options, seed, 150)
          const random = Random.fromSeed(order)
          const shuffled = epochsOf(parsed(log)).flatMap((segment) => exchanged(segment, random))
          expect(textOf(replayLog(problem, options, shuffled))).toBe(final)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('the shuffles of these tests do move rewards', () => {
    const { log } = session(problemWith(), { profile: 'primo', seed: 1 }, 5, 200)
    for (const shuffle of [retimed, exchanged]) {
      const shuffled = epochsOf(parsed(log)).flatMap((segment) => shuffle(segment, Random.fromSeed(2)))
      const moved = shuffled.filter((record, at) => JSON.stringify(record) !== log[at]).length
      expect(moved).toBeGreaterThan(50)
      expect(shuffled.map((record) => JSON.stringify(record)).sort()).toEqual([...log].sort())
    }
  })

  test('a reward that comes in another epoch does matter: the order is free only between two ends', () => {
    const options: LearnerOptions = { profile: 'primo', seed: 8, schedule: { kind: 'fixed', length: 50 } }
    const { problem, log } = session(problemWith(), options, 3, 120)
    const records = parsed(log)
    const end = records.findIndex(({ type }) => type === 'epoch')
    const first = records.findIndex(({ type }) => type === 'reward')
    const [moved] = records.splice(first, 1)
    records.splice(end + 5, 0, moved!)
    expect(() => replayLog(problem, options, records)).toThrow(/must come out as logged/)
  })
})

describe('a log that was tampered with', () => {
  const options: LearnerOptions = { profile: 'primo-cal', seed: 8 }
  const { problem, log } = session(problemWith(), options, 3, 200)
  const records = parsed(log)
  const decisions = records.flatMap((record, at) => (record.type === 'decision' ? [{ record, at }] : []))
  const late = decisions.findLast(({ record }) => record.actions === undefined && record.covariates.dose !== null)!
  const changed = (at: number, change: object) =>
    records.map((record, k) => (k === at ? { ...record, ...change } : record))
  const codeOf = (tampered: readonly unknown[]) => {
    try {
      replayLog(problem, options, tampered as LogRecord[])
    } catch (error) {
      expect(error).toBeInstanceOf(PrimoError)
      return (error as PrimoError).code
    }
    return 'none'
  }
  const otherAction = (record: DecisionRecord) => problem.actions.find((action) => action !== record.action)!
  const end = records.findLastIndex(({ type }) => type === 'epoch')
  const reward = records.findLastIndex((record, at) => record.type === 'reward' && at < end)

  test('is not the log it was made from', () => {
    expect(codeOf(records)).toBe('none')
  })

  test.each<[string, readonly unknown[]]>([
    ['another action', changed(late.at, { action: otherAction(late.record) })],
    ['another propensity', changed(late.at, { propensity: late.record.propensity + 1e-12 })],
    ['another epoch', changed(late.at, { epoch: late.record.epoch + 1 })],
    ['another context', changed(late.at, { context: { ...late.record.context, x: 0.123 } })],
    ['another covariate', changed(late.at, { covariates: { ...late.record.covariates, dose: 0.5 } })],
    ['another reward', changed(reward, { value: 0.987 })],
    ['a reward left out', records.filter((_, at) => at !== reward)],
    ['an end of an epoch after other rounds', changed(end, { cut: 5 })],
    ['an end of another epoch', changed(end, { epoch: 99 })],
    [
      'an end of an epoch that was none',
      [...records.slice(0, end + 2), { type: 'epoch', epoch: 9, cut: 150 }, ...records.slice(end + 2)],
    ],
  ])('in %s raises replay-diverged', (_, tampered) => {
    expect(codeOf(tampered)).toBe('replay-diverged')
  })

  test('in ways that no learner could have written is refused too', () => {
    const { at } = late
    expect(codeOf(records.toSpliced(at, 0, records[at]!))).toBe('duplicate-id')
    expect(codeOf(changed(at, { context: { x: 7, town: 'Ulm' } }))).toBe('out-of-range')
    expect(codeOf(changed(reward, { id: 'nobody' }))).toBe('unknown-round')
    expect(codeOf([{ type: 'rollback' }])).toBe('invalid-request')
    expect(codeOf([null])).toBe('invalid-request')
  })

  test('says what came out', () => {
    const run = () => replayLog(problem, options, changed(late.at, { action: otherAction(late.record) }) as LogRecord[])
    expect(run).toThrow(JSON.stringify(late.record.action))
    expect(run).toThrow(JSON.stringify(otherAction(late.record)))
  })
})
