// The fitted reward model of a function class and its scorer. Missing covariates, with what their imputation leaves open: predictions
// are averaged over 16 residuals when deciding (method#distribution). Several missing ones count as independent, their points paired in
// a fixed shuffled order.

import { type ClassOptions, compileModel, type ModelCompiler } from '../regression/function-class.js'
import type { Predictor } from '../regression/regression.js'
import type { RidgeOptions } from '../regression/ridge.js'
import type { HeldOutLoss } from '../regression/selector.js'
import { compileUsable, type UsableModel } from '../regression/usable-fit.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { normalPoints, RESIDUAL_POINTS } from '../residuals/residual-points.js'
import type { InputRow, RewardScorer } from './oracle.js'
import type { RewardClip } from './reward-clip.js'
import { actionWidths } from './reward-noise.js'

export interface ClassRewardModel {
  /** 'own': a user's class; its name is in the models. */
  readonly kind: Exclude<ClassOptions, RidgeOptions>['kind'] | 'own'
  readonly actions: 'separate' | 'feature'
  readonly indicator: boolean
  readonly contextWidth: number
  readonly covariateWidth: number
  /** Columns of each covariate. */
  readonly covariateWidths: readonly number[]
  /** One per action, or one for all. */
  readonly models: readonly UsableModel[]
  readonly clip: RewardClip | null
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  readonly rows: readonly number[]
  readonly weight: number
  readonly clippedShare: number
}

/** The selector's table of held-out losses of a fitted model, where it has one; by action where models are by action. */
export function heldOutOf({
  models,
}: Pick<ClassRewardModel, 'models'>): readonly (readonly HeldOutLoss[])[] | undefined {
  const tables = models.flatMap(({ model }) => (model.kind === 'select' ? [model.heldOut] : []))
  return tables.length === 0 ? undefined : tables
}

export function compileClass(
  model: ClassRewardModel,
  spread: readonly ResidualMoments[] = [],
  points: readonly (readonly number[] | null)[] = [],
  compile: ModelCompiler = compileModel,
): RewardScorer {
  const { contextWidth: p, covariateWidth: m, covariateWidths, indicator } = model
  const covariates = covariateWidths.length
  const c = indicator ? covariates : 0
  const actions = model.degreesOfFreedom.length
  const base = p + m + c
  const columns = base + (model.actions === 'feature' ? actions : 0)
  const predictors: readonly Predictor[] = model.models.map((usable) =>
    compileUsable(usable, compile(usable.model), columns),
  )
  const inputs = new Float64Array(columns)
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const bends = !model.models.every(isFlat)
  const open = bends ? openCovariates(covariateWidths, spread, points) : []
  const sums = new Float64Array(actions)
  const widths = actionWidths(model)

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
        sums.fill(0)
        for (let i = 0; i < RESIDUAL_POINTS; i++) {
          for (const { which, at, offsets } of open) {
            if (input.observed[row * covariates + which] === 1) continue
            inputs[p + at] = input.covariates[row * m + at]! + offsets[i]!
          }
          predict(out)
          for (let a = 0; a < actions; a++) sums[a] = sums[a]! + out[a]!
        }
        for (let a = 0; a < actions; a++) out[a] = sums[a]! / RESIDUAL_POINTS
      } else predict(out)
      for (let a = 0; a < actions; a++) out[a] = Math.min(max, Math.max(min, out[a]!))
    },
    widths: (out) => {
      out.set(widths)
    },
  }
}

function isFlat({ model }: UsableModel): boolean {
  return (model.kind === 'select' ? model.model : model).kind === 'constant'
}

interface OpenCovariate {
  readonly which: number
  readonly at: number
  readonly offsets: Float64Array
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
    const moments = spread[which] ?? null
    if (moments === null) return []
    const offsets = points[which] ?? normalPoints(moments[2] ?? 0)
    // 5 and 16 have no common divisor: i -> 5^which i + which is an order of the points.
    const step = 5 ** which % RESIDUAL_POINTS
    const order = offsets.map((_, i) => offsets[(step * i + which) % RESIDUAL_POINTS]!)
    return [{ which, at: own, offsets: Float64Array.from(order) }]
  })
}
