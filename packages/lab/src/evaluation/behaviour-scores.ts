// Held-out log odds of what was played, by class of behaviour models: a multinomial logit of the context, the covariates and whether they
// were missing (with squares and products of these in the wider class), or boosted trees of each action against the others.
// Trees give log P(a | x) by themselves, so that the softmax of their scores is their probability where they are right.

import { fitLogOdds, regressionOf } from '@primo/core/engine'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'
import type { EvaluationLog } from './evaluation-log.js'
import type { LoggedChoices } from './logged-choices.js'
import { fitLogit, logitScores } from './multinomial-logit.js'

export type BehaviourClass = 'linear' | 'products' | 'trees'

/** An action that could not be played has odds that no slope raises. */
const INELIGIBLE = -1000
/** Products need this many rows per column, and are left out beyond so many columns. */
const ROWS_PER_COLUMN = 10
const MAX_COLUMNS = 200

/** Columns in [-1, 1], the first 1. */
export interface BehaviourColumns {
  readonly rows: Float64Array
  readonly width: number
}

/** Classes that the log has rows enough for. */
export function behaviourClasses({ rounds, choices }: EvaluationLog): readonly BehaviourClass[] {
  const { contextWidth, covariateWidth, covariateCount } = rounds.shape
  const width = productsWidth(contextWidth + covariateWidth + covariateCount)
  const few = width > MAX_COLUMNS || width * ROWS_PER_COLUMN > choices.rows
  return few ? ['linear', 'trees'] : ['linear', 'products', 'trees']
}

/** scores[a][i] of action a in row i, by a model that did not see the row. */
export function behaviourScores(
  { choices }: EvaluationLog,
  kind: BehaviourClass,
  columns: BehaviourColumns,
  folds: Uint8Array,
  random: Random,
): readonly Float64Array[] {
  const { rows: n, actions, eligible } = choices
  const scores = Array.from({ length: actions }, () => new Float64Array(n))
  const count = folds.reduce((most, fold) => Math.max(most, fold), 0) + 1
  const row = new Float64Array(actions)
  const fit = kind === 'trees' ? treeScores(choices, columns, random) : logitRows(choices, columns)
  for (let fold = 0; fold < count; fold++) {
    const score = fit(Uint32Array.from(folds.keys()).filter((i) => folds[i] !== fold))
    for (let i = 0; i < n; i++) {
      if (folds[i] !== fold) continue
      score(i, row)
      for (let a = 0; a < actions; a++) scores[a]![i] = eligible?.[i * actions + a] === 0 ? INELIGIBLE : row[a]!
    }
  }
  return scores
}

type RowScores = (row: number, out: Float64Array) => void

function logitRows({ action, actions, eligible }: LoggedChoices, { rows, width }: BehaviourColumns) {
  let theta: Float64Array | null = null
  return (kept: Uint32Array): RowScores => {
    const fitted = fitLogit(
      {
        rows: taken(rows, width, kept),
        width,
        classes: Uint16Array.from(kept, (i) => action[i]!),
        count: actions,
        possible: eligible === null ? null : taken(eligible, actions, kept),
      },
      theta,
    )
    theta = fitted
    return (row, out) => logitScores(fitted, rows, row * width, width, out)
  }
}

function treeScores({ action, actions, eligible }: LoggedChoices, { rows, width }: BehaviourColumns, random: Random) {
  const regression = regressionOf(TREES)
  return (kept: Uint32Array): RowScores => {
    const step = Math.ceil(kept.length / MAX_TREE_ROWS)
    const some = step === 1 ? kept : kept.filter((_, k) => k % step === 0)
    const predictors = Array.from({ length: actions }, (_, a) => {
      const own = eligible === null ? some : some.filter((i) => eligible[i * actions + a] === 1)
      const targets = Float64Array.from(own, (i) => (action[i] === a ? 1 : 0))
      const table = { columns: width, count: own.length, inputs: taken(rows, width, own), targets, weights: null }
      return fitLogOdds(regression, table, random.split(a)).predictor
    })
    return (row, out) => {
      for (let a = 0; a < actions; a++) out[a] = -softplus(-predictors[a]!.row(rows, row * width))
    }
  }
}

/** Of more rows trees read some. */
const MAX_TREE_ROWS = 100_000
const TREES = { kind: 'trees', leaves: 6, rate: 0.1, rounds: 200 } as const

/** log(1 + e^t). */
function softplus(t: number): number {
  return Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)))
}

function taken<T extends Float64Array | Uint8Array>(rows: T, width: number, kept: Uint32Array): T {
  const out = rows.slice(0, kept.length * width) as T
  kept.forEach((i, k) => {
    for (let j = 0; j < width; j++) out[k * width + j] = rows[i * width + j]!
  })
  return out
}

function productsWidth(base: number): number {
  return 1 + base + (base * (base + 1)) / 2
}

export function behaviourColumns({ rounds, choices }: EvaluationLog, kind: BehaviourClass): BehaviourColumns {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = rounds.shape
  const base = p + m + c
  const width = kind === 'products' ? productsWidth(base) : 1 + base
  const rows = new Float64Array(choices.rows * width)
  for (let i = 0; i < choices.rows; i++) {
    const block = rounds.block(i)
    const row = i % BLOCK_ROUNDS
    const at = i * width
    rows[at] = 1
    for (let k = 0; k < p; k++) rows[at + 1 + k] = block.context[row * p + k]!
    for (let k = 0; k < m; k++) rows[at + 1 + p + k] = finite(block.covariates[row * m + k]!)
    for (let k = 0; k < c; k++) rows[at + 1 + p + m + k] = block.observed[row * c + k] === 1 ? 0 : 1
    if (kind !== 'products') continue
    let to = at + 1 + base
    for (let j = 0; j < base; j++) for (let k = j; k < base; k++) rows[to++] = rows[at + 1 + j]! * rows[at + 1 + k]!
  }
  return { rows, width }
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}
