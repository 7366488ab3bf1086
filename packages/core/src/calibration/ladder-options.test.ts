import { sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { createEngine, type EngineOptions, endEpoch, initialState, RoundStatus, RoundTable } from '../engine.js'
import { createLearner, number, type Problem, Random } from '../index.js'
import { basisOf, compileCorrection } from './correction.js'
import { inputBasis } from './input-basis.js'
import { fitLadder } from './ladder.js'
import { estimatedRadius } from './ladder-cap.js'
import { foldOfRound, ladderSums } from './ladder-sums.js'

const PREFIXES = [1, 2, 3, 3]

function folds(seed: number, count: number, signal: (x: number) => number, noise = 0.2) {
  const random = Random.fromSeed(seed)
  const sums = () => {
    const rows = Array.from({ length: count / 2 }, () => {
      const x = 2 * random.uniform() - 1
      return [1, x, x * x - 1 / 3, signal(x) + noise * random.normal()]
    })
    return sumRows(Float64Array.from(rows.flat()), 0, rows.length, 3, null, 0, new Float64Array())
  }
  return [[sums(), sums()] as const]
}

const base = { prefixes: PREFIXES, richRows: 30 }

describe('ridges that compete', () => {
  it('are won by the one with the smallest held-out loss', () => {
    const input = { ...base, folds: folds(1, 60, (x) => 0.05 * x, 1) }
    const alone = [0.1, 1, 10, 100].map((ridge) => {
      const { heldOut } = fitLadder({ ...input, ridge })
      return Math.min(...heldOut.map(({ loss }) => loss))
    })
    const best = [0.1, 1, 10, 100][alone.indexOf(Math.min(...alone))]
    expect(fitLadder({ ...input, ridge: [0.1, 1, 10, 100] }).ridge).toBe(best)
    expect(best).toBeGreaterThan(1)
  })
})

describe('the one-standard-error rule', () => {
  it('takes the lowest rung within sqrt(2/n) of the best, never a higher one than the plain rule', () => {
    for (let seed = 0; seed < 30; seed++) {
      const input = { ...base, folds: folds(seed, 100, (x) => 0.1 * x), ridge: 1 }
      const plain = fitLadder(input)
      const careful = fitLadder({ ...input, rule: 'one-standard-error' })
      const least = Math.min(...plain.heldOut.map(({ loss }) => loss))
      const first = plain.heldOut.find(({ loss }) => loss <= least * (1 + Math.sqrt(2 / 100)))!
      expect(careful.rung).toBe(first.rung)
    }
    const weak = { ...base, folds: folds(2, 100, (x) => 0.06 * x), ridge: 1 }
    expect(fitLadder({ ...weak, rule: 'one-standard-error' }).rung).toBe('bias')
  })
})

describe('the cap', () => {
  it('is 1.5 times the root of the upper limit of the excess error', () => {
    const radius = estimatedRadius({ loss: { pretrained: 0.5, calibrated: 0.3 }, rows: 200 })
    expect(radius).toBeCloseTo(1.5 * Math.sqrt(0.5 * (1 + 1.6449 * 0.1) - 0.3), 12)
    expect(estimatedRadius({ loss: { pretrained: 0.1, calibrated: 0.3 }, rows: 200 })).toBe(0)
  })
})

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: -3, max: 3, mean: { min: 0, max: 1 } },
}

/** z - g~ = 0.4 + 0.2 x + noise on observed rows; seen more often where x is large. */
function table(engine: ReturnType<typeof createEngine>, count: number): RoundTable {
  const rounds = new RoundTable(engine.shape)
  const random = Random.fromSeed(6)
  for (let round = 0; round < count; round++) {
    rounds.append()
    const block = rounds.blocks[0]!
    const x = 2 * random.uniform() - 1
    const seen = random.uniform() < 1 / (1 + Math.exp(-2 * x))
    block.context[round] = x
    block.pretrained[round] = 0.1 * x
    block.observed[round] = seen ? 1 : 0
    block.covariates[round] = seen ? 0.3 * x + 0.4 + 0.1 * random.normal() : 0
    block.status[round] = RoundStatus.closed
  }
  return rounds
}

