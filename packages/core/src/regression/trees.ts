// Gradient-boosted trees (method#function-classes): histogram splits, weights, missing values, early stopping on held-out rows,
// deterministic. Round t fits a tree to what is left and adds `rate` times it. Squared loss: residual y - f, weight w. Log loss
// (targets 0 and 1): Newton's residual (y - p)/(p (1 - p)) with weight w p (1 - p), so a leaf is a Newton step. Held-out rows
// are chosen by a hash of what they say; the model ends at the round with the smallest held-out loss. Effective dimension: tr(I
// - prod_t (I - rate S_t)), S_t the averaging over the leaves of tree t, by one random probe of signs.

import type { Random } from '@primo/numeric'
import { invalidOption, requireAtLeast, requireInteger, requireOptions } from '@primo/numeric'
import type { Regression, RegressionRows } from './regression.js'
import { checkedRows, rowHashes, targetMean } from './regression-rows.js'
import { binColumns } from './tree-bins.js'
import { type Leaf, TreeGrower, type TreeNodes } from './tree-grower.js'
import { compileTrees, type TreesModel } from './trees-model.js'

export interface TreesOptions {
  readonly kind: 'trees'
  /** Most trees; default 100. */
  readonly rounds?: number
  /** Step of each tree; default 0.1. */
  readonly rate?: number
  /** Most leaves of a tree; default 31. */
  readonly leaves?: number
  /** Least weight of a leaf; default 20. */
  readonly minimumLeaf?: number
  /** Ridge of a leaf's value; default 1. */
  readonly ridge?: number
  /** Most bins of a column, 2 to 255; default 255. */
  readonly bins?: number
  /**
   * Early stopping: the share of rows held out, and after how many rounds without a better held-out loss to stop; default
   * 0.15 and 10. false: all rounds on all rows. Never with fewer than 40 rows.
   */
  readonly stop?: { readonly share?: number; readonly patience?: number } | false
}

interface TreesSettings {
  readonly rounds: number
  readonly rate: number
  readonly leaves: number
  readonly minimumLeaf: number
  readonly ridge: number
  readonly bins: number
  readonly stop: { readonly share: number; readonly patience: number } | null
}

const FEWEST_TO_STOP = 40

export function treesRegression(options: TreesOptions): Regression<TreesModel> {
  const settings = treesSettings(options)
  return {
    kind: 'trees',
    takesMissing: true,
    fit: (rows, random) => fitTrees(rows, settings, squaredLoss, random),
    fitLogOdds: (rows, random) => fitTrees(rows, settings, logLoss, random),
    compile: compileTrees,
    radius: () => null,
  }
}

function treesSettings(options: TreesOptions): TreesSettings {
  requireOptions('trees', options, ['kind', 'rounds', 'rate', 'leaves', 'minimumLeaf', 'ridge', 'bins', 'stop'])
  const { rounds = 100, rate = 0.1, leaves = 31, minimumLeaf = 20, ridge = 1, bins = 255, stop = {} } = options
  requireInteger('trees.rounds', rounds, 1)
  if (!(typeof rate === 'number' && rate > 0 && rate <= 1)) invalidOption('trees.rate', 'in (0, 1]', rate)
  requireInteger('trees.leaves', leaves, 2)
  if (!(typeof minimumLeaf === 'number' && minimumLeaf > 0 && Number.isFinite(minimumLeaf)))
    invalidOption('trees.minimumLeaf', '> 0', minimumLeaf)
  requireAtLeast('trees.ridge', ridge, 0)
  requireInteger('trees.bins', bins, 2)
  if (bins > 255) invalidOption('trees.bins', 'at most 255', bins)
  if (stop === false) return { rounds, rate, leaves, minimumLeaf, ridge, bins, stop: null }
  requireOptions('trees.stop', stop, ['share', 'patience'])
  const { share = 0.15, patience = 10 } = stop
  if (!(typeof share === 'number' && share > 0 && share < 1)) invalidOption('trees.stop.share', 'in (0, 1)', share)
  requireInteger('trees.stop.patience', patience, 1)
  return { rounds, rate, leaves, minimumLeaf, ridge, bins, stop: { share, patience } }
}

