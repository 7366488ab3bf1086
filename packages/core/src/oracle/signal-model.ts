// What signals say of a reward that is not final yet (method#early-signals; beyond the paper). On closed rounds, two linear models with a
// part that all actions share: f0 of (x, z) alone, f1 of (x, z, signals). Each half of the rounds judges what the other half fitted:
//   e = r - f0,  d = f1 - f0,   lambda = max(0, sum e d - sd) / sum d^2, at most 1,   sd = root(sum d^2 sum e^2 / n),
//   rho = 1 - sum (e - lambda d)^2 / sum e^2, the share of the noise that signals explain.
// A round that is open and has all its signals counts as one of reward f0 + lambda (f1 - f0) with weight
//   rho / (rho + n_a v_a),  n_a such rounds of the action, v_a the variance of f1's mean over them, in units of that of e:
// what signals tell over that and the error that all these rounds share. None counts more than a final reward, and together they say
// no more than the closed rounds say of f1. All of it comes from sums over closed rounds.

import { addSums, copySums, emptySums, residualSum, type Sums } from '@primo/numeric'
import type { RewardRows } from '../rounds/reward-rows.js'
import { actionSums } from './action-sums.js'
import type { Design } from './design.js'
import { pooledRewards } from './pooled-rewards.js'
import { solveActions } from './solve-actions.js'

/** Of [1, x, z, signals], by action; all rewards in units of the mean reward's range. */
export interface SignalModel {
  /** Coefficients of f0 + lambda (f1 - f0). */
  readonly coefficients: readonly Float64Array[]
  /** Covariance of f1's coefficients over sigma^2. */
  readonly covariance: readonly Float64Array[]
  /** Closed rounds behind it. */
  readonly rows: number
  /** lambda and rho. */
  readonly slope: number
  readonly explained: number
}

/** Ridges of what an action has of its own; held-out rewards choose. The shared part has the least of them. */
const RIDGES = [1, 30, 1000]
const SHARED = 1
/** Fewer closed rounds with signals say nothing. */
const FEWEST = 40

/** `halves`: closed rounds, [x, z, signals] as their context, in two halves. null: signals say nothing yet. */
export function fitSignalModel(halves: readonly RewardRows[], signalWidth: number): SignalModel | null {
  const rows = halves.reduce((sum, { count }) => sum + count, 0)
  if (rows < FEWEST) return null
  const width = halves[0]!.contextWidth
  const design: Design = {
    contextWidth: width,
    covariateWidth: 0,
    covariateCount: 0,
    owners: [],
    products: [],
    indicator: 'none',
  }
  const sums = halves.map((half) => actionSums(half, design))
  const all = sums[0]!.map((first, a) => {
    const sum = copySums(first)
    addSums(sum, sums[1]![a]!)
    return sum
  })
  const { mean } = pooledRewards(all)
  const base = width + 1 - signalWidth
  const plain = best(sums, RIDGES, (fitted, ridge) => fitPlain(fitted, base, ridge, mean), mean)
  const rich = best(sums, RIDGES, (fitted, ridge) => solve(fitted, ridge, mean).theta, mean)
  let [ee, ed, dd] = [0, 0, 0]
  for (const [k, judge] of sums.entries()) {
    const [f0, f1] = [plain.fits[k]!, rich.fits[k]!]
    for (const [a, sum] of judge.entries()) {
      const loss0 = residualSum(sum, f0[a]!, mean)
      const between = f1[a]!.map((value, i) => value - f0[a]![i]!)
      const spread = form(sum, between)
      ee += loss0
      dd += spread
      // |e - d|^2 = |e|^2 - 2 e'd + |d|^2.
      ed += (loss0 + spread - residualSum(sum, f1[a]!, mean)) / 2
    }
  }
  const slope = dd > 0 ? Math.min(1, Math.max(0, ed - Math.sqrt((dd * ee) / rows)) / dd) : 0
  const explained = ee > 0 ? Math.max(0, (2 * slope * ed - slope * slope * dd) / ee) : 0
  if (explained === 0) return null
  const f0 = fitPlain(all, base, plain.ridge, mean)
  const { theta: f1, covariance } = solve(all, rich.ridge, mean)
  const coefficients = f1.map((theta, a) => {
    const mixed = theta.map((value, i) => f0[a]![i]! + slope * (value - f0[a]![i]!))
    mixed[0] = mixed[0]! + mean
    return mixed
  })
  return { coefficients, covariance, rows, slope, explained }
}

function solve(sums: readonly Sums[], ridge: number, mean: number) {
  const ridges = new Array<number>(sums[0]!.columns).fill(ridge)
  return solveActions(sums, { ridges, shared: SHARED }, mean)
}

/** The fit of the first columns alone, zero elsewhere. */
function fitPlain(sums: readonly Sums[], base: number, ridge: number, mean: number): readonly Float64Array[] {
  const { theta } = solve(
    sums.map((sum) => firstColumns(sum, base)),
    ridge,
    mean,
  )
  return theta.map((values) => {
    const padded = new Float64Array(sums[0]!.columns)
    padded.set(values)
    return padded
  })
}

type Fit = (fitted: readonly Sums[], ridge: number) => readonly Float64Array[]

/** The ridge whose fits of one half predict the other best; fits[k] is judged by half k. */
function best(sums: readonly (readonly Sums[])[], ridges: readonly number[], fit: Fit, mean: number) {
  const tried = ridges.map((ridge) => {
    const fits = sums.map((_, k) => fit(sums[1 - k]!, ridge))
    const loss = sums.reduce(
      (total, judge, k) => total + judge.reduce((sum, own, a) => sum + residualSum(own, fits[k]![a]!, mean), 0),
      0,
    )
    return { ridge, fits, loss }
  })
  return tried.reduce((least, one) => (one.loss < least.loss ? one : least))
}

function firstColumns(sums: Sums, columns: number): Sums {
  const { count, weight, gram } = sums
  const part = { ...emptySums(columns), count, weight }
  const from = sums.columns + 1
  const kept = [...Array.from({ length: columns }, (_, k) => k), sums.columns]
  for (const [i, row] of kept.entries())
    for (const [j, column] of kept.entries()) if (j >= i) part.gram[i * (columns + 1) + j] = gram[row * from + column]!
  return part
}

/** v'Gv. */
function form(sums: Sums, v: Float64Array): number {
  const width = sums.columns + 1
  let total = 0
  for (let i = 0; i < v.length; i++) {
    total += v[i]! * v[i]! * sums.gram[i * width + i]!
    for (let j = i + 1; j < v.length; j++) total += 2 * v[i]! * v[j]! * sums.gram[i * width + j]!
  }
  return Math.max(0, total)
}

/** The weight of each of `count` open rounds of an action whose mean row is `row`. */
export function signalWeight(model: SignalModel, action: number, row: Float64Array, count: number): number {
  const { covariance, explained } = model
  const phi = Float64Array.from([1, ...row])
  const matrix = covariance[action]!
  let total = 0
  for (let i = 0; i < phi.length; i++)
    for (let j = 0; j < phi.length; j++) total += phi[i]! * phi[j]! * matrix[i * phi.length + j]!
  return explained / (explained + count * (1 - explained) * Math.max(0, total))
}

/** The predicted reward of a row at values[at ...]. */
export function signalReward({ coefficients }: SignalModel, action: number, values: Float64Array, at: number): number {
  const theta = coefficients[action]!
  let sum = theta[0]!
  for (let k = 1; k < theta.length; k++) sum += theta[k]! * values[at + k - 1]!
  return sum
}
