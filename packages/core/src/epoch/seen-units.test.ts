// Ranges that are declared too wide do not change what the default learns: it takes its inputs in units of what was seen.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { compileCorrection, isCorrection } from '../calibration/correction.js'
import { createEngine, endEpoch, initialState, RoundTable } from '../engine.js'
import { createLearner, number, type Problem, restoreLearner } from '../index.js'

const COUNT = 3000

function problemOf(context: number, covariate: number) {
  return {
    context: { x: number({ min: -context, max: context }), y: number({ min: -context, max: context }) },
    covariates: { z: { ...number({ min: -covariate, max: covariate }), imputer: { kind: 'column' } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  } satisfies Problem
}

/** z bends in x and y; the model says 0.4 z plus noise. In user units, the same for all declarations. */
function drawRow(random: Random) {
  const [x, y] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
  const z = 0.5 * Math.sin(3 * x) + 0.4 * x * y + 0.1 * random.normal()
  return { x, y, z, model: 0.4 * z + 0.3 * y * y + 0.1 * random.normal() }
}

/** Mean squared error of the corrected model on fresh rows, in user units. */
function errorOf(context: number, covariate: number): number {
  const engine = createEngine(problemOf(context, covariate))
  const rounds = new RoundTable(engine.shape)
  const random = Random.fromSeed(11)
  for (let round = 0; round < COUNT; round++) {
    const block = rounds.block(rounds.append())
    const { x, y, z, model } = drawRow(random)
    const known = random.uniform() < 0.5
    block.context.set([x / context, y / context], 2 * round)
    block.pretrained[round] = model / covariate
    block.observed[round] = known ? 1 : 0
    block.covariates[round] = (known ? z : model) / covariate
    block.action[round] = random.uniform() < 0.5 ? 0 : 1
    block.propensity[round] = 0.5
    block.reward[round] = random.uniform() < 0.5 ? 0 : 1
    rounds.close(round)
  }
  const state = endEpoch(initialState(1), rounds, engine, COUNT, Random.fromSeed(0))
  const [correction] = state.corrections
  if (!isCorrection(correction)) throw new Error('expected a correction')
  const { context: encoded, covariates } = engine.encoding
  const correct = compileCorrection(correction, encoded, covariates[0]!, 'range')
  const fresh = Random.fromSeed(12)
  let sum = 0
  for (let i = 0; i < 2000; i++) {
    const { x, y, z, model } = drawRow(fresh)
    const value = Float64Array.of(model / covariate)
    correct(Float64Array.of(x / context, y / context), 0, value, 0)
    sum += (covariate * value[0]! - z) ** 2
  }
  return sum / 2000
}

describe('an imputer in units of what was seen', () => {
  const tight = errorOf(1, 2)

  it('leaves little beyond the noise', () => {
    // The noise alone has a variance of 0.01; the uncorrected model errs by more than 0.1.
    expect(tight).toBeLessThan(0.03)
  })

  it.each([
    [10, 2],
    [1000, 2],
    [1, 2000],
    [1000, 2000],
  ])('errs as little with contexts declared +-%i and the covariate +-%i', (context, covariate) => {
    expect(Math.abs(errorOf(context, covariate) / tight - 1)).toBeLessThan(0.03)
  })
})

describe('a learner with wide ranges', () => {
  const problem = {
    ...problemOf(500, 500),
    covariates: {
      z: { ...number({ min: -500, max: 500 }), imputer: { kind: 'linear', intercept: 0, coefficients: { x: 0.2 } } },
    },
  } as const satisfies Problem

  it('goes on from its snapshot', () => {
    const learner = createLearner(problem, { seed: 3 })
    const random = Random.fromSeed(4)
    for (let round = 0; round < 300; round++) {
      const { x, y, z } = drawRow(random)
      const d = learner.decide({ context: { x, y }, covariates: { z: round % 2 === 0 ? z : null } })
      learner.reward(d.id, d.action === 'a' ? 0.5 : Math.min(1, Math.max(0, 0.5 + z)))
    }
    const saved = JSON.parse(JSON.stringify(learner.snapshot()))
    const request = { context: { x: 0.4, y: -0.2 }, covariates: { z: null } }
    expect(restoreLearner(problem, saved).decide(request)).toEqual(learner.decide(request))
  })
})
