import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine, endEpoch, initialState, RoundStatus, RoundTable } from '../engine.js'
import { boolean, category, number, type Problem } from '../index.js'
import { encodingOf } from '../problem/encoding.js'
import { compileCorrection } from './correction.js'
import { inputBasis } from './input-basis.js'

const context = { x: number({ min: -1, max: 1 }), town: category(['north', 'south']) }

function problemOf(covariate: ReturnType<typeof number> | ReturnType<typeof boolean> | ReturnType<typeof category>) {
  const covariates = { z: { ...covariate, imputer: { kind: 'column' as const } } }
  return { context, covariates, actions: ['a', 'b'], reward: { min: 0, max: 1 } } satisfies Problem
}

describe('a basis over the prediction and the context', () => {
  const { context: encoded } = encodingOf(problemOf(number({ min: -1, max: 1 })))

  it('has g~ in every class, each a prefix of the next', () => {
    const kinds = ['bias', 'linear', 'cubic', 'rich'] as const
    const x = Float64Array.of(0.3, 1, 0)
    const g = Float64Array.of(-0.4)
    const rows = kinds.map((kind) => {
      const basis = inputBasis(kind, 'both', encoded, 1)
      const b = new Float64Array(basis.columns)
      basis.expandAt(x, 0, g, 0, b, 0)
      expect(basis.ofPrediction[1]).toBe(1)
      return b
    })
    expect(Array.from(rows[0]!)).toEqual([1, -0.4])
    expect(Array.from(rows[1]!)).toEqual([1, -0.4, 0.3, 1, 0])
    rows.slice(1).forEach((row, k) => {
      expect(row.subarray(0, rows[k]!.length)).toEqual(rows[k])
    })
    // g~ x and g~ north are among the products.
    expect(Array.from(rows[3]!)).toEqual(expect.arrayContaining([-0.4 * 0.3, -0.4]))
  })

  it('takes its inputs in units of what was seen where it has such units', () => {
    const scale = [
      { centre: 0.01, unit: 32 },
      { centre: -0.002, unit: 128 },
      { centre: 0, unit: 1 },
      { centre: 0, unit: 1 },
    ]
    for (const kind of ['bias', 'linear', 'cubic', 'rich'] as const) {
      const [seen, declared] = [inputBasis(kind, 'both', encoded, 1, scale), inputBasis(kind, 'both', encoded, 1)]
      const [b, naive] = [new Float64Array(seen.columns), new Float64Array(seen.columns)]
      seen.expandAt(Float64Array.of(0.003, 1, 0), 0, Float64Array.of(0.02), 0, b, 0)
      declared.expandAt(
        Float64Array.of((0.003 + 0.002) * 128, 1, 0),
        0,
        Float64Array.of((0.02 - 0.01) * 32),
        0,
        naive,
        0,
      )
      expect(b).toEqual(naive)
    }
    expect(inputBasis('rich', 'context', encoded, 1, scale)).toBe(inputBasis('rich', 'context', encoded, 1))
  })

  it('is the basis of the context alone, to the bit, where that is asked for', () => {
    const basis = inputBasis('rich', 'context', encoded, 1)
    expect(basis.inputWidth).toBe(3)
    expect(basis.ofPrediction.every((flag) => flag === 0)).toBe(true)
  })
})

/** Rounds with context x, truth z (its columns) and prediction g; half of them seen. */
function corrected(
  problem: Problem,
  rounds: number,
  draw: (random: Random, x: number) => { z: number[]; g: number[] },
) {
  const engine = createEngine(problem, { profile: 'robust', guards: { fallback: false, marTest: false } })
  const { contextWidth, covariateWidth: m } = engine.shape
  const table = new RoundTable(engine.shape)
  const random = Random.fromSeed(3)
  for (let round = 0; round < rounds; round++) {
    const block = table.block(table.append())
    const x = 2 * random.uniform() - 1
    block.context.set([x, 1, 0], round * contextWidth)
    const { z, g } = draw(random, x)
    const seen = random.uniform() < 0.5
    block.observed[round] = seen ? 1 : 0
    block.covariates.set(seen ? z : g, round * m)
    block.pretrained.set(g, round * m)
    block.action[round] = round % 2
    block.propensity[round] = 0.5
    block.reward[round] = random.uniform()
    block.status[round] = RoundStatus.closed
  }
  const { corrections } = endEpoch(initialState(1), table, engine, rounds, random.split('end'))
  const model = corrections[0]!
  if (model.kind !== 'correction') throw new Error('a correction')
  const correct = compileCorrection(model, engine.encoding.context, engine.encoding.covariates[0]!, 'range')
  return (x: number, g: number[]) => {
    const values = Float64Array.from(g)
    correct(Float64Array.of(x, 1, 0), 0, values, 0)
    return Array.from(values)
  }
}

describe('a model that saw more than the context', () => {
  it('is put back on the scale of a number it had squeezed', () => {
    const correct = corrected(problemOf(number({ min: -1, max: 1 })), 400, (random) => {
      const z = 1.6 * random.uniform() - 0.8
      return { z: [z], g: [0.1 * z + 0.3] }
    })
    expect(correct(0, [0.35])[0]).toBeCloseTo(0.5, 1)
    expect(correct(0, [0.25])[0]).toBeCloseTo(-0.5, 1)
  })

  it('is believed about a boolean as far as seen values bear it out', () => {
    const correct = corrected(problemOf(boolean()), 800, (random) => {
      const z = random.uniform() < 0.5
      // Right in nine of ten cases, and it says so with 0.55.
      return { z: [z ? 1 : 0], g: [random.uniform() < 0.9 === z ? 0.55 : 0.45] }
    })
    expect(correct(0, [0.55])[0]).toBeCloseTo(0.9, 1)
    expect(correct(0, [0.45])[0]).toBeCloseTo(0.1, 1)
  })

  it('has its levels told apart where it mixes them up', () => {
    const correct = corrected(problemOf(category(['red', 'green', 'blue'])), 600, (random) => {
      const level = Math.floor(3 * random.uniform())
      const one = (k: number) => [0, 1, 2].map((at) => (at === k ? 1 : 0))
      return { z: one(level), g: one((level + 1) % 3) }
    })
    expect(correct(0, [0, 1, 0])[0]).toBeGreaterThan(0.9)
    expect(correct(0, [1, 0, 0])[2]).toBeGreaterThan(0.9)
  })
})
