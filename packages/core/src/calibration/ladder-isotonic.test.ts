import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createLearner, restoreLearner } from '../learner/learner.js'
import { replayLog } from '../learner/replay.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import type { LogRecord } from '../rounds/log.js'
import { compileMap, meanMap } from './monotone-map.js'
import { calibrationSettings } from './settings.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -4, max: 4 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

/** g* has a part that the context does not show in any basis; what g~ is of it is the world's. */
type World = (hidden: number, x1: number) => { g: number; said: number }
/** A model that orders rightly and squeezes its scale: a saturated probability, say. */
const distorted: World = (hidden, x1) => {
  const g = 1.5 * x1 + hidden
  return { g, said: 3 * Math.tanh(g / 1.2) ** 3 }
}
/** Off by something linear in the context. */
const linear: World = (hidden, x1) => ({ g: 1.5 * x1 + hidden, said: 0.5 * x1 + 0.4 + hidden })
/** Right. */
const right: World = (hidden, x1) => ({ g: 1.5 * x1 + hidden, said: 1.5 * x1 + hidden })

function play(world: World, seed: number, calibration: object, rounds = 500, given = problem, guarded = true) {
  const log: LogRecord[] = []
  const guards = { fallback: guarded, marTest: guarded }
  const options = { profile: 'robust', seed, calibration, guards } as const
  const learner = createLearner(given, { ...options, onRecord: (record) => log.push(record) })
  const random = Random.fromSeed(100 + seed)
  let square = 0
  let missing = 0
  for (let k = 0; k < rounds; k++) {
    const [x1, x2] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    const { g, said } = world(2 * random.uniform() - 1, x1)
    const z = g + 0.3 * (random.uniform() - 0.5)
    const seen = random.uniform() < 0.6
    const { id, action, covariates } = learner.decide({
      context: { x1, x2 },
      covariates: { z: seen ? z : null },
      predictions: { z: said },
    })
    if (!seen && k >= rounds / 2) {
      square += ((covariates.z!.value as number) - g) ** 2
      missing++
    }
    learner.reward(id, random.uniform() < (action === 'a' ? 0.5 : 0.5 + 0.1 * z) ? 1 : 0)
  }
  const newest = learner.epochs().findLast(({ covariates }) => covariates[0]!.ladder !== null)!
  return { learner, log, options, error: square / missing, ladder: newest.covariates[0]!.ladder! }
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const seeds = Array.from({ length: 10 }, (_, seed) => seed)

describe('the isotonic rung', () => {
  it('wins where g~ is a monotone distortion of z: a tenth of the error of imputed values, in every one of ten worlds', () => {
    const pairs = seeds.map((seed) => {
      // Without the guards, which weigh in with what rewards say of few rows.
      const on = play(distorted, seed, { isotonic: true }, 500, problem, false)
      const off = play(distorted, seed, {}, 500, problem, false)
      expect(on.ladder.rung).toBe('isotonic')
      expect(on.ladder.heldOut.map(({ rung }) => rung)).toContain('isotonic')
      expect(off.ladder.heldOut.map(({ rung }) => rung)).not.toContain('isotonic')
      return { on: on.error, off: off.error }
    })
    for (const { on, off } of pairs) expect(on).toBeLessThan(0.1 * off)
  })

  it('is not chosen where a linear correction suffices, and costs nothing where the model is right', () => {
    for (const seed of seeds) expect(play(linear, seed, { isotonic: true }).ladder.rung).not.toBe('isotonic')
    // Where there is nothing to correct, whatever rung wins is shrunk: errors differ by less than a tenth of the noise variance.
    const differences = seeds.map((seed) => play(right, seed, { isotonic: true }).error - play(right, seed, {}).error)
    expect(Math.abs(mean(differences))).toBeLessThan(0.1 * (0.3 ** 2 / 12))
  })

  it('gives a map that never turns the order of predictions around, in the model and in each fold', () => {
    const { learner } = play(distorted, 3, { isotonic: true }, 500, problem, false)
    const correction = learner.snapshot().state.corrections[0]!
    if (correction.kind !== 'correction') throw new Error('no correction')
    expect(correction.map!.x.length).toBeLessThanOrEqual(128)
    for (const map of [correction.map!, ...correction.mapByFold!]) {
      const d = compileMap(map)
      let before = Number.NEGATIVE_INFINITY
      for (let g = -1.2; g <= 1.2; g += 0.01) {
        expect(g + d(g)).toBeGreaterThanOrEqual(before - 1e-12)
        before = g + d(g)
      }
    }
    expect(learner.report().covariates[0]!.correction.rung).toBe('isotonic')
  })

  it('comes back from snapshot and log to the bit', () => {
    const { learner, log, options } = play(distorted, 1, { isotonic: true, cap: 'auto' }, 500, problem, false)
    const saved = JSON.parse(JSON.stringify(learner.snapshot()))
    expect(saved.state.corrections[0].map).toBeDefined()
    expect(JSON.stringify(restoreLearner(problem, saved).snapshot())).toBe(JSON.stringify(saved))
    const again = replayLog(problem, options, JSON.parse(JSON.stringify(log)))
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(saved))
    const broken = structuredClone(saved)
    broken.state.corrections[0].map.x.reverse()
    expect(() => restoreLearner(problem, broken)).toThrow('state.corrections')
  })

  it('leaves the test for missing at random its size: the map is not mistaken for it', () => {
    // Values go missing at random in all ten worlds; two rejections in a row by chance: one in 10,000 each.
    for (const seed of seeds.slice(0, 5)) {
      const { learner } = play(distorted, seed, { isotonic: true }, 1200)
      expect(learner.snapshot().state.guards[0]!.informed).toBe(false)
    }
  })

  it('is an option of the unweighted ladder alone, and stands back where the covariate is audited', () => {
    expect(() => calibrationSettings({ class: 'ladder', weights: 'ipw', isotonic: true }, ['z'])).toThrow(
      'calibration.isotonic must be true or false, and false with weights, got true',
    )
    expect(() => calibrationSettings({ class: 'linear', isotonic: true }, ['z'])).toThrow('calibration.isotonic')
    const audited = { ...problem, covariates: { z: { ...problem.covariates.z!, audit: { share: 0.5 } } } }
    expect(play(distorted, 1, { isotonic: true }, 200, audited).ladder.rung).not.toBe('isotonic')
  })
})

describe('a map of g~', () => {
  it('is straight between its knots and keeps its last value beyond', () => {
    const d = compileMap({ x: [-0.5, 0, 1], y: [0.2, 0, -0.4] })
    expect([-2, -0.5, -0.25, 0.5, 1, 3].map(d)).toEqual([0.2, 0.2, 0.1, -0.2, -0.4, -0.4])
    expect(compileMap(undefined)(0.3)).toBe(0)
  })

  it('of two folds is their mean everywhere', () => {
    const [a, b] = [
      { x: [-1, 0.2, 0.9], y: [0.1, 0.3, -0.2] },
      { x: [-0.4, 0.2], y: [0, 0.5] },
    ]
    const [da, db, both] = [compileMap(a), compileMap(b), compileMap(meanMap(a, b))]
    for (let g = -1.5; g < 1.5; g += 0.037) expect(both(g)).toBeCloseTo((da(g) + db(g)) / 2, 12)
  })
})