function fitted(calibration: EngineOptions['calibration']) {
  const engine = createEngine(problem, { profile: 'robust', calibration: calibration as never })
  const rounds = table(engine, 400)
  const state = endEpoch(initialState(1), rounds, engine, 400, Random.fromSeed(1))
  return { engine, rounds, state, ladder: state.reports[0]!.covariates[0]!.ladder! }
}

describe('options of the ladder in an engine', () => {
  it('sums weighted rows as a naive sum does', () => {
    const { engine, rounds } = fitted({})
    const basis = inputBasis('rich', 'both', engine.encoding.context, 1)
    const weigh = (x: Float64Array, at: number) => 2 + x[at]!
    const covariate = engine.encoding.covariates[0]!
    const [pair] = ladderSums(rounds, { from: 0, to: 400 }, covariate, 0, basis, null, 'known', weigh)
    const block = rounds.blocks[0]!
    const naive = [0, 0]
    const weights = [0, 0]
    for (let row = 0; row < 400; row++) {
      if (block.observed[row] !== 1) continue
      const fold = foldOfRound(row)
      const w = 2 + block.context[row]!
      weights[fold] = weights[fold]! + w
      naive[fold] = naive[fold]! + w * (block.covariates[row]! - block.pretrained[row]!)
    }
    for (const fold of [0, 1] as const) {
      expect(pair![fold].weight).toBeCloseTo(weights[fold]!, 9)
      // The constant's product with the target.
      expect(pair![fold].gram[basis.columns]).toBeCloseTo(naive[fold]!, 9)
    }
  })

  it.each(['none', 'ipw', 'missing'] as const)('finds the correction with weights %s', (weights) => {
    const { ladder, state } = fitted({ weights })
    expect(ladder.weights).toBe(weights)
    const model = state.corrections[0]!
    if (model.kind !== 'correction') throw new Error('a correction')
    const { context, covariates } = createEngine(problem).encoding
    const correct = compileCorrection(model, context, covariates[0]!, 'none')
    for (const x of [-0.5, 0.5]) {
      const value = Float64Array.of(0.1 * x)
      correct(Float64Array.of(x), 0, value, 0)
      expect(value[0]).toBeCloseTo(0.4 + 0.3 * x, 1)
    }
  })

  it('chooses weights by the held-out loss weighted by 1/e-hat', () => {
    const losses = (['none', 'ipw', 'missing'] as const).map((weights) => fitted({ weights }).ladder)
    const auto = fitted({ weights: 'auto' }).ladder
    expect(losses.map(({ weights }) => weights)).toContain(auto.weights)
    // 'ipw' is judged by its own weights already, so the choice can only be better.
    expect(auto.loss.calibrated).toBeLessThanOrEqual(losses[1]!.loss.calibrated + 1e-12)
  })

  it('scales a correction down to delta0 and says so', () => {
    const { ladder, state, rounds } = fitted({ delta0: 0.1 })
    expect(ladder.cap).toMatchObject({ radius: 0.1, active: true })
    const model = state.corrections[0]!
    if (model.kind !== 'correction') throw new Error('a correction')
    const basis = basisOf(model, createEngine(problem).encoding.context)
    const b = new Float64Array(basis.columns)
    let square = 0
    for (let row = 0; row < 400; row++) {
      basis.expandAt(rounds.blocks[0]!.context, row, rounds.blocks[0]!.pretrained, row, b, 0)
      square += model.coefficients[0]!.reduce((sum, value, k) => sum + value * b[k]!, 0) ** 2 / 400
    }
    expect(Math.sqrt(square)).toBeCloseTo(0.1, 9)
    expect(fitted({ cap: 'auto' }).ladder.cap!.active).toBe(false)
    expect(fitted({}).ladder.cap).toBeNull()
  })

  it.each([
    [{ weights: 'some' }, /calibration\.weights must be "ipw", "missing", "auto" or "none"/],
    [{ class: 'linear', weights: 'auto' }, /calibration\.weights must be "ipw" or "none"/],
    [{ class: 'linear', ridge: 'cv' }, /calibration\.ridge must be > 0, got "cv"/],
    [{ rule: 'best' }, /calibration\.rule/],
    [{ cap: 1 }, /calibration\.cap/],
  ])('refuses %j', (calibration, message) => {
    const make = () => createLearner(problem, { profile: 'robust', calibration: calibration as never })
    expect(errorOf(make).message).toMatch(message)
  })
})
