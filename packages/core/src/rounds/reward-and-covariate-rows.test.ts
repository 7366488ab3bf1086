import { BLOCK_ROUNDS, Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EncodedCovariate, encodingOf } from '../problem/encoding.js'
import { boolean, category, number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import type { RoundRange } from './block-parts.js'
import { type CovariateRows, covariateRows } from './covariate-rows.js'
import { type RewardRows, rewardRows } from './reward-rows.js'
import { Observed, offsetOf, RoundStatus, RoundTable } from './round-table.js'

const column = { kind: 'column' } as const

const problem = (reveals: 'ignore' | 'context'): Problem => ({
  context: { age: number({ min: 0, max: 1 }), smoker: boolean() },
  covariates: {
    dose: { ...number({ min: 0, max: 1 }), imputer: column, reveals },
    blood: { ...category(['A', 'B']), imputer: column, reveals },
  },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
})

const ROUNDS = BLOCK_ROUNDS + 400

interface PlainRound {
  readonly context: number[]
  readonly covariates: number[]
  readonly pretrained: number[]
  readonly revealed: number[]
  readonly observed: number[]
  readonly action: number
  readonly reward: number
  readonly status: number
}

/** The same random rounds twice: as a table of columns and as a plain list. */
function randomRounds(seed: number, closedShare: number): { table: RoundTable; plain: PlainRound[] } {
  const random = Random.fromSeed(seed)
  const { contextWidth, covariateWidth, covariates } = encodingOf(problem('ignore'))
  const table = new RoundTable({ contextWidth, covariateWidth, covariateCount: covariates.length })
  const plain: PlainRound[] = []
  const uniforms = (count: number) => Array.from({ length: count }, () => random.uniform())
  for (let round = 0; round < ROUNDS; round++) {
    table.append()
    const block = table.block(round)
    const row = offsetOf(round)
    const predicted = [random.uniform() < 0.9, random.uniform() < 0.9]
    const made: PlainRound = {
      context: uniforms(2),
      covariates: uniforms(3),
      pretrained: uniforms(3).map((value, k) => (predicted[k === 0 ? 0 : 1] ? value : Number.NaN)),
      revealed: uniforms(3),
      observed: [random.integer(3), random.integer(3)],
      action: random.integer(3),
      reward: random.uniform(),
      status: random.uniform() < closedShare ? RoundStatus.closed : random.integer(4),
    }
    plain.push(made)
    block.context.set(made.context, row * 2)
    block.covariates.set(made.covariates, row * 3)
    block.pretrained.set(made.pretrained, row * 3)
    block.revealed ??= new Float64Array(BLOCK_ROUNDS * 3)
    block.revealed.set(made.revealed, row * 3)
    block.observed.set(made.observed, row * 2)
    block.action[row] = made.action
    block.reward[row] = made.reward
    block.status[row] = made.status
  }
  return { table, plain }
}

function listedRewards(rows: RewardRows): { block: number; row: unknown }[] {
  return [...rows.batches].flatMap((batch) =>
    Array.from({ length: batch.count }, (_, row) => ({
      block: batch.block,
      row: {
        context: [...batch.context.subarray(row * 2, row * 2 + 2)],
        covariates: [...batch.covariates.subarray(row * 3, row * 3 + 3)],
        action: batch.action[row],
        reward: batch.reward[row],
      },
    })),
  )
}

function naiveRewards(plain: readonly PlainRound[], { from, to }: RoundRange): { block: number; row: unknown }[] {
  return plain.flatMap(({ context, covariates, action, reward, status }, round) =>
    round >= from && round < to && status === RoundStatus.closed
      ? [{ block: Math.floor(round / BLOCK_ROUNDS), row: { context, covariates, action, reward } }]
      : [],
  )
}

function listedCovariates(rows: CovariateRows): unknown[] {
  const { width } = rows
  return [...rows.batches].flatMap((batch) =>
    Array.from({ length: batch.count }, (_, row) => ({
      block: batch.block,
      context: [...batch.context.subarray(row * 2, row * 2 + 2)],
      pretrained: [...batch.pretrained.subarray(row * width, (row + 1) * width)],
      truth: batch.known[row] === 1 ? [...batch.truth.subarray(row * width, (row + 1) * width)] : null,
    })),
  )
}

function naiveCovariates(
  plain: readonly PlainRound[],
  { from, to }: RoundRange,
  { at, width, feature }: EncodedCovariate,
  which: number,
): unknown[] {
  return plain.flatMap((round, index) => {
    const pretrained = round.pretrained.slice(at, at + width)
    if (index < from || index >= to || round.status !== RoundStatus.closed || Number.isNaN(pretrained[0])) return []
    const flag = round.observed[which]
    const truth =
      flag === Observed.atDecision
        ? round.covariates.slice(at, at + width)
        : flag === Observed.later && feature.reveals === 'context'
          ? round.revealed.slice(at, at + width)
          : null
    return [{ block: Math.floor(index / BLOCK_ROUNDS), context: round.context, pretrained, truth }]
  })
}

const anyRange = fc
  .tuple(fc.integer({ min: 0, max: ROUNDS }), fc.integer({ min: 0, max: ROUNDS }))
  .map(([a, b]): RoundRange => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const anyCase = fc.record({ seed: fc.nat(1000), closedShare: fc.constantFrom(0, 0.5, 1), range: anyRange })

describe('rows of rewards', () => {
  test('are the closed rounds of the range, in round order, block by block', () => {
    fc.assert(
      fc.property(anyCase, ({ seed, closedShare, range }) => {
        const { table, plain } = randomRounds(seed, closedShare)
        const rows = rewardRows(table, range, 3)
        const expected = naiveRewards(plain, range)
        expect(rows.count).toBe(expected.length)
        expect(listedRewards(rows)).toEqual(expected)
      }),
      { numRuns: 10 },
    )
  })

  test('can be gone through again and again', () => {
    const { table } = randomRounds(1, 0.5)
    const rows = rewardRows(table, { from: 10, to: ROUNDS }, 3)
    expect(listedRewards(rows)).toEqual(listedRewards(rows))
  })

  test('are views of the table where every round of a block is closed, copies elsewhere', () => {
    const { table } = randomRounds(2, 1)
    const [first, second] = [...rewardRows(table, { from: 0, to: ROUNDS }, 3).batches]
    expect(first!.context.buffer).toBe(table.blocks[0]!.context.buffer)
    table.blocks[1]!.status[3] = RoundStatus.open
    const [, gathered] = [...rewardRows(table, { from: 0, to: ROUNDS }, 3).batches]
    expect(second!.count - gathered!.count).toBe(1)
    expect(gathered!.context.buffer).not.toBe(table.blocks[1]!.context.buffer)
  })

  test('of an empty range, or without a closed round, are none', () => {
    const { table } = randomRounds(3, 1)
    expect(rewardRows(table, { from: 7, to: 7 }, 3).count).toBe(0)
    expect([...rewardRows(table, { from: 7, to: 7 }, 3).batches]).toEqual([])
    for (const block of table.blocks) block.status.fill(RoundStatus.dropped)
    expect([...rewardRows(table, { from: 0, to: ROUNDS }, 3).batches]).toEqual([])
  })
})

describe('rows of a covariate', () => {
  test('are the closed rounds with a prediction; late truths count only where reveals depend on the context', () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.constantFrom('ignore' as const, 'context' as const),
        fc.constantFrom(0, 1),
        ({ seed, closedShare, range }, reveals, which) => {
          const { table, plain } = randomRounds(seed, closedShare)
          const covariate = encodingOf(problem(reveals)).covariates[which]!
          const rows = covariateRows(table, range, covariate, which)
          const expected = naiveCovariates(plain, range, covariate, which)
          const closed = naiveRewards(plain, range).length
          expect(listedCovariates(rows)).toEqual(expected)
          expect(rows.count).toBe(expected.length)
          expect(rows.withoutPrediction).toBe(closed - expected.length)
          expect(rows.knownCount).toBe(expected.filter((row) => (row as { truth: unknown }).truth !== null).length)
        },
      ),
      { numRuns: 12 },
    )
  })
})
