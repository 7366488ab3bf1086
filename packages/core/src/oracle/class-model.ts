// The fitted reward model of a function class and its scorer. Missing covariates, with what their imputation leaves open: predictions
// are averaged over 16 residuals when deciding (method#distribution). Several missing ones: over 16 joint residual vectors
// where they are known, else as if independent, their points paired in a fixed shuffled order.
// With a linear base (method#classes-on-a-base) f-hat = base + class, or the class alone where it has a shape of its own, and a width is
// that of the base, times sqrt(dof_a / dof of the base) where that is more than 1: a class that bends is never surer than a line.

import { type ClassOptions, compileModel, type ModelCompiler } from '../regression/function-class.js'
import type { Predictor } from '../regression/regression.js'
import type { RidgeOptions } from '../regression/ridge.js'
import type { HeldOutLoss } from '../regression/selector.js'
import { compileUsable, type UsableModel } from '../regression/usable-fit.js'
import { asSpread, type ResidualMoments, type ResidualSpread, spreadScale } from '../residuals/residual-moments.js'
import { normalPoints, RESIDUAL_POINTS } from '../residuals/residual-points.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import type { InputRow, RewardScorer } from './oracle.js'
import type { RewardClip } from './reward-clip.js'
import { type ActionNoise, actionWidths, LARGEST_WIDTH } from './reward-noise.js'

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
  /** The linear model that widths come from; absent: one width per action. */
  readonly base?: LinearModel
  /** Whether predictions are added to the base's. */
  readonly adds?: boolean
  readonly clip: RewardClip | null
  readonly sigma: number
  /** By action; absent: not kept. */
  readonly noise?: ActionNoise
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
  const jointly = open.every(({ joint }) => joint !== null)
  const sums = new Float64Array(actions)
  const widths = actionWidths(model)
  const line = model.base === undefined ? null : compileBase(model, model.base, spread)
  const scored = new Float64Array(actions)

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
      line?.scores(input, row, scored)
      if (model.adds === true) for (let a = 0; a < actions; a++) out[a] = out[a]! + scored[a]!
      for (let a = 0; a < actions; a++) out[a] = Math.min(max, Math.max(min, out[a]!))
    },
    widths: (out) => {
      if (line === null) out.set(widths)
      else line.widths(out)
    },
  }
}

function isFlat({ model }: UsableModel): boolean {
  return (model.kind === 'select' ? model.model : model).kind === 'constant'
}

/** The base unclipped, with widths for the whole model. */
function compileBase(model: ClassRewardModel, base: LinearModel, spread: readonly ResidualMoments[]): RewardScorer {
  const scorer = compileLinear({ ...base, clip: null, sigma: model.sigma }, spread)
  const { unit = LARGEST_WIDTH } = base
  const factors = Float64Array.from(model.degreesOfFreedom, (dof, a) =>
    Math.sqrt(Math.max(1, dof / Math.max(1, base.degreesOfFreedom[a]!))),
  )
  return {
    scores: scorer.scores,
    widths: (out) => {
      scorer.widths(out)
      for (let a = 0; a < factors.length; a++) out[a] = Math.min(unit, out[a]! * factors[a]!)
    },
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
