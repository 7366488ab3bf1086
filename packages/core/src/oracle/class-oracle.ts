// Any function class as a reward class: one model per action, or one model with the action among its inputs (a column per action).
// Inputs are the context's columns, then the covariates', then (option) one indicator per missing covariate. Missing covariates
// are fitted on the plug-in rows.
// An action with less than FEWEST rows, and any model without varying columns, predicts the pooled mean moved toward its own.

import type { Random } from '@primo/numeric'
import { invalidOption } from '@primo/numeric'
import type { Encoding } from '../problem/encoding.js'
import type { NamedCode } from '../problem/own-code.js'
import { type ClassOptions, compilerOf, regressionOf } from '../regression/function-class.js'
import type { RegressionClass } from '../regression/own-class.js'
import type { Regression } from '../regression/regression.js'
import type { RidgeOptions } from '../regression/ridge.js'
import { fitUsable } from '../regression/usable-fit.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import { actionTables, joinTables, pooledRewards, type TableLayout, totalWeight } from './action-tables.js'
import { type ClassRewardModel, compileClass } from './class-model.js'
import { clippedShare } from './clipped-share.js'
import type { Oracle, RewardModel } from './oracle.js'
import { type RewardClip, requireClip } from './reward-clip.js'
import { residualSigma } from './reward-noise.js'

interface RewardRoleOptions {
  /** One model per action ('separate', default), or one with the action as an input ('feature'). */
  readonly actions?: 'separate' | 'feature'
  /** 'intercept' adds one input per covariate that says whether it is missing; default 'none'. */
  readonly indicator?: 'none' | 'intercept'
  /** Range of predictions in units of the mean reward's range; default 0 to 1; null: no clip. */
  readonly clip?: RewardClip | null
}

/** A class other than the linear one, which has an oracle of its own. */
export type ClassOracleOptions = Exclude<ClassOptions, RidgeOptions> & RewardRoleOptions

/** A function class of a user's as reward model, by itself or by name. */
export type OwnOracleOptions = (RegressionClass | NamedCode) & RewardRoleOptions

const FEWEST = 10

interface ClassSettings extends TableLayout {
  readonly regression: Regression
  readonly clip: RewardClip | null
}

/** `use`: classes of users that the options may name. */
export function classOracle(
  encoding: Encoding,
  options: ClassOracleOptions | (NamedCode & RewardRoleOptions),
  use: readonly RegressionClass[] = [],
): Oracle {
  const { actions = 'separate', indicator = 'none', clip = { min: 0, max: 1 }, ...rest } = options
  if (actions !== 'separate' && actions !== 'feature')
    invalidOption('oracle.actions', '"separate" or "feature"', actions)
  if (indicator !== 'none' && indicator !== 'intercept')
    invalidOption('oracle.indicator', '"none" or "intercept" for this class', indicator)
  requireClip(clip)
  const kind = use.some((own) => own.kind === options.kind) ? 'own' : (options as ClassOracleOptions).kind
  const regression = regressionOf(rest as ClassOptions | NamedCode, use, 'oracle')
  const compile = compilerOf(regression)
  const covariateWidths = encoding.covariates.map(({ width }) => width)
  const settings: ClassSettings = {
    regression,
    actions,
    indicator: indicator === 'intercept',
    clip,
    covariateWidths,
  }
  const count = encoding.actions.length
  const columns =
    encoding.contextWidth + encoding.covariateWidth + (settings.indicator ? encoding.covariates.length : 0)
  // With a model per action each has its share of the rows; rows split evenly is the least favourable for all together.
  const radius = (rows: number, constant16: boolean) =>
    regression.radius(columns, Math.max(1, rows / count), constant16)
  const hasRadius = actions === 'separate' && columns > 0 && radius(count, true) !== null
  return {
    kind,
    dimension: count * (columns + 1),
    radius: hasRadius ? (rows, constant16) => radius(rows, constant16)! : null,
    fit: (rows, random, before = null) => fitClass(rows, settings, kind, random, before),
    compile: (model, spread, points) => compileClass(model as ClassRewardModel, spread, points, compile),
  }
}

function fitClass(
  rows: RewardRows,
  settings: ClassSettings,
  kind: ClassRewardModel['kind'],
  random: Random,
  last: RewardModel | null,
): ClassRewardModel {
  const { regression, actions, covariateWidths } = settings
  const before = last?.kind === kind ? (last as ClassRewardModel) : null
  const tables = actionTables(rows, settings)
  const counts = tables.map((table) => table.count)
  const { weight, mean, variance } = pooledRewards(tables)
  const layout = { contextWidth: rows.contextWidth, covariateWidth: rows.covariateWidth, covariateWidths }
  const together = actions === 'feature' ? [joinTables(tables)] : tables
  const fits = together.map((table, a) => {
    const few = actions === 'separate' && totalWeight(table) < FEWEST
    const used = few ? { ...table, columns: 0, inputs: new Float64Array(0) } : table
    return fitUsable(regression, used, random.split('action', a), {
      otherwise: mean,
      before: before?.models[a]?.model,
    })
  })
  const residuals = tables.map((table, a) => {
    const out = new Float64Array(table.count)
    fits[actions === 'feature' ? 0 : a]!.predictor.table(table.inputs, table.count, out)
    let sum = 0
    for (let i = 0; i < table.count; i++) {
      const own = table.weights === null ? 1 : table.weights[i]!
      sum += own * (table.targets[i]! - out[i]!) ** 2
    }
    return sum
  })
  const dimensions = fits.map(({ fitted }) => Math.min(fitted.model.effectiveDimension, fitted.model.weight))
  const all = counts.reduce((sum, count) => sum + count, 0)
  const degreesOfFreedom = counts.map((count, a) => {
    return actions === 'separate' ? dimensions[a]! : all > 0 ? (dimensions[0]! * count) / all : 0
  })
  const fit = {
    residuals: residuals.reduce((sum, value) => sum + value, 0),
    variance,
    weight,
    degreesOfFreedom: degreesOfFreedom.reduce((sum, value) => sum + value, 0),
  }
  const { clip } = settings
  const model: ClassRewardModel = {
    kind,
    actions,
    indicator: settings.indicator,
    ...layout,
    models: fits.map(({ fitted }) => fitted),
    clip,
    sigma: residualSigma(fit),
    degreesOfFreedom,
    rows: counts,
    weight,
    clippedShare: 0,
  }
  if (clip === null) return model
  const scorer = compileClass({ ...model, clip: null }, [], [], compilerOf(regression))
  return { ...model, clippedShare: clippedShare(rows, clip, scorer) }
}
