// The value of observing from lines against the value from a scored row for each residual point.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../engine/engine.js'
import { initialState } from '../engine/epoch-state.js'
import { compileValueOfObserving } from '../engine/value-of-observing.js'
import { designColumns, designOf, type Interactions, type MissingIndicator } from '../oracle/design.js'
import type { LinearModel } from '../oracle/linear-model.js'
import type { Oracle } from '../oracle/oracle.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { Observed, RoundTable } from '../rounds/round-table.js'

const wide = { min: -1, max: 1 }
const imputer = { kind: 'constant', value: 0 } as const
const problem: Problem = {
  context: { x1: number(wide), x2: number(wide), x3: number(wide) },
  covariates: {
    z: { ...number(wide), imputer },
    sick: { type: 'boolean', imputer: { kind: 'constant', value: 0.5 } },
    w: { ...number(wide), imputer },
  },
  actions: ['a', 'b', 'c', 'd', 'e', 'f'],
  reward: { min: 0, max: 1 },
}
const [Z, SICK, W] = [0, 1, 2]

interface Case {
  readonly interactions: Interactions
  readonly indicator?: MissingIndicator
  /** Whether f is a line in z, and in w. */
  readonly lines: readonly [boolean, boolean]
}

const cases: readonly Case[] = [
  { interactions: 'none', lines: [true, true] },
  { interactions: 'none', indicator: 'intercept', lines: [true, true] },
  { interactions: 'all', lines: [true, true] },
  { interactions: 'all', indicator: 'interacted', lines: [true, true] },
  {
    interactions: [
      ['x1', 'z', 'x2'],
      ['sick', 'z'],
      ['x1', 'x2'],
    ],
    indicator: 'interacted',
    lines: [true, true],
  },
  {
    interactions: [
      ['w', 'w'],
      ['x3', 'z'],
    ],
    indicator: 'interacted',
    lines: [true, false],
  },
  { interactions: [['z', 'w']], lines: [true, true] },
  { interactions: [['x1', 'z', 'z']], lines: [false, true] },
]

const normals = (random: Random, count: number, scale = 1) =>
  Array.from({ length: count }, () => scale * random.normal())

function randomModel(random: Random, engine: Engine, { interactions, indicator }: Case): LinearModel {
  const design = designOf(engine.encoding, interactions, indicator)
  const columns = designColumns(design)
  const actions = engine.encoding.actions.length
  return {
    kind: 'linear',
    design,
    coefficients: Array.from({ length: actions }, () => [0.5, ...normals(random, columns - 1, 0.3)]),
    clip: random.uniform() < 0.3 ? null : random.uniform() < 0.5 ? { min: 0, max: 1 } : { min: -0.5, max: 1.5 },
    sigma: 0.1,
    degreesOfFreedom: Array.from({ length: actions }, () => columns),
    rows: Array.from({ length: actions }, () => 100),
    weight: 100 * actions,
    covariance: null,
    clippedShare: 0,
  }
}

function correction() {
  return { kind: 'correction' as const, class: 'none' as never, coefficients: [[]], moments: [1, 0, 0.16] }
}

/** The same class without lines. */
function withoutLines(oracle: Oracle): Oracle {
  return {
    ...oracle,
    compile: (...given) => {
      const { lines: _, ...scorer } = oracle.compile(...given)
      return scorer
    },
  }
}

describe('the value of observing along lines', () => {
  it.each(cases)('equals the value from a row per residual point: %j', (kase) => {
    const { interactions, indicator = 'none', lines } = kase
    const engine = createEngine(problem, { oracle: { interactions, indicator } })
    const rowwise = { ...engine, oracle: withoutLines(engine.oracle) }
    const random = Random.fromSeed(17)
    const { block } = oneRow(engine)
    let positive = 0
    for (let trial = 0; trial < 60; trial++) {
      const state = {
        ...initialState(3),
        rewardModel: randomModel(random, engine, kase),
        corrections: [correction(), null, correction()],
      }
      const scorer = engine.oracle.compile(state.rewardModel, [[1, 0, 0.16], null, [1, 0, 0.16]])
      expect([scorer.lines!(Z!) !== null, scorer.lines!(W!) !== null]).toEqual(lines)
      const value = compileValueOfObserving(engine, state)!
      const expected = compileValueOfObserving(rowwise, state)!
      for (let k = 0; k < 4; k++) {
        fillRow(random, block)
        const chosen = [0, 1, 2, 3, 4, 5].filter(() => random.uniform() < 0.6)
        const eligible = k % 2 === 0 || chosen.length === 0 ? undefined : Int32Array.from(chosen)
        for (const which of [Z!, W!]) {
          const found = value(block, 0, which, eligible)
          expect(Math.abs(found - expected(block, 0, which, eligible))).toBeLessThan(1e-12)
          if (!lines[which === Z ? 0 : 1]) expect(found).toBe(expected(block, 0, which, eligible))
          if (found > 0.01) positive++
        }
        expect(value(block, 0, SICK!, eligible)).toBe(expected(block, 0, SICK!, eligible))
        expect(value(block, 0, Z!, Int32Array.of(3))).toBe(0)
      }
    }
    expect(positive).toBeGreaterThan(50)
  })

  it('gives actions that no fit has seen the mean of the others, as the policy does', () => {
    const kase = cases[0]!
    const engine = createEngine(problem, { oracle: { kind: 'linear' } })
    const random = Random.fromSeed(4)
    const { block } = oneRow(engine)
    for (let trial = 0; trial < 20; trial++) {
      const model = randomModel(random, engine, kase)
      const known = {
        ...model,
        clip: null,
        coefficients: model.coefficients.slice(0, 4),
        degreesOfFreedom: model.degreesOfFreedom.slice(0, 4),
        rows: model.rows.slice(0, 4),
      }
      // Without a clip the mean of lines is the line of the mean.
      const mean = known.coefficients[0]!.map((_, k) =>
        known.coefficients.reduce((sum, theta) => sum + theta[k]! / 4, 0),
      )
      const filled = { ...model, clip: null, coefficients: [...known.coefficients, mean, mean] }
      const state = { ...initialState(3), corrections: [correction(), null, null] }
      fillRow(random, block)
      const value = compileValueOfObserving(engine, { ...state, rewardModel: known })!
      const expected = compileValueOfObserving(engine, { ...state, rewardModel: filled })!
      for (const eligible of [undefined, Int32Array.of(1, 4), Int32Array.of(0, 2, 5)]) {
        expect(value(block, 0, Z!, eligible)).toBeCloseTo(expected(block, 0, Z!, eligible), 12)
      }
    }
  })
})

function oneRow(engine: Engine) {
  const table = new RoundTable(engine.shape)
  return { block: table.block(table.append()) }
}

function fillRow(random: Random, block: ReturnType<typeof oneRow>['block']): void {
  for (let k = 0; k < 3; k++) block.context[k] = 2 * random.uniform() - 1
  block.covariates.set([2 * random.uniform() - 1, random.uniform(), 2 * random.uniform() - 1])
  block.pretrained.set(block.covariates.subarray(0, 3))
  for (let k = 0; k < 3; k++)
    block.observed[k] = [Observed.missing, Observed.atDecision, Observed.asked][random.integer(3)]!
}
