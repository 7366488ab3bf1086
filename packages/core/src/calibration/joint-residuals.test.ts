import { describe, expect, it } from 'vitest'
import {
  compileDesign,
  createEngine,
  designColumns,
  designOf,
  type Engine,
  endEpoch,
  initialState,
  RoundStatus,
  RoundTable,
} from '../engine.js'
import { number, type Problem, Random } from '../index.js'
import { encodingOf } from '../problem/encoding.js'
import type { Correction } from './correction.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: {
    u: { ...number({ min: -2, max: 2 }), imputer: { kind: 'column' } },
    v: { ...number({ min: -2, max: 2 }), imputer: { kind: 'column' } },
  },
  actions: ['a'],
  reward: { min: -9, max: 9, mean: { min: 0, max: 1 } },
}

/** Residuals of u and v have correlation 0.8; r = 1 + u v (inside units), both missing in half of the rounds. */
function table(engine: Engine, count: number): RoundTable {
  const rounds = new RoundTable(engine.shape)
  const random = Random.fromSeed(4)
  for (let round = 0; round < count; round++) {
    rounds.append()
    const block = rounds.blocks[0]!
    const x = 2 * random.uniform() - 1
    const common = random.normal()
    const u = 0.2 * x + 0.3 * (0.8 * common + 0.6 * random.normal())
    const v = -0.1 * x + 0.2 * common
    const seen = random.uniform() < 0.5
    block.context[round] = x
    block.pretrained.set([0.2 * x, -0.1 * x], 2 * round)
    block.observed.fill(seen ? 1 : 0, 2 * round, 2 * round + 2)
    block.covariates.set(seen ? [u, v] : [0, 0], 2 * round)
    block.reward[round] = 1 + u * v + 0.02 * random.normal()
    block.status[round] = RoundStatus.closed
  }
  return rounds
}

function learnt(missing: 'distribution' | 'plugin' = 'distribution') {
  const oracle = { interactions: [['u', 'v']], clip: null }
  const engine = createEngine(problem, { profile: 'robust', missing, oracle })
  const rounds = table(engine, 3000)
  const state = endEpoch(initialState(2), rounds, engine, 3000, Random.fromSeed(1))
  return { engine, state, corrections: state.corrections as readonly Correction[] }
}

describe('joint residuals', () => {
  it('are 16 vectors with mean 0, the own variances and the correlation of the rows', () => {
    const [u, v] = learnt().corrections
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
    expect(u!.joint).toHaveLength(16)
    expect(mean(u!.joint!)).toBeCloseTo(0, 12)
    expect(mean(v!.joint!)).toBeCloseTo(0, 12)
    expect(mean(u!.joint!.map((value) => value ** 2))).toBeCloseTo(u!.moments![2]!, 12)
    expect(mean(v!.joint!.map((value) => value ** 2))).toBeCloseTo(v!.moments![2]!, 12)
    const correlation =
      mean(u!.joint!.map((value, i) => value * v!.joint![i]!)) / Math.sqrt(u!.moments![2]! * v!.moments![2]!)
    // 512 rounds: standard error (1 - 0.64)/sqrt(512) = 0.016.
    expect(Math.abs(correlation - 0.8)).toBeLessThan(0.06)
  })

  it('average a product of two missing covariates: g1 g2 plus the covariance', () => {
    const encoding = encodingOf(problem)
    const design = designOf(encoding, [
      ['u', 'v'],
      ['u', 'u', 'v', 'x'],
      ['u', 'x'],
    ])
    const joint = [
      [0.1, -0.3, 0.2, 0],
      [0.2, -0.1, 0.05, -0.15],
    ]
    const spread = joint.map((own) => ({ moments: [1, 0, own.reduce((s, e) => s + e * e, 0) / 4], joint: own }))
    const features = (observed: number[], given = spread as never) => {
      const out = new Float64Array(designColumns(design))
      const row = {
        context: Float64Array.of(0.5),
        covariates: Float64Array.of(0.3, -0.4),
        observed: Uint8Array.from(observed),
      }
      compileDesign(design, given)(row, 0, out, 0)
      return [...out].slice(4)
    }
    const naive = (f: (a: number, b: number) => number) =>
      [0, 1, 2, 3].reduce((sum, i) => sum + f(joint[0]![i]!, joint[1]![i]!), 0) / 4
    const both = features([0, 0])
    expect(both[0]).toBeCloseTo(
      naive((a, b) => (0.3 + a) * (-0.4 + b)),
      12,
    )
    expect(both[1]).toBeCloseTo(
      naive((a, b) => 0.5 * (0.3 + a) ** 2 * (-0.4 + b)),
      12,
    )
    expect(both[2]).toBe(0.3 * 0.5)
    // One of them missing: its own closed form.
    expect(features([0, 1])[1]).toBeCloseTo(0.5 * (0.09 + spread[0]!.moments[2]!) * -0.4, 12)
    expect(features([0, 1])[0]).toBeCloseTo(0.3 * -0.4, 12)
    expect(features([1, 1])).toEqual(features([1, 1], [] as never))
    // Without joint vectors as if independent.
    const apart = features([0, 0], spread.map(({ moments }) => moments) as never)
    expect(apart[0]).toBeCloseTo(0.3 * -0.4, 12)
    expect(apart[1]).toBeCloseTo(0.5 * (0.09 + spread[0]!.moments[2]!) * -0.4, 12)
  })

  it('keep the reward model unbiased where two values that move together are missing', () => {
    const at = (u: number, v: number, missing?: 'plugin') => {
      const { engine, state } = learnt(missing)
      const scorer = engine.oracle.compile(state.rewardModel!, [])
      const out = new Float64Array(1)
      const row = { context: Float64Array.of(0), covariates: Float64Array.of(u, v), observed: Uint8Array.of(1, 1) }
      scorer.scores(row, 0, out)
      return out[0]!
    }
    // E[u v] = 0.048 at x = 0 lies on missing rows; taken as independent it would sit in the constant (half of it).
    expect(Math.abs(at(0, 0) - 1)).toBeLessThan(0.006)
    expect(at(0, 0, 'plugin') - 1).toBeGreaterThan(0.012)
    expect(Math.abs(at(0.6, 0.5) - 1.3)).toBeLessThan(0.02)
  })
})