interface Loss {
  /** Where boosting starts, given the mean target. */
  readonly start: (mean: number) => number
  /** Writes w r of each row, and w where the loss has weights of its own. */
  readonly step: (state: BoostingState, rows: Int32Array) => void
  readonly value: (target: number, prediction: number) => number
  readonly changesWeights: boolean
}

interface BoostingState {
  readonly targets: Float64Array
  readonly given: Float64Array | null
  readonly predictions: Float64Array
  readonly products: Float64Array
  readonly weights: Float64Array
}

const squaredLoss: Loss = {
  start: (mean) => mean,
  step: ({ targets, given, predictions, products }, rows) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      const residual = targets[row]! - predictions[row]!
      products[row] = given === null ? residual : given[row]! * residual
    }
  },
  value: (target, prediction) => (target - prediction) ** 2,
  changesWeights: false,
}

const logLoss: Loss = {
  start: (mean) => {
    const share = Math.min(1 - 1e-6, Math.max(1e-6, mean))
    return Math.log(share / (1 - share))
  },
  step: ({ targets, given, predictions, products, weights }, rows) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      const p = 1 / (1 + Math.exp(-predictions[row]!))
      const own = given === null ? 1 : given[row]!
      products[row] = own * (targets[row]! - p)
      weights[row] = own * Math.max(1e-6, p * (1 - p))
    }
  },
  value: (target, t) => Math.log1p(Math.exp(-Math.abs(t))) + Math.max(t, 0) - target * t,
  changesWeights: true,
}

function fitTrees(given: RegressionRows, settings: TreesSettings, loss: Loss, random: Random): TreesModel {
  const rows = checkedRows(given, true)
  const { columns, count, targets } = rows
  const { weight, mean } = targetMean(rows)
  const start = rows.start ?? loss.start(mean)
  const hashes = rowHashes(rows, random)
  const { training, held, signs } = divide(hashes, settings)
  const probe: Probe = { signs, values: Float64Array.from(signs) }
  const columnsBinned = binColumns(rows, settings.bins, hashes)
  const state: BoostingState = {
    targets,
    given: rows.weights,
    predictions: new Float64Array(count).fill(start),
    products: new Float64Array(count),
    weights: loss.changesWeights ? new Float64Array(count) : (rows.weights ?? new Float64Array(0)),
  }
  const weights = loss.changesWeights ? state.weights : rows.weights
  // A Newton weight is at most 1/4 of the row's own.
  const minimumLeaf = loss.changesWeights ? settings.minimumLeaf / 4 : settings.minimumLeaf
  const grower = new TreeGrower(columnsBinned, count, training, {
    ...settings,
    minimumLeaf,
    weightsStay: !loss.changesWeights,
  })
  const nodes: TreeNodes = { feature: [], value: [], left: [], missingLeft: [] }
  const roots: number[] = []
  const heldOut: number[] = []
  const dimensions: number[] = []
  let left = training.length
  let best = 0
  let leastGain = 0
  for (let round = 0; round < settings.rounds; round++) {
    // The squared loss keeps its residuals up to date leaf by leaf.
    if (round === 0 || loss.changesWeights) loss.step(state, grower.rows)
    if (round === 0) leastGain = 1e-12 * squares(state.products, weights, grower.rows)
    roots.push(nodes.feature.length)
    const leaves = grower.grow(state.products, weights, nodes, leastGain)
    for (const leaf of leaves) {
      left += applyLeaf(leaf, grower.rows, nodes, settings, state, weights, probe, !loss.changesWeights)
    }
    dimensions.push(training.length - left)
    if (held.length > 0) {
      heldOut.push(heldOutLoss(rows, held, roots.at(-1)!, nodes, state, loss))
      if (heldOut.at(-1)! < heldOut[best]!) best = round
      if (round - best >= settings.stop!.patience) break
    } else best = round
    if (leaves.length === 1) break
  }
  const kept = Math.min(best + 1, roots.length)
  const end = roots[kept] ?? nodes.feature.length
  return {
    kind: 'trees',
    columns,
    start,
    roots: roots.slice(0, kept),
    feature: nodes.feature.slice(0, end),
    value: nodes.value.slice(0, end),
    left: nodes.left.slice(0, end),
    missingLeft: nodes.missingLeft.slice(0, end),
    heldOut,
    effectiveDimension: Math.max(
      1,
      Math.min(training.length, (dimensions[kept - 1] ?? 0) + (given.start === undefined ? 1 : 0)),
    ),
    weight,
  }
}

