import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { endEpoch } from '../epoch/end-epoch.js'
import { category, number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { Observed, type RoundBlock, RoundTable } from '../rounds/round-table.js'
import { createEngine, type EngineOptions } from './engine.js'
import { initialState } from './epoch-state.js'
import { compilePolicy } from './policy.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: {
    z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } },
    kind: { ...category(['a', 'b']), imputer: { kind: 'column' } },
  },
  actions: ['a', 'b', 'c', 'd', 'e'],
  reward: { min: 0, max: 1 },
}

const settings: Readonly<Record<string, EngineOptions>> = {
  primo: { profile: 'primo' },
  'primo-cal with a minimum propensity': { profile: 'primo-cal', minimumPropensity: 0.03 },
  robust: {
    profile: 'robust',
    oracle: {
      interactions: [
        ['z', 'z'],
        ['z', 'x1'],
      ],
    },
  },
  'one width per action': { profile: 'robust', oracle: { width: 'action' } },
  'probability matching': { profile: 'robust', exploration: { kind: 'probability-matching' } },
  'boosted trees': {
    profile: 'primo',
    oracle: { kind: 'trees', rounds: 3 },
    exploration: { kind: 'linucb', alpha: 1 },
  },
}

function fill(block: RoundBlock, random: Random): void {
  for (const columns of [block.context, block.covariates, block.pretrained])
    for (let k = 0; k < columns.length; k++) columns[k] = 2 * random.uniform() - 1
  for (let k = 0; k < block.observed.length; k++)
    block.observed[k] = random.uniform() < 0.6 ? Observed.atDecision : Observed.missing
  for (let row = 0; row < block.reward.length; row++) {
    block.action[row] = random.integer(5)
    block.reward[row] = 0.5 + 0.2 * block.context[2 * row]! * (block.action[row]! - 2) + 0.1 * random.uniform()
  }
}

describe('deciding many rows', () => {
  test.each(Object.entries(settings))('is deciding one after the other, to the bit: %s', (_, options) => {
    const engine = createEngine(problem, options)
    const random = Random.fromSeed(4)
    const table = new RoundTable(engine.shape)
    table.appendRows(700)
    fill(table.blocks[0]!, random)
    for (let round = 0; round < table.count; round++) table.close(round)
    const untaught = initialState(engine.shape.covariateCount)
    const state = endEpoch(untaught, table, engine, 700, random.split('epoch', 1))
    for (const learnt of [untaught, state]) {
      const policy = compilePolicy(engine, learnt)
      const [one, many] = [1, 2].map(() => {
        const other = new RoundTable(engine.shape)
        other.appendRows(600)
        fill(other.blocks[0]!, Random.fromSeed(6))
        return other.blocks[0]!
      }) as [RoundBlock, RoundBlock]
      const draws = Float64Array.from({ length: 600 }, () => random.uniform())
      const expected: number[] = []
      for (let row = 5; row < 595; row++) {
        policy.decide(one, row, draws[row - 5]!)
        expected.push(...policy.propensities)
      }
      const propensities = new Float64Array(590 * 5)
      policy.decideRows(many, 5, 7, draws, propensities)
      policy.decideRows(many, 7, 595, draws.subarray(2), propensities.subarray(10))
      expect([...propensities]).toEqual(expected)
      expect(many).toEqual(one)
    }
  })
})
