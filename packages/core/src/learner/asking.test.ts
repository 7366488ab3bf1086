import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { askPace, askShare, askWorth } from '../engine/ask-probability.js'
import { createEngine } from '../engine/engine.js'
import {
  createLearner,
  type Decision,
  type LogRecord,
  number,
  type Problem,
  replayLog,
  restoreLearner,
} from '../index.js'
import { askedWith } from '../rounds/audit-weight.js'
import { Observed } from '../rounds/round-table.js'
import { growProblem } from './grow-problem.js'
import { unpackRounds } from './rounds-snapshot.js'

const options = { profile: 'robust', seed: 7 } as const

function problemWith(extra: object): Problem {
  const z = { ...number({ min: -3, max: 3 }), imputer: { kind: 'linear', intercept: 0, coefficients: { x: 1 } } }
  return {
    context: { x: number({ min: -1, max: 1 }) },
    covariates: { z: { ...z, ...extra } as never },
    actions: ['a', 'b'],
    reward: { min: -5, max: 5 },
  }
}

/** z = x + 0.2 eta, large ones go missing more often; b pays z, a nothing: knowing z matters where x is near 0 alone. */
function* requests(rounds: number) {
  const random = Random.fromSeed(11)
  for (let t = 0; t < rounds; t++) {
    const x = 2 * random.uniform() - 1
    const eta = Math.max(-2, Math.min(2, random.normal()))
    const z = x + 0.2 * eta
    const seen = random.uniform() < 1 / (1 + Math.exp(2 * eta))
    yield { x, z, seen, noise: 0.1 * random.normal() }
  }
}

function play(problem: Problem, rounds: number, restoreEvery = Number.POSITIVE_INFINITY) {
  const log: LogRecord[] = []
  const onRecord = (record: LogRecord) => {
    log.push(JSON.parse(JSON.stringify(record)))
  }
  let learner = createLearner(problem, { ...options, onRecord })
  const made: { x: number; seen: boolean; decision: Decision }[] = []
  for (const { x, z, seen, noise } of requests(rounds)) {
    if (made.length % restoreEvery === restoreEvery - 1)
      learner = restoreLearner(problem, JSON.parse(JSON.stringify(learner.snapshot())), { onRecord })
    const decision = learner.decide({ context: { x }, covariates: { z: seen ? z : null } })
    learner.reward(decision.id, (decision.action === 'b' ? z : 0) + noise)
    if (decision.covariates.z!.pleaseReveal) learner.reveal(decision.id, { z })
    made.push({ x, seen, decision })
  }
  return { learner, made, log }
}

const budget = problemWith({ audit: { budget: 0.1 } })

describe('an audit with a budget', () => {
  const { learner, made, log } = play(budget, 5000)

  it('asks for its budget, more where knowing matters, with probabilities within bounds', () => {
    const missing = made.filter(({ seen }) => !seen).map(({ x, decision }) => ({ x, use: decision.covariates.z! }))
    const asked = missing.filter(({ use }) => use.pleaseReveal)
    // About 2,500 missing: three standard errors of the share are 0.018; the advance is paid back by then.
    expect(Math.abs(asked.length / missing.length - 0.1)).toBeLessThan(0.02)
    for (const { use } of asked) {
      expect(use.revealProbability).toBeGreaterThanOrEqual(0.1 / 3 - 1e-12)
      expect(use.revealProbability).toBeLessThanOrEqual(1)
    }
    const late = missing.slice(-1500)
    const shareWhere = (near: boolean) => {
      const there = late.filter(({ x }) => Math.abs(x) < 0.3 === near)
      return there.filter(({ use }) => use.pleaseReveal).length / there.length
    }
    expect(shareWhere(true)).toBeGreaterThan(1.5 * shareWhere(false))
  })

  it('finds what missing values are like, and limits that hold it', () => {
    // Missing values lie above x by 0.2 E[eta | missing], about 0.13; the pre-trained model says x.
    const audit = learner.report().covariates[0]!.audit!
    const { pretrained } = audit.limits!
    const truth = [...requests(5000)].filter(({ seen }) => !seen).map(({ x, z }) => z - x)
    const mean = truth.reduce((sum, value) => sum + value, 0) / truth.length
    expect(mean).toBeGreaterThan(0.1)
    // The standard error of the weighted mean of 250 truths with spread 0.2 is some 0.02.
    expect(Math.abs(pretrained.estimate - mean)).toBeLessThan(0.06)
    expect(pretrained.low).toBeLessThan(mean)
    expect(pretrained.high).toBeGreaterThan(mean)
    const used = made.filter(({ seen }) => !seen).slice(-1000)
    const correction = used.map(({ x, decision }) => (decision.covariates.z!.value as number) - x)
    expect(Math.abs(correction.reduce((sum, value) => sum + value, 0) / 1000 - mean)).toBeLessThan(0.06)
  })

  it('is in the log: a replay and a restored learner end in the same bytes', () => {
    const bytes = JSON.stringify(learner.snapshot())
    expect(log.some((record) => record.type === 'decision' && record.asked !== undefined)).toBe(true)
    expect(JSON.stringify(replayLog(budget, options, log).snapshot())).toBe(bytes)
    expect(JSON.stringify(play(budget, 5000, 1000).learner.snapshot())).toBe(bytes)
    expect(learner.snapshot().state.asking![0]!.worth!.unit).toBeGreaterThan(0)
  })
})

