// Any function class as a reward class: one model per action, or one model with the action among its inputs (a column per action).
// Inputs are the context's columns, then the covariates', then (option) one indicator per missing covariate.
// An action with less than FEWEST rows, and any model without varying columns, predicts the pooled mean moved toward its own.
// Missing covariates, with what their imputation leaves open: fitted on the plug-in rows, predictions averaged over 16 residuals when
// deciding (SPEC H). Several missing ones: over 16 joint residual vectors where they are known, else as if independent, their
// points paired in a fixed shuffled order.
//   width_a = sigma sqrt(dof_a / n_a);  sigma^2 = (RSS + 5 v)/(max(n - dof, n/2) + 5), as in the linear class.

import type { Encoding } from '../data/encoding.js'
import type { RewardBatch, RewardRows } from '../data/reward-rows.js'
import { invalidOption, requireFinite, requireOptions } from '../errors.js'
import { asSpread, type ResidualMoments, type ResidualSpread, spreadScale } from '../imputation/residual-moments.js'
import { normalPoints, RESIDUAL_POINTS } from '../imputation/residual-points.js'
import type { Random } from '../random/random.js'
import { type ClassOptions, compileModel, regressionOf } from '../regression/function-class.js'
import type { Predictor, Regression, RegressionRows } from '../regression/regression.js'
import type { RidgeOptions } from '../regression/ridge.js'
import type { HeldOutLoss } from '../regression/selector.js'
import { compileUsable, fitUsable, type UsableModel } from '../regression/usable-fit.js'
import type { InputRow, Oracle, RewardScorer } from './oracle.js'

export interface RewardRoleOptions {
  /** One model per action ('separate', default), or one with the action as an input ('feature'). */
  readonly actions?: 'separate' | 'feature'
  /** 'intercept' adds one input per covariate that says whether it is missing; default 'none'. */
  readonly indicator?: 'none' | 'intercept'
  /** Range of predictions in units of the mean reward's range; default 0 to 1; null: no clip. */
  readonly clip?: { readonly min: number; readonly max: number } | null
}

/** A class other than the linear one, which has an oracle of its own. */
export type ClassOracleOptions = Exclude<ClassOptions, RidgeOptions> & RewardRoleOptions

export interface ClassRewardModel {
  readonly kind: ClassOracleOptions['kind']
  readonly actions: 'separate' | 'feature'
  readonly indicator: boolean
  readonly contextWidth: number
  readonly covariateWidth: number
  /** Columns of each covariate. */
  readonly covariateWidths: readonly number[]
  /** One per action, or one for all. */
  readonly models: readonly UsableModel[]
  readonly clip: { readonly min: number; readonly max: number } | null
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  readonly rows: readonly number[]
  readonly weight: number
  readonly clippedShare: number
}

const FEWEST = 10
const LARGEST_WIDTH = 1
const CLIP_SAMPLE = 512

interface ClassSettings {
  readonly regression: Regression
  readonly actions: 'separate' | 'feature'
  readonly indicator: boolean
  readonly clip: ClassRewardModel['clip']
  readonly covariateWidths: readonly number[]
}

export function classOracle(encoding: Encoding, options: ClassOracleOptions): Oracle {
  const { actions = 'separate', indicator = 'none', clip = { min: 0, max: 1 }, ...rest } = options
  if (actions !== 'separate' && actions !== 'feature')
    invalidOption('oracle.actions', '"separate" or "feature"', actions)
  if (indicator !== 'none' && indicator !== 'intercept')
    invalidOption('oracle.indicator', '"none" or "intercept" for this class', indicator)
  if (clip !== null) {
    requireOptions('oracle.clip', clip, ['min', 'max'])
    requireFinite('oracle.clip.min', clip.min)
    requireFinite('oracle.clip.max', clip.max)
    if (clip.max <= clip.min) invalidOption('oracle.clip.max', `greater than min (${clip.min})`, clip.max)
  }
  const regression = regressionOf(rest as ClassOptions)
  const covariateWidths = encoding.covariates.map(({ width }) => width)
  const settings: ClassSettings = { regression, actions, indicator: indicator === 'intercept', clip, covariateWidths }
  const count = encoding.actions.length
  const columns =
    encoding.contextWidth + encoding.covariateWidth + (settings.indicator ? encoding.covariates.length : 0)
  // With a model per action each has its share of the rows; rows split evenly is the least favourable for all together.
  const radius = (rows: number, constant16: boolean) =>
    regression.radius(columns, Math.max(1, rows / count), constant16)
  const hasRadius = actions === 'separate' && columns > 0 && radius(count, true) !== null
  return {
    kind: options.kind,
    dimension: count * (columns + 1),
    radius: hasRadius ? (rows, constant16) => radius(rows, constant16)! : null,
    fit: (rows, random) => fitClass(rows, settings, options.kind, random),
    compile: (model, spread, points) => compileClass(model as ClassRewardModel, spread, points),
  }
}

