import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createLearner, type LearnerOptions, number, type Problem, pretrained } from '../index.js'

function problemWith(extra: object = {}): Problem {
  return {
    context: { x: number({ min: -1, max: 1 }) },
    covariates: {
      z: { ...number({ min: -4, max: 4 }), imputer: pretrained((x) => 0.5 * Number(x.x)), ...extra } as never,
    },
    actions: ['a', 'b', 'c', 'd'],
    reward: { min: -20, max: 30, mean: { min: 0, max: 10 } },
  }
}

interface World {
  readonly seen?: (t: number, z: number, x: number) => boolean
  readonly answers?: (z: number, t: number) => boolean
  readonly fails?: (t: number) => boolean
}

/** z = x/2 + 1 + eta with variance 0.25; the best action depends on the sign of z - 1. */
function run(rounds: number, problem: Problem, world: World = {}, options: LearnerOptions = {}) {
  const { seen = (t) => t % 2 === 0, answers = () => true, fails = () => false } = world
  const learner = createLearner(problem, { profile: 'robust', seed: 1, ...options })
  const random = Random.fromSeed(9)
  const rows: { x: number; z: number; seen: boolean }[] = []
  for (let t = 0; t < rounds; t++) {
    const x = 2 * random.uniform() - 1
    const z = 0.5 * x + 1 + 0.5 * random.normal()
    const isSeen = seen(t, z, x)
    const decision = learner.decide({
      context: { x },
      covariates: { z: isSeen ? z : null },
      ...(fails(t) ? { predictions: { z: null } } : {}),
    })
    const slope = { a: 2, b: -2, c: 0, d: 0.5 }[decision.action as 'a']
    learner.reward(decision.id, 5 + slope * (z - 1) + 0.5 * random.normal())
    if (decision.covariates.z!.pleaseReveal === true && answers(z, t)) learner.reveal(decision.id, { z })
    rows.push({ x, z, seen: isSeen })
  }
  return { learner, rows }
}

const codes = (learner: ReturnType<typeof run>['learner']) => learner.report().warnings.map(({ code }) => code)

