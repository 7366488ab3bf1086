// Every function class as a reward class: the laws of an oracle, the action as an input, and averages over what is left open.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { type ClassOracleOptions, classOracle } from './class-oracle.js'
import { inputOf, oracleLaws, type Row, randomRows, rowsOf } from './oracle.laws.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)
const widths = { context: 2, covariates: 1 }

const CLASSES: readonly ClassOracleOptions[] = [
  { kind: 'isotonic' },
  { kind: 'lipschitz', bound: 1 },
  { kind: 'convex', bound: 1, bins: 20 },
  { kind: 'spline', segments: 8 },
  { kind: 'kernel', exact: 0, landmarks: 25 },
  { kind: 'trees', rounds: 20 },
  { kind: 'trees', rounds: 20, actions: 'feature', indicator: 'intercept' },
  { kind: 'network', steps: 150, hidden: 6 },
  { kind: 'select', ladder: [{ kind: 'linear' }, { kind: 'trees', rounds: 10 }], folds: 3 },
]

for (const options of CLASSES) {
  const name = options.actions === 'feature' ? `${options.kind}, action as an input` : options.kind
  oracleLaws(name, classOracle(encoding, options), 3, widths, 300)
}

function scoresOf(options: ClassOracleOptions, rows: readonly Row[], probe: Row) {
  const oracle = classOracle(encoding, options)
  const model = oracle.fit(rowsOf(rows, 3, widths), Random.fromSeed(1))
  const scorer = oracle.compile(model)
  const out = new Float64Array(3)
  scorer.scores(inputOf(probe), 0, out)
  return { model, scores: [...out] }
}

describe('a function class as a reward class', () => {
  const rows = randomRows(Random.fromSeed(3), 3000, 3, widths).map((row) => ({
    ...row,
    reward: 0.5 + 0.4 * Math.sin(3 * row.z[0]!) * (row.action - 1),
  }))

  it.each(['separate', 'feature'] as const)('learns a bent reward by action, %s', (actions) => {
    const probe = { x: [0.2, -0.3], z: [0.5], action: 0, reward: 0 }
    const { scores } = scoresOf({ kind: 'trees', actions }, rows, probe)
    const truth = [-1, 0, 1].map((sign) => 0.5 + 0.4 * Math.sin(1.5) * sign)
    scores.forEach((score, a) => {
      expect(Math.abs(score - truth[a]!)).toBeLessThan(0.08)
    })
  })

  it('averages predictions over residual points where z is missing, and only there', () => {
    const probe = { x: [0, 0], z: [0.5], action: 0, reward: 0 }
    const oracle = classOracle(encoding, { kind: 'kernel', landmarks: 30, bandwidth: 1, ridge: 0.1, clip: null })
    const model = oracle.fit(rowsOf(rows.slice(0, 1000), 3, widths), Random.fromSeed(1))
    const out = new Float64Array(3)
    const points = Array.from({ length: 16 }, (_, i) => (i - 7.5) / 10)
    const spread = oracle.compile(model, [[1, 0, 0.2]], [points])
    const at = (scorer: ReturnType<typeof oracle.compile>, z: number, observed: number) => {
      scorer.scores(inputOf({ ...probe, z: [z], observed }), 0, out)
      return out[2]!
    }
    const plain = oracle.compile(model)
    const mean = points.reduce((sum, point) => sum + at(plain, 0.5 + point, 1) / 16, 0)
    expect(at(spread, 0.5, 0)).toBeCloseTo(mean, 12)
    expect(Math.abs(mean - at(plain, 0.5, 1))).toBeGreaterThan(0.05)
    expect(at(spread, 0.5, 1)).toBe(at(plain, 0.5, 1))
  })

  it('has widths sigma sqrt(dof / n) and falls back to the pooled mean for an action with few rows', () => {
    const few = rows.filter(({ action }, i) => action !== 2 || i < 5)
    const oracle = classOracle(encoding, { kind: 'spline' })
    const model = oracle.fit(rowsOf(few, 3, widths), Random.fromSeed(1))
    const scorer = oracle.compile(model)
    const out = new Float64Array(3)
    scorer.scores(inputOf(rows[0]!), 0, out)
    scorer.widths(out)
    out.forEach((width, a) => {
      expect(width).toBeCloseTo(
        Math.min(1, model.sigma * Math.sqrt(Math.max(1, model.degreesOfFreedom[a]!) / Math.max(1, model.rows[a]!))),
        12,
      )
    })
    if (model.kind === 'linear' || model.kind === 'hierarchical') throw new Error('a function class')
    expect(model.models[2]!.model.kind).toBe('constant')
  })

  it('has a critical radius where the class has one', () => {
    expect(classOracle(encoding, { kind: 'trees' }).radius).toBeNull()
    const { radius } = classOracle(encoding, { kind: 'lipschitz', bound: 1 })
    expect(radius!(8000, false)).toBeLessThan(radius!(1000, false))
  })
})
