// The rows of a reward fit as tables of inputs and targets, one per action.

import type { RegressionRows } from '../regression/regression.js'
import type { RewardRows } from '../rounds/reward-rows.js'

export interface TableLayout {
  readonly actions: 'separate' | 'feature'
  /** Whether there is a column per covariate that says whether it is missing. */
  readonly indicator: boolean
  /** Columns of each covariate. */
  readonly covariateWidths: readonly number[]
}

/** A table of one action's rows; the importance of a row is 1/propensity, so that contexts in which the action is rare count. */
export interface ActionTable extends RegressionRows {
  readonly importance: Float64Array
}

const MAX_IMPORTANCE = 10

/** One table per action: context, covariates, indicators, and a column per action where one model serves all. */
export function actionTables(
  rows: RewardRows,
  { actions, indicator, covariateWidths }: TableLayout,
): readonly ActionTable[] {
  const { contextWidth: p, covariateWidth: m, actionCount } = rows
  const c = indicator ? covariateWidths.length : 0
  const columns = p + m + c + (actions === 'feature' ? actionCount : 0)
  const counts = new Uint32Array(actionCount)
  for (const batch of rows.batches) for (let i = 0; i < batch.count; i++) counts[batch.action[i]!]!++
  const tables = Array.from(counts, (count) => ({
    columns,
    count,
    inputs: new Float64Array(count * columns),
    targets: new Float64Array(count),
    weights: new Float64Array(count),
    importance: new Float64Array(count),
  }))
  const next = new Uint32Array(actionCount)
  let equal = true
  for (const batch of rows.batches) {
    for (let i = 0; i < batch.count; i++) {
      const a = batch.action[i]!
      const { inputs, targets, weights, importance } = tables[a]!
      const row = next[a]!++
      let to = row * columns
      for (let k = 0; k < p; k++) inputs[to++] = batch.context[i * p + k]!
      for (let k = 0; k < m; k++) inputs[to++] = batch.covariates[i * m + k]!
      for (let k = 0; k < c; k++) inputs[to++] = batch.observed[i * c + k] === 1 ? 0 : 1
      if (actions === 'feature') inputs[to + a] = 1
      targets[row] = batch.reward[i]!
      importance[row] = Math.min(MAX_IMPORTANCE, 1 / (batch.propensity?.[i] ?? 1))
      weights[row] = batch.weight === null ? 1 : batch.weight[i]!
      if (weights[row] !== 1) equal = false
    }
  }
  return equal ? tables.map((table) => ({ ...table, weights: null })) : tables
}

/** All tables as one. */
export function joinTables(tables: readonly ActionTable[]): ActionTable {
  const { columns, weights } = tables[0]!
  const count = tables.reduce((sum, table) => sum + table.count, 0)
  const inputs = new Float64Array(count * columns)
  const targets = new Float64Array(count)
  const importance = new Float64Array(count)
  const joined = weights === null ? null : new Float64Array(count)
  let first = 0
  for (const table of tables) {
    inputs.set(table.inputs, first * columns)
    targets.set(table.targets, first)
    importance.set(table.importance, first)
    joined?.set(table.weights!, first)
    first += table.count
  }
  return { columns, count, inputs, targets, weights: joined, importance }
}

export function totalWeight({ count, weights }: RegressionRows): number {
  return weights === null ? count : weights.reduce((sum, weight) => sum + weight, 0)
}

/** Weighted number, mean and variance of all rewards; the mean of nothing is the middle of [0, 1]. */
export function pooledRewards(tables: readonly RegressionRows[]): { weight: number; mean: number; variance: number } {
  let weight = 0
  let sum = 0
  for (const table of tables) {
    for (let i = 0; i < table.count; i++) {
      const own = table.weights === null ? 1 : table.weights[i]!
      weight += own
      sum += own * table.targets[i]!
    }
  }
  const mean = weight > 0 ? sum / weight : 0.5
  let square = 0
  for (const table of tables) {
    for (let i = 0; i < table.count; i++) {
      square += (table.weights === null ? 1 : table.weights[i]!) * (table.targets[i]! - mean) ** 2
    }
  }
  return { weight, mean, variance: weight > 0 ? square / weight : 0.25 }
}