/** The selector's table of held-out losses of a fitted model, where it has one; by action where models are by action. */
export function heldOutOf({
  models,
}: Pick<ClassRewardModel, 'models'>): readonly (readonly HeldOutLoss[])[] | undefined {
  const tables = models.flatMap(({ model }) => (model.kind === 'select' ? [model.heldOut] : []))
  return tables.length === 0 ? undefined : tables
}

function fitClass(
  rows: RewardRows,
  settings: ClassSettings,
  kind: ClassRewardModel['kind'],
  random: Random,
): ClassRewardModel {
  const { regression, actions, clip, covariateWidths } = settings
  const tables = gather(rows, settings)
  const counts = tables.map((table) => table.count)
  const { weight, mean, variance } = pooled(tables)
  const layout = { contextWidth: rows.contextWidth, covariateWidth: rows.covariateWidth, covariateWidths }
  const together = actions === 'feature' ? [join(tables)] : tables
  const fits = together.map((table, a) => {
    const total = totalWeight(table)
    const used =
      actions === 'separate' && total < FEWEST ? { ...table, columns: 0, inputs: new Float64Array(0) } : table
    return fitUsable(regression, used, random.split('action', a), { otherwise: mean })
  })
  let residuals = 0
  together.forEach((table, a) => {
    const out = new Float64Array(table.count)
    fits[a]!.predictor.table(table.inputs, table.count, out)
    for (let i = 0; i < table.count; i++) {
      residuals += (table.weights === null ? 1 : table.weights[i]!) * (table.targets[i]! - out[i]!) ** 2
    }
  })
  const dimensions = fits.map(({ fitted }) => Math.min(fitted.model.effectiveDimension, fitted.model.weight))
  const all = counts.reduce((sum, count) => sum + count, 0)
  const degreesOfFreedom =
    actions === 'separate' ? dimensions : counts.map((count) => (all > 0 ? (dimensions[0]! * count) / all : 0))
  const dof = dimensions.reduce((sum, value) => sum + value, 0)
  const sigma = Math.max(1e-3, Math.sqrt((residuals + 5 * variance) / (Math.max(weight - dof, weight / 2) + 5)))
  const model: ClassRewardModel = {
    kind,
    actions,
    indicator: settings.indicator,
    ...layout,
    models: fits.map(({ fitted }) => fitted),
    clip,
    sigma,
    degreesOfFreedom,
    rows: counts,
    weight,
    clippedShare: 0,
  }
  return clip === null ? model : { ...model, clippedShare: clippedShare(model, rows, clip) }
}

/** One table per action: context, covariates, indicators, and a column per action where one model serves all. */
function gather(rows: RewardRows, { actions, indicator, covariateWidths }: ClassSettings): readonly RegressionRows[] {
  const { contextWidth: p, covariateWidth: m, actionCount } = rows
  const c = indicator ? covariateWidths.length : 0
  const columns = p + m + c + (actions === 'feature' ? actionCount : 0)
  const counts = new Uint32Array(actionCount)
  for (const { batch } of batchesOf(rows)) for (let i = 0; i < batch.count; i++) counts[batch.action[i]!]!++
  const tables = Array.from(counts, (count) => ({
    columns,
    count,
    inputs: new Float64Array(count * columns),
    targets: new Float64Array(count),
    weights: new Float64Array(count),
  }))
  const next = new Uint32Array(actionCount)
  let equal = true
  for (const { batch, decay } of batchesOf(rows)) {
    for (let i = 0; i < batch.count; i++) {
      const a = batch.action[i]!
      const { inputs, targets, weights } = tables[a]!
      const row = next[a]!++
      let to = row * columns
      for (let k = 0; k < p; k++) inputs[to++] = batch.context[i * p + k]!
      for (let k = 0; k < m; k++) inputs[to++] = batch.covariates[i * m + k]!
      for (let k = 0; k < c; k++) inputs[to++] = batch.observed[i * c + k] === 1 ? 0 : 1
      if (actions === 'feature') inputs[to + a] = 1
      targets[row] = batch.reward[i]!
      weights[row] = decay * (batch.weight === null ? 1 : batch.weight[i]!)
      if (weights[row] !== 1) equal = false
    }
  }
  return equal ? tables.map((table) => ({ ...table, weights: null })) : tables
}

function* batchesOf(rows: RewardRows): Iterable<{ readonly batch: RewardBatch; readonly decay: number }> {
  if (rows.parts === undefined) for (const batch of rows.batches) yield { batch, decay: 1 }
  else for (const { load, decay } of rows.parts) yield { batch: load(), decay }
}

function join(tables: readonly RegressionRows[]): RegressionRows {
  const { columns, weights } = tables[0]!
  const count = tables.reduce((sum, table) => sum + table.count, 0)
  const inputs = new Float64Array(count * columns)
  const targets = new Float64Array(count)
  const joined = weights === null ? null : new Float64Array(count)
  let first = 0
  for (const table of tables) {
    inputs.set(table.inputs, first * columns)
    targets.set(table.targets, first)
    joined?.set(table.weights!, first)
    first += table.count
  }
  return { columns, count, inputs, targets, weights: joined }
}

