// The model of rewards that are not final yet, against the same written row by row with one large linear system.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import type { RewardRows } from '../rounds/reward-rows.js'
import { fitSignalModel, signalReward, signalWeight } from './signal-model.js'

interface Row {
  readonly phi: readonly number[]
  readonly a: number
  readonly r: number
}
const ACTIONS = 2
const RIDGES = [1, 30, 1000]

function world(count: number, useful: boolean): Row[] {
  const random = Random.fromSeed(5)
  return Array.from({ length: count }, () => {
    const [x, a] = [2 * random.uniform() - 1, random.integer(ACTIONS)]
    const r = 0.4 + 0.2 * a + 0.2 * x + 0.2 * random.normal()
    return { phi: [1, x, useful ? r + 0.1 * random.normal() : random.normal()], a, r }
  })
}

const half = (rows: readonly Row[], k: number): Row[] => rows.filter((_, i) => i % 2 === k)

function asRows(rows: readonly Row[]): RewardRows {
  const batch = {
    block: 0,
    count: rows.length,
    context: Float64Array.from(rows.flatMap(({ phi }) => phi.slice(1))),
    covariates: new Float64Array(0),
    observed: new Uint8Array(0),
    action: Uint16Array.from(rows, ({ a }) => a),
    reward: Float64Array.from(rows, ({ r }) => r),
    weight: null,
  }
  return { contextWidth: 2, covariateWidth: 0, actionCount: ACTIONS, count: rows.length, batches: [batch] }
}

function gauss(matrix: number[][], right: number[]): number[] {
  const n = right.length
  for (let k = 0; k < n; k++)
    for (let i = k + 1; i < n; i++) {
      const factor = matrix[i]![k]! / matrix[k]![k]!
      for (let j = k; j < n; j++) matrix[i]![j] = matrix[i]![j]! - factor * matrix[k]![j]!
      right[i] = right[i]! - factor * right[k]!
    }
  const x = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    let value = right[i]!
    for (let j = i + 1; j < n; j++) value -= matrix[i]![j]! * x[j]!
    x[i] = value / matrix[i]![i]!
  }
  return x
}

/** theta_a = s + d_a: all of s, d_0, d_1 in one system, ridge 1 on s, `ridge` on the others. */
function naiveFit(rows: readonly Row[], columns: number, ridge: number, mean: number): number[][] {
  const n = columns * (1 + ACTIONS)
  const matrix = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => (i === j ? (i < columns ? 1 : ridge) : 0)),
  )
  const right = new Array<number>(n).fill(0)
  for (const { phi, a, r } of rows) {
    const row = new Array<number>(n).fill(0)
    for (let k = 0; k < columns; k++) {
      row[k] = phi[k]!
      row[columns * (1 + a) + k] = phi[k]!
    }
    row.forEach((value, i) => {
      right[i] = right[i]! + value * (r - mean)
      row.forEach((other, j) => {
        matrix[i]![j] = matrix[i]![j]! + value * other
      })
    })
  }
  const x = gauss(matrix, right)
  return Array.from({ length: ACTIONS }, (_, a) =>
    Array.from({ length: columns }, (_, k) => x[k]! + x[columns * (1 + a) + k]!),
  )
}

function naive(rows: readonly Row[]) {
  const mean = rows.reduce((sum, { r }) => sum + r, 0) / rows.length
  const predict = (theta: number[][], { phi, a }: Row) =>
    theta[a]!.reduce((sum, value, k) => sum + value * phi[k]!, mean)
  const held = (columns: number) => {
    const tried = RIDGES.map((ridge) => {
      const fits = [0, 1].map((k) => naiveFit(half(rows, 1 - k), columns, ridge, mean))
      const predictions = rows.map((row, i) => predict(fits[i % 2]!, row))
      return { ridge, predictions, loss: rows.reduce((sum, { r }, i) => sum + (r - predictions[i]!) ** 2, 0) }
    })
    return tried.reduce((least, one) => (one.loss < least.loss ? one : least))
  }
  const [f0, f1] = [held(2), held(3)]
  const e = rows.map(({ r }, i) => r - f0.predictions[i]!)
  const d = rows.map((_, i) => f1.predictions[i]! - f0.predictions[i]!)
  const dot = (u: number[], v: number[]) => u.reduce((sum, value, i) => sum + value * v[i]!, 0)
  const sd = Math.sqrt((dot(d, d) * dot(e, e)) / rows.length)
  const slope = Math.min(1, Math.max(0, dot(e, d) - sd) / dot(d, d))
  const left = e.map((value, i) => value - slope * d[i]!)
  const plain = naiveFit(rows, 2, f0.ridge, mean)
  const rich = naiveFit(rows, 3, f1.ridge, mean)
  const value = (row: Row) => (1 - slope) * predict(plain, row) + slope * predict(rich, row)
  return { slope, explained: 1 - dot(left, left) / dot(e, e), value }
}

describe('the model of rewards by their signals', () => {
  const rows = world(120, true)
  const model = fitSignalModel([asRows(half(rows, 0)), asRows(half(rows, 1))], 1)!

  it('is the one that plain sums over rows give', () => {
    const { slope, explained, value } = naive(rows)
    expect(model.slope).toBeCloseTo(slope, 8)
    expect(model.explained).toBeCloseTo(explained, 8)
    expect(explained).toBeGreaterThan(0.5)
    for (const row of rows.slice(0, 10))
      expect(signalReward(model, row.a, Float64Array.from(row.phi.slice(1)), 0)).toBeCloseTo(value(row), 8)
  })

  it('gives a round less weight the more of them share its error, and never that of a final reward', () => {
    const weights = [1, 100, 10_000].map((count) => signalWeight(model, 0, Float64Array.of(0, 0.5), count))
    expect(weights[0]).toBeLessThan(1)
    expect(weights[0]).toBeGreaterThan(weights[1]!)
    expect(weights[1]).toBeGreaterThan(weights[2]!)
    // All together are worth at most rho / v.
    expect(10_000 * weights[2]!).toBeLessThan((100 * weights[1]!) / (1 - weights[1]!))
  })

  it('says nothing of few rounds, or where signals tell nothing', () => {
    expect(fitSignalModel([asRows(rows.slice(0, 15)), asRows(rows.slice(15, 30))], 1)).toBeNull()
    // One seed; noise that passes the half-standard-deviation bar by chance would have a weight near 0.
    const noise = world(400, false)
    const found = fitSignalModel([asRows(half(noise, 0)), asRows(half(noise, 1))], 1)
    expect(found?.explained ?? 0).toBeLessThan(0.02)
  })
})