describe('the report of an epoch', () => {
  it('says that nothing was learnt before anything was, and plays uniformly', () => {
    const { learner } = run(0, problemWith())
    const report = learner.report()
    expect(report).toMatchObject({ epoch: 1, sampled: 0, reward: null, exploration: null, costOfMissingness: null })
    expect(codes(learner)).toContain('nothing-learnt')
  })

  it('is JSON, the same when asked twice, and changes nothing', () => {
    const { learner } = run(500, problemWith())
    const before = JSON.stringify(learner.snapshot())
    const report = learner.report()
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    expect(learner.report()).toEqual(report)
    expect(JSON.stringify(learner.snapshot())).toBe(before)
  })

  it('counts what is missing and gives errors in the covariate units with intervals that hold the truth', () => {
    const { learner, rows } = run(3000, problemWith())
    const report = learner.report()
    const [z] = report.covariates
    const upTo = rows.slice(0, report.rounds)
    expect(z!.rows).toBe(report.rounds)
    expect(z!.known).toBe(upTo.filter(({ seen }) => seen).length)
    expect(z!.missingShare).toBeCloseTo(1 - z!.known / z!.rows, 12)
    // E(z - x/2)^2 = 1.25; what is left after correction is the variance 0.25. Values are seen in every other round.
    const { pretrained: before, calibrated: after } = z!.error!
    for (const [one, truth] of [
      [before.all, 1.25],
      [before.missing!, 1.25],
      [after.all, 0.25],
      [after.missing!, 0.25],
    ] as const) {
      expect(one.lower).toBeLessThan(truth * 1.05)
      expect(one.upper).toBeGreaterThan(truth * 0.95)
      expect(one.upper - one.lower).toBeLessThan(0.25 * truth)
    }
    expect(z!.correction).toMatchObject({ use: 'calibrated', ball: { delta0: null, active: false } })
    expect(z!.correction.ball.size).toBeCloseTo(1, 1)
    expect(z!.correction.residualSd).toBeCloseTo(0.5, 1)
    // Seen at every other round whatever x: nothing to predict, and full overlap.
    expect(z!.observation!.auc).toBeCloseTo(0.5, 1)
    expect(z!.overlap!.smallest).toBeGreaterThan(0.4)
    expect(z!.overlap!.effectiveRows / z!.known).toBeGreaterThan(0.99)
    // Elasticity at the fitted model: the steepest actions move by 2 eta over 10 units: 0.04 * 0.25.
    expect(z!.elasticity!.maxInside.lower).toBeLessThan(0.0105)
    expect(z!.elasticity!.maxInside.upper).toBeGreaterThan(0.0095)
    expect(z!.elasticity!.missingOnly.estimate / z!.elasticity!.maxInside.estimate).toBeCloseTo(0.5, 1)
  })

  it('prices missing values: what the better of two opposed actions gains from knowing z', () => {
    const { learner } = run(6000, problemWith())
    const report = learner.report()
    // With u = z - 1 = x/2 + eta the best actions give 5 + 2|u|, and without z 5 + 2|x/2|.
    const random = Random.fromSeed(77)
    let gain = 0
    for (let i = 0; i < 40_000; i++) {
      const x = 2 * random.uniform() - 1
      gain += (2 * (Math.abs(x / 2 + random.normal() / 2) - Math.abs(x / 2))) / 40_000
    }
    const { mean, perThousand } = report.covariates[0]!.valueOfObserving!
    expect(Math.abs(mean.estimate / gain - 1)).toBeLessThan(0.08)
    expect(mean.lower).toBeGreaterThan(0.65 * gain)
    expect(mean.lower).toBeLessThan(gain)
    expect(mean.upper).toBeGreaterThan(gain)
    expect(perThousand).toBeCloseTo(1000 * report.covariates[0]!.missingShare * mean.estimate, 9)
    expect(report.costOfMissingness).toBe(perThousand)
  })

  it('shows no errors where too little is seen, and says why', () => {
    const { learner } = run(1500, problemWith(), { seen: (t) => t % 50 === 0 })
    const [z] = learner.report().covariates
    expect(z!.known).toBeGreaterThan(20)
    expect(z!).toMatchObject({ error: null, elasticity: null, unsupported: { code: 'few-effective-rows' } })
    expect(z!.overlap!.smallest).toBeLessThan(0.05)
    expect(codes(learner)).toContain('few-effective-rows')
  })

  it('measures how the policy plays', () => {
    const { learner } = run(3000, problemWith(), {}, { minimumPropensity: 0.02 })
    const { exploration } = learner.report()
    expect(exploration!.smallestPropensity).toBeGreaterThanOrEqual(0.02)
    expect(exploration!.greedyPropensity + exploration!.exploringShare).toBe(1)
    expect(exploration!.exploringShare).toBeGreaterThan(3 * 0.02)
    expect(exploration!.greedyPropensity).toBeGreaterThan(0.5)
  })

  it('warns where a model fails, where almost nothing is known, and where overlap is poor', () => {
    expect(codes(run(300, problemWith(), { fails: (t) => t % 5 === 0 }).learner)).toContain('imputer-fails')
    expect(codes(run(300, problemWith(), { seen: (t) => t < 3 }).learner)).toContain('too-few-known-rows')
    const random = Random.fromSeed(4)
    const hidden = run(2000, problemWith(), { seen: (_t, _z, x) => random.uniform() < 1 / (1 + Math.exp(8 * x)) })
    expect(codes(hidden.learner)).toContain('poor-overlap')
    expect(codes(run(2000, problemWith()).learner)).toEqual([])
  })

  it('warns where an audit contradicts missing at random, or goes unanswered', () => {
    const random = Random.fromSeed(5)
    const seen = (_t: number, z: number, x: number) => random.uniform() < 1 / (1 + Math.exp(3 * (z - 1 - 0.5 * x)))
    const audited = problemWith({ audit: { share: 0.3 } })
    const { learner } = run(2000, audited, { seen })
    expect(codes(learner)).toContain('audit-rejects')
    expect(learner.report().covariates[0]!.missingAtRandom).toBe('rejected')
    expect(codes(run(2000, audited, { answers: (z) => z > 1 }).learner)).toContain('audit-unanswered')
    // From round 1,200 on they wait for their truths; the last calibration was at least 256 rounds later.
    const late = run(2000, audited, { answers: (_z, t) => t < 1200 }).learner.report().warnings
    const { message, facts } = late.find(({ code }) => code === 'audit-late')!
    expect(facts.within).toBeGreaterThanOrEqual(256)
    expect(message).toContain(`set audit.within to ${facts.within}`)
  })

  it('says that a ball binds', () => {
    const { learner } = run(600, problemWith(), {}, { profile: 'primo-cal', calibration: { delta0: 0.2 } })
    const [z] = learner.report().covariates
    expect(z!.correction.ball).toMatchObject({ delta0: 0.2, active: true })
    expect(codes(learner)).toContain('ball-binds')
  })
})