describe('an audit that is changed', () => {
  const shared = (share: number) => problemWith({ audit: { share } })
  const askedOf = (problem: Problem, snapshot: ReturnType<typeof growProblem>) => {
    const { blocks } = unpackRounds(snapshot.rounds, createEngine(problem, snapshot.options))
    return blocks.flatMap((block) =>
      [...block.observed.keys()].flatMap((at) =>
        block.observed[at] === Observed.audited ? [askedWith(problem.covariates.z!.audit!, block, at)] : [],
      ),
    )
  }

  it('keeps with what probability each truth was asked for', () => {
    const { learner } = play(shared(0.1), 600)
    const grown = growProblem(shared(0.1), shared(0.4), learner.snapshot())
    const before = askedOf(shared(0.4), grown)
    expect(before.length).toBeGreaterThan(10)
    expect(new Set(before)).toEqual(new Set([0.1]))
    expect(restoreLearner(shared(0.4), grown).snapshot().rounds).toEqual(grown.rounds)
  })

  it('and so does a range that grows', () => {
    const { learner } = play(budget, 600)
    const wider = { ...budget, context: { x: number({ min: -2, max: 2 }) } }
    const was = askedOf(budget, learner.snapshot())
    expect(new Set(was).size).toBeGreaterThan(1)
    expect(askedOf(wider, growProblem(budget, wider, learner.snapshot()))).toEqual(was)
  })
})

describe('a price', () => {
  it('makes replies ask where knowing is worth more', () => {
    const { made } = play(problemWith({ price: 0.02 }), 2000)
    const uses = made.slice(-500).map(({ decision }) => decision.covariates.z!)
    expect(uses.some(({ ask }) => ask)).toBe(true)
    for (const { ask, valueOfObserving } of uses) expect(ask === true).toBe((valueOfObserving ?? 0) > 0.02)
  })
})

describe('what a row is worth and the pace', () => {
  it.each([
    [[1, 1, 1]],
    [[0, 0, 0, 0, 0, 0, 0, 1, 2, 9]],
    [[0, 3, 100, 2, 1, 0, 0, 0, 0.5, 0.1]],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    [[0, 0]],
  ])('make the mean probability the budget: %j', (values) => {
    const asking = { worth: askWorth(values), pace: 1 }
    const shares = values.map((value) => askShare(0.02, asking, value))
    expect(shares.reduce((sum, share) => sum + share, 0) / values.length).toBeCloseTo(0.02, 12)
    for (const share of shares) expect(share).toBeGreaterThanOrEqual(0.01)
  })

  it('are fast first, then save what was too much', () => {
    expect(askPace(0.02, 100, 8)).toBe(4)
    expect(askPace(0.02, 1300, 100)).toBe(2 / 3)
    expect(askPace(0.02, 12_000, 240)).toBe(1)
  })
})

it.each([
  [{ audit: { budget: 2 } }, /audit\.budget must be in \(0, 1\], got 2/],
  [{ audit: { budget: 0.1, share: 0.1 } }, /audit\.budget must be absent where there is a share/],
  [{ price: -1 }, /price must be a finite number >= 0, got -1/],
])('refuses %j', (extra, message) => {
  expect(() => createLearner(problemWith(extra))).toThrow(message)
})
