// Counts, and sums that go on where they stopped, against doing everything anew.

import { addRows, emptySums, gram, Random, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { addGram } from '../../../numeric/src/algebra/gram.js'
import { actionSums } from '../oracle/action-sums.js'
import { designOf } from '../oracle/design.js'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import { checkProblem } from '../problem/problem.js'
import { allClosed, closedCounts } from './closed-counts.js'
import { refreshedRows } from './reward-rows.js'
import { Observed, RoundStatus, RoundTable } from './round-table.js'

const encoding = encodingOf(
  checkProblem({
    context: { x: number({ min: -1, max: 1 }), y: number({ min: -1, max: 1 }) },
    covariates: {
      z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } },
      w: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } },
    },
    actions: ['a', 'b', 'c'],
    reward: { min: 0, max: 1 },
  }),
)
const shape = { contextWidth: 2, covariateWidth: 2, covariateCount: 2 }

/** The same rounds each time it is made, so that a table made anew has nothing kept. */
function tableOf(rounds: number, closed: (round: number) => boolean): RoundTable {
  const random = Random.fromSeed(11)
  const table = new RoundTable(shape)
  for (let t = 0; t < rounds; t++) {
    table.append()
    const block = table.block(t)
    const row = t % 4096
    for (let k = 0; k < 2; k++) {
      block.context[2 * row + k] = 2 * random.uniform() - 1
      block.covariates[2 * row + k] = 2 * random.uniform() - 1
      block.pretrained[2 * row + k] = 2 * random.uniform() - 1
      block.observed[2 * row + k] = random.integer(3) > 0 ? Observed.atDecision : Observed.missing
    }
    block.action[row] = random.integer(3)
    block.reward[row] = random.uniform()
    block.status[row] = closed(t) ? RoundStatus.closed : RoundStatus.open
  }
  return table
}

/** Everything that is summed over the first `to` rounds. */
function sumsOf(table: RoundTable, to: number, version: number) {
  const range = { from: 0, to }
  const impute = (_: unknown, rows: Int32Array, count: number, out: Float64Array) => {
    for (let i = 0; i < count; i++) out[rows[i]! * encoding.covariateWidth] = Math.sin(rows[i]! + version)
  }
  const design = designOf(encoding, 'all')
  return actionSums(refreshedRows(table, range, 3, { version, impute }), design)
}

describe('counts of a part', () => {
  it.each([0, 1, 3, 4])('equal a plain count with %i rounds left open', (open) => {
    const table = tableOf(4096, (t) => t % 1000 >= open)
    const block = table.blocks[0]!
    for (const [start, end] of [
      [0, 4096],
      [5, 4096],
      [0, 777],
      [1001, 1003],
      [9, 9],
    ] as const) {
      const rows = Array.from({ length: end - start }, (_, k) => start + k).filter((row) => block.status[row] === 1)
      const seen = (row: number, k: number) => block.observed[2 * row + k] === Observed.atDecision
      const counts = {
        closed: rows.length,
        complete: rows.filter((row) => seen(row, 0) && seen(row, 1)).length,
        seen: [rows.filter((row) => seen(row, 0)).length, rows.filter((row) => seen(row, 1)).length],
      }
      // Twice: counted, and kept.
      for (let time = 0; time < 2; time++) expect(closedCounts(block, start, end, 2)).toEqual(counts)
      expect(allClosed(block, start, end)).toBe(rows.length === end - start)
    }
  })

  it('are counted anew when a round of a whole block is open again', () => {
    const { blocks } = tableOf(4096, () => true)
    expect(closedCounts(blocks[0]!, 0, 4096, 2).closed).toBe(4096)
    blocks[0]!.status[17] = RoundStatus.open
    expect(closedCounts(blocks[0]!, 0, 4096, 2).closed).toBe(4095)
  })
})

describe('sums that go on', () => {
  it('have the bits of one sum over all rows, weighted or not', () => {
    const random = Random.fromSeed(3)
    const rows = Float64Array.from({ length: 300 * 9 }, () => random.normal())
    const weights = Float64Array.from({ length: 300 }, () => random.uniform())
    for (const given of [null, weights]) {
      const scratch = new Float64Array(rows.length)
      const whole = sumRows(rows, 0, 300, 8, given, 0, scratch)
      const parts = emptySums(8)
      for (const [at, count] of [
        [0, 1],
        [1, 0],
        [1, 46],
        [47, 200],
        [247, 53],
      ] as const)
        addRows(parts, rows, at * 9, count, given, at, scratch)
      expect(parts).toEqual(whole)
    }
    const out = new Float64Array(81)
    gram(rows, rows, 100, 9, out)
    addGram(rows, rows, 200, 9, out, 900, 900)
    expect(out).toEqual(sumRows(rows, 0, 300, 8, null, 0, rows).gram)
  })

  it('give the bits of a table without anything kept', () => {
    const late = (t: number) => t % 50 === 7 && t > 2000
    const table = tableOf(6000, (t) => !late(t))
    for (const [to, version] of [
      [300, 1],
      [900, 1],
      [901, 2],
      [4096, 2],
      [4500, 2],
    ] as const) {
      expect(sumsOf(table, to, version)).toEqual(
        sumsOf(
          tableOf(6000, (t) => !late(t)),
          to,
          version,
        ),
      )
    }
    // Rounds in the middle of what was summed become closed.
    for (let t = 0; t < 6000; t++) if (late(t)) table.block(t).status[t % 4096] = RoundStatus.closed
    expect(sumsOf(table, 6000, 2)).toEqual(
      sumsOf(
        tableOf(6000, () => true),
        6000,
        2,
      ),
    )
  })
})
