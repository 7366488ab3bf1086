// Laws that every reward class must keep; each class's test calls this with its oracle.

import { BLOCK_ROUNDS, Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import type { RewardBatch, RewardRows } from '../rounds/reward-rows.js'
import type { InputRow, Oracle, RewardModel } from './oracle.js'

export interface Row {
  readonly x: readonly number[]
  readonly z: readonly number[]
  readonly action: number
  readonly reward: number
  readonly weight?: number
  /** Default 1. */
  readonly observed?: number
}

/** Rows as fits read them, in blocks of 4,096. */
export function rowsOf(
  rows: readonly Row[],
  actionCount: number,
  widths: { context: number; covariates: number },
): RewardRows {
  const batches: RewardBatch[] = []
  for (let first = 0; first < rows.length; first += BLOCK_ROUNDS) {
    const part = rows.slice(first, first + BLOCK_ROUNDS)
    batches.push({
      block: first / BLOCK_ROUNDS,
      count: part.length,
      context: Float64Array.from(part.flatMap(({ x }) => x)),
      covariates: Float64Array.from(part.flatMap(({ z }) => z)),
      observed: Uint8Array.from(part.flatMap(({ z, observed }) => z.map(() => observed ?? 1))),
      action: Uint16Array.from(part, ({ action }) => action),
      reward: Float64Array.from(part, ({ reward }) => reward),
      weight: part.some(({ weight }) => weight !== undefined)
        ? Float64Array.from(part, ({ weight }) => weight ?? 1)
        : null,
    })
  }
  return { contextWidth: widths.context, covariateWidth: widths.covariates, actionCount, count: rows.length, batches }
}

export function randomRows(
  random: Random,
  count: number,
  actionCount: number,
  widths: { context: number; covariates: number },
): Row[] {
  return Array.from({ length: count }, () => {
    const x = Array.from({ length: widths.context }, () => 2 * random.uniform() - 1)
    const z = Array.from({ length: widths.covariates }, () => 2 * random.uniform() - 1)
    const action = random.integer(actionCount)
    const observed = random.uniform() < 0.6 ? 1 : 0
    return {
      x,
      z,
      action,
      observed,
      reward: 0.5 + 0.2 * (x[0] ?? 0) * (action - 1) + 0.1 * (z[0] ?? 0) + 0.1 * (random.uniform() - 0.5),
    }
  })
}

/** One row as a scorer reads it. */
export function inputOf({ x, z, observed = 1 }: Pick<Row, 'x' | 'z' | 'observed'>): InputRow {
  return {
    context: Float64Array.from(x),
    covariates: Float64Array.from(z),
    observed: Uint8Array.from(z, () => observed),
  }
}

function predictions(oracle: Oracle, model: RewardModel, rows: readonly Row[], actions: number): number[] {
  const scorer = oracle.compile(model)
  const out = new Float64Array(actions)
  return rows.flatMap((row) => {
    scorer.scores(inputOf(row), 0, out)
    return [...out]
  })
}

function expectClose(a: readonly number[], b: readonly number[], tolerance: number): void {
  expect(a.length).toBe(b.length)
  a.forEach((value, i) => {
    expect(Math.abs(value - b[i]!)).toBeLessThanOrEqual(tolerance)
  })
}

export function oracleLaws(
  name: string,
  oracle: Oracle,
  actions: number,
  widths: { context: number; covariates: number },
  /** Rows fitted; fewer for classes whose fits are slow. */
  count = 6000,
): void {
  const rows = randomRows(Random.fromSeed(11), count, actions, widths)
  const probe = randomRows(Random.fromSeed(12), 50, actions, widths)
  const data = (list: readonly Row[]) => rowsOf(list, actions, widths)
  const fit = (list: readonly Row[]) => oracle.fit(data(list), Random.fromSeed(5))

  describe(`laws of an oracle: ${name}`, () => {
    it('fits the same model from the same rows and randomness', () => {
      expect(fit(rows)).toEqual(fit(rows))
    })

    it('does not change its inputs', () => {
      const given = data(rows)
      const before = structuredClone([...given.batches])
      oracle.fit(given, Random.fromSeed(5))
      expect([...given.batches]).toEqual(before)
    })

    it('survives JSON with equal predictions', () => {
      const model = fit(rows)
      const copy = JSON.parse(JSON.stringify(model)) as RewardModel
      expect(predictions(oracle, copy, probe, actions)).toEqual(predictions(oracle, model, probe, actions))
    })

    it('does not depend on the order of rows beyond rounding', () => {
      const order = Random.fromSeed(3).permutation(rows.length)
      const shuffled = [...order].map((i) => rows[i]!)
      expectClose(
        predictions(oracle, fit(shuffled), probe, actions),
        predictions(oracle, fit(rows), probe, actions),
        1e-9,
      )
    })

    it('treats a doubled weight as a repeated row', () => {
      const few = rows.slice(0, Math.min(500, count))
      const weighted = few.map((row, i) => (i % 3 === 0 ? { ...row, weight: 2 } : { ...row, weight: 1 }))
      const repeated = few.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row]))
      expectClose(
        predictions(oracle, fit(weighted), probe, actions),
        predictions(oracle, fit(repeated), probe, actions),
        1e-9,
      )
    })

    it('scores many rows as it scores one by one, to the bit', () => {
      const { scores, widths: spreads, scoreRows } = oracle.compile(fit(rows))
      if (scoreRows === undefined) return
      const [table] = [...data(rows.slice(0, 200)).batches]
      const one = new Float64Array(actions)
      const expected: number[][] = [[], []]
      for (let row = 3; row < 200; row++) {
        scores(table!, row, one)
        expected[0]!.push(...one)
        spreads(one)
        expected[1]!.push(...one)
      }
      const found = [new Float64Array(197 * actions), new Float64Array(197 * actions)] as const
      scoreRows(table!, 3, 197, found[0], null)
      expect([...found[0]]).toEqual(expected[0])
      scoreRows(table!, 3, 197, ...found)
      expect(found.map((values) => [...values])).toEqual(expected)
    })

    it('scores along lines, where it has them, as it scores rows to 1e-12', () => {
      const { scores, lines } = oracle.compile(fit(rows))
      const [table] = [...data(rows.slice(0, 200)).batches]
      const one = new Float64Array(actions)
      const constants = new Float64Array(actions)
      const slopes = new Float64Array(actions)
      for (let column = 0; column < widths.covariates; column++) {
        const line = lines?.(column) ?? null
        if (line === null) continue
        for (let row = 3; row < 200; row++) {
          scores(table!, row, one)
          const others = table!.covariates.map((value, at) => (at % widths.covariates === column ? 9 : value))
          line.write({ ...table!, covariates: others }, row, constants, slopes)
          const z = table!.covariates[row * widths.covariates + column]!
          const found = [...constants].map((value, a) => Math.min(line.max, Math.max(line.min, value + slopes[a]! * z)))
          expectClose(found, [...one], 1e-12)
        }
      }
    })

    it('gives a finite prediction and width for an action without data and for no data at all', () => {
      const scorer = oracle.compile(fit(rows.filter(({ action }) => action !== 0)))
      const out = new Float64Array(actions)
      for (const compiled of [scorer, oracle.compile(fit([]))]) {
        compiled.scores(inputOf(probe[0]!), 0, out)
        for (const value of out) expect(Number.isFinite(value)).toBe(true)
        compiled.widths(out)
        for (const value of out) expect(value).toBeGreaterThan(0)
      }
    })

    it('has a positive dimension, and a critical radius that falls with the rows where it has one', () => {
      expect(oracle.dimension).toBeGreaterThan(0)
      if (oracle.radius !== null) expect(oracle.radius(4000, true)).toBeLessThan(oracle.radius(1000, true))
    })
  })
}
