import { BLOCK_ROUNDS } from '@primo/numeric'
import { expect, test } from 'vitest'
import { Observed, offsetOf, RoundStatus, RoundTable } from './round-table.js'

const shape = { contextWidth: 3, covariateWidth: 2, covariateCount: 1 }

function grown(rounds: number): RoundTable {
  const table = new RoundTable(shape)
  for (let round = 0; round < rounds; round++) table.append()
  return table
}

test('numbers rounds from 0 and begins a block every 4,096', () => {
  const table = new RoundTable(shape)
  expect(table.count).toBe(0)
  expect(table.blocks).toHaveLength(0)
  const rounds = Array.from({ length: 2 * BLOCK_ROUNDS + 1 }, () => table.append())
  expect(rounds.every((round, t) => round === t)).toBe(true)
  expect(table.count).toBe(2 * BLOCK_ROUNDS + 1)
  expect(table.blocks.map((block) => block.index)).toEqual([0, 1, 2])
})

test('finds the block and the row of a round', () => {
  const table = grown(BLOCK_ROUNDS + 2)
  expect([table.block(0).index, offsetOf(0)]).toEqual([0, 0])
  expect([table.block(BLOCK_ROUNDS - 1).index, offsetOf(BLOCK_ROUNDS - 1)]).toEqual([0, BLOCK_ROUNDS - 1])
  expect([table.block(BLOCK_ROUNDS + 1).index, offsetOf(BLOCK_ROUNDS + 1)]).toEqual([1, 1])
})

test('grows without copying: a block once made stays the same arrays with the same content', () => {
  const table = grown(BLOCK_ROUNDS)
  const first = table.block(0)
  const arrays = Object.values(first)
  first.context[5] = 1.5
  first.action[7] = 300
  for (let round = 0; round < 3 * BLOCK_ROUNDS; round++) table.append()
  expect(table.block(0)).toBe(first)
  Object.values(table.block(0)).forEach((array, k) => {
    expect(array).toBe(arrays[k])
  })
  expect([first.context[5], first.action[7]]).toEqual([1.5, 300])
})

test('gives every round its columns, zero and open at first, without room for truths that never came', () => {
  const block = grown(1).block(0)
  expect(block.context).toHaveLength(BLOCK_ROUNDS * 3)
  expect(block.covariates).toHaveLength(BLOCK_ROUNDS * 2)
  expect(block.pretrained).toHaveLength(BLOCK_ROUNDS * 2)
  expect(block.observed).toHaveLength(BLOCK_ROUNDS)
  expect(block.revealed).toBeNull()
  for (const column of [block.context, block.covariates, block.reward, block.propensity, block.status]) {
    expect(column.every((value) => value === 0)).toBe(true)
  }
  expect([RoundStatus.open, Observed.missing]).toEqual([0, 0])
})

test('holds problems without a context or without covariates', () => {
  const table = new RoundTable({ contextWidth: 0, covariateWidth: 0, covariateCount: 0 })
  table.append()
  expect([table.block(0).context.length, table.block(0).covariates.length, table.block(0).observed.length]).toEqual([
    0, 0, 0,
  ])
})