function totalWeight({ count, weights }: RegressionRows): number {
  return weights === null ? count : weights.reduce((sum, weight) => sum + weight, 0)
}

/** Weighted number, mean and variance of all rewards; the mean of nothing is the middle of [0, 1]. */
function pooled(tables: readonly RegressionRows[]): { weight: number; mean: number; variance: number } {
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

export function compileClass(
  model: ClassRewardModel,
  spread: readonly ResidualMoments[] = [],
  points: readonly (readonly number[] | null)[] = [],
): RewardScorer {
  const { contextWidth: p, covariateWidth: m, covariateWidths, indicator } = model
  const covariates = covariateWidths.length
  const c = indicator ? covariates : 0
  const actions = model.degreesOfFreedom.length
  const base = p + m + c
  const columns = base + (model.actions === 'feature' ? actions : 0)
  const predictors: readonly Predictor[] = model.models.map((usable) =>
    compileUsable(usable, compileModel(usable.model), columns),
  )
  const inputs = new Float64Array(columns)
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const open = openCovariates(covariateWidths, spread, points)
  const jointly = open.every(({ joint }) => joint !== null)
  const sums = new Float64Array(actions)
  const widths = Float64Array.from(model.degreesOfFreedom, (dof, a) =>
    Math.min(LARGEST_WIDTH, model.sigma * Math.sqrt(Math.max(1, dof) / Math.max(1, model.rows[a]!))),
  )

  function predict(out: Float64Array): void {
    if (model.actions === 'separate') {
      for (let a = 0; a < actions; a++) out[a] = predictors[a]!.row(inputs, 0)
      return
    }
    for (let a = 0; a < actions; a++) {
      inputs[base + a] = 1
      out[a] = predictors[0]!.row(inputs, 0)
      inputs[base + a] = 0
    }
  }

  return {
    scores: (input: InputRow, row, out) => {
      for (let k = 0; k < p; k++) inputs[k] = input.context[row * p + k]!
      for (let k = 0; k < m; k++) inputs[p + k] = input.covariates[row * m + k]!
      for (let k = 0; k < c; k++) inputs[p + m + k] = input.observed[row * c + k] === 1 ? 0 : 1
      let missing = 0
      for (const { which } of open) if (input.observed[row * covariates + which] !== 1) missing++
      if (missing > 0) {
        const together = missing > 1 && jointly
        sums.fill(0)
        for (let i = 0; i < RESIDUAL_POINTS; i++) {
          for (const { which, at, residual, offsets, joint } of open) {
            if (input.observed[row * covariates + which] === 1) continue
            const eta = together ? joint![i]! : offsets[i]!
            const sd = input.modelSd?.[row * covariates + which]
            inputs[p + at] = input.covariates[row * m + at]! + eta * spreadScale(residual, input.context, row * p, sd)
          }
          predict(out)
          for (let a = 0; a < actions; a++) sums[a] = sums[a]! + out[a]!
        }
        for (let a = 0; a < actions; a++) out[a] = sums[a]! / RESIDUAL_POINTS
      } else predict(out)
      for (let a = 0; a < actions; a++) out[a] = Math.min(max, Math.max(min, out[a]!))
    },
    widths: (out) => out.set(widths),
  }
}

interface OpenCovariate {
  readonly which: number
  readonly at: number
  readonly residual: ResidualSpread
  readonly offsets: Float64Array
  readonly joint: Float64Array | null
}

/** Numeric covariates whose residual is known, with their points; those of the second and later ones are shuffled. */
function openCovariates(
  widths: readonly number[],
  spread: readonly ResidualMoments[],
  points: readonly (readonly number[] | null)[],
): readonly OpenCovariate[] {
  let at = 0
  return widths.flatMap((width, which) => {
    const own = at
    at += width
    const residual = asSpread(spread[which])
    if (residual === null) return []
    const offsets = points[which] ?? normalPoints(residual.moments[2] ?? 0)
    // 5 and 16 have no common divisor: i -> 5^which i + which is an order of the points.
    const step = 5 ** which % RESIDUAL_POINTS
    const order = offsets.map((_, i) => offsets[(step * i + which) % RESIDUAL_POINTS]!)
    const joint = residual.joint?.length === RESIDUAL_POINTS ? Float64Array.from(residual.joint) : null
    return [{ which, at: own, residual, offsets: Float64Array.from(order), joint }]
  })
}

/** Share of all predictions on the newest rows that lie outside the clip. */
function clippedShare(model: ClassRewardModel, rows: RewardRows, clip: { min: number; max: number }): number {
  let newest: RewardBatch | undefined
  for (const { batch } of batchesOf(rows)) newest = batch
  if (newest === undefined) return 0
  const scorer = compileClass({ ...model, clip: null })
  const out = new Float64Array(model.degreesOfFreedom.length)
  const first = Math.max(0, newest.count - CLIP_SAMPLE)
  let outside = 0
  for (let row = first; row < newest.count; row++) {
    scorer.scores(newest, row, out)
    for (const value of out) if (value < clip.min || value > clip.max) outside++
  }
  return outside / ((newest.count - first) * out.length)
}