/** Training rows, held-out rows, and the signs of the probe, all by the hash of what a row says. */
function divide(hashes: Float64Array, { stop }: TreesSettings) {
  const count = hashes.length
  const limit = stop === null || count < FEWEST_TO_STOP ? 0 : Math.floor(stop.share * 65536)
  const training = new Int32Array(count)
  const held = new Int32Array(count)
  const signs = new Int8Array(count)
  let kept = 0
  let out = 0
  for (let i = 0; i < count; i++) {
    const hash = hashes[i]!
    signs[i] = hash % 2 === 0 ? 1 : -1
    if (Math.floor(hash / 2) % 65536 < limit) held[out++] = i
    else training[kept++] = i
  }
  // All or nothing on one side says nothing: then no rows are held out.
  if (kept < 2 || out === 0) {
    for (let i = 0; i < count; i++) training[i] = i
    return { training, held: held.subarray(0, 0), signs }
  }
  return { training: training.slice(0, kept), held: held.slice(0, out), signs }
}

function squares(products: Float64Array, weights: Float64Array | null, rows: Int32Array): number {
  let sum = 0
  for (const row of rows) sum += (products[row]! * products[row]!) / (weights === null ? 1 : weights[row]!)
  return sum
}

/** The random signs e, and u = prod (I - rate S) e so far: e'u estimates the trace of the product. */
interface Probe {
  readonly signs: Int8Array
  readonly values: Float64Array
}

/** Adds a leaf to the predictions (or takes it from the residuals) of its rows and averages the probe over them; returns the change of e'u. */
function applyLeaf(
  { node, from, to }: Leaf,
  rows: Int32Array,
  nodes: TreeNodes,
  { rate, ridge }: TreesSettings,
  { predictions, products }: BoostingState,
  weights: Float64Array | null,
  { signs, values }: Probe,
  keepsResiduals: boolean,
): number {
  const value = rate * nodes.value[node]!
  nodes.value[node] = value
  let sum = 0
  let weight = 0
  let signSum = 0
  if (keepsResiduals && weights === null) {
    weight = to - from
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      products[row] = products[row]! - value
      sum += values[row]!
      signSum += signs[row]!
    }
  } else
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      const own = weights === null ? 1 : weights[row]!
      if (keepsResiduals) products[row] = products[row]! - own * value
      else predictions[row] = predictions[row]! + value
      sum += own * values[row]!
      weight += own
      signSum += signs[row]!
    }
  const step = (rate * sum) / (weight + ridge)
  for (let i = from; i < to; i++) {
    const row = rows[i]!
    values[row] = values[row]! - step
  }
  return -step * signSum
}

/** Adds the newest tree to the held-out rows' predictions; returns their weighted mean loss. */
function heldOutLoss(
  { columns, inputs, weights, targets }: RegressionRows,
  held: Int32Array,
  root: number,
  { feature, value, left, missingLeft }: TreeNodes,
  { predictions }: BoostingState,
  loss: Loss,
): number {
  let sum = 0
  let total = 0
  for (let i = 0; i < held.length; i++) {
    const row = held[i]!
    let node = root
    while (feature[node]! >= 0) {
      const x = inputs[row * columns + feature[node]!]!
      const goesLeft = Number.isNaN(x) ? missingLeft[node] === 1 : x <= value[node]!
      node = left[node]! + (goesLeft ? 0 : 1)
    }
    predictions[row] = predictions[row]! + value[node]!
    const own = weights === null ? 1 : weights[row]!
    sum += own * loss.value(targets[row]!, predictions[row]!)
    total += own
  }
  return sum / total
}
