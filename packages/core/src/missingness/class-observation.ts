// e(x) by any function class (method#observation-model). Squared loss: the class's fit of b, clipped to [floor, 1] (the
// projection never increases the expected squared loss). Likelihood: log odds (regression/log-odds.ts). Recalibration:
// isotonic regression of b on scores that were cross-fitted on two halves, so that it does not repeat the overfit.

import type { Random } from '@primo/numeric'
import { poolAdjacentViolators } from '@primo/numeric'
import { type CompiledCurve, type Curve, compileCurve } from '../regression/curve.js'
import { columnPoints } from '../regression/curve-fit.js'
import { type ClassOptions, compileModel, regressionOf } from '../regression/function-class.js'
import { fitLogOdds, logistic } from '../regression/log-odds.js'
import type { Predictor, RegressionRows } from '../regression/regression.js'
import { rowFolds, rowsAt } from '../regression/regression-rows.js'
import { compileUsable, fitUsable, type UsableModel } from '../regression/usable-fit.js'
import type { ObservationRows } from './fit-observation.js'
import { clipProbability, type ObservationSettings } from './observation-model.js'

export interface ClassObservation {
  readonly kind: 'class'
  readonly class: string
  /** Whether the model gives log odds or the probability itself. */
  readonly scale: 'log-odds' | 'probability'
  readonly contextWidth: number
  readonly fitted: UsableModel
  /** From the model's probability to the recalibrated one; null: as it is. */
  readonly recalibration: Curve | null
  readonly floor: number
}

export function fitClassObservation(
  rows: ObservationRows,
  options: ClassOptions,
  { loss, floor, recalibration }: ObservationSettings,
  random: Random,
): ClassObservation {
  const table = tableOf(rows)
  const regression = regressionOf(options)
  const logOdds = loss === 'likelihood'
  const fit = (given: RegressionRows, label: string) =>
    logOdds ? fitLogOdds(regression, given, random.split(label)) : fitUsable(regression, given, random.split(label))
  const scale = logOdds ? 'log-odds' : 'probability'
  const { fitted } = fit(table, 'all')
  let curve: Curve | null = null
  if (recalibration === 'isotonic') {
    const scores = new Float64Array(table.count)
    const folds = rowFolds({ ...table, targets: new Float64Array(table.count) }, 2, random.split('halves'))
    for (const half of [0, 1]) {
      const inside: number[] = []
      const outside: number[] = []
      folds.forEach((own, i) => {
        ;(own === half ? inside : outside).push(i)
      })
      const { predictor } = fit(rowsAt(table, Uint32Array.from(outside)), `without half ${half}`)
      for (const i of inside) scores[i] = probabilityOf(predictor.row(table.inputs, i * table.columns), scale)
    }
    curve = isotonicCurve(scores, table.targets)
  }
  return {
    kind: 'class',
    class: options.kind,
    scale,
    contextWidth: rows.contextWidth,
    fitted,
    recalibration: curve,
    floor,
  }
}

function tableOf({ contextWidth, batches }: ObservationRows): RegressionRows {
  const count = batches.reduce((sum, batch) => sum + batch.count, 0)
  const inputs = new Float64Array(count * contextWidth)
  const targets = new Float64Array(count)
  let first = 0
  for (const batch of batches) {
    inputs.set(batch.context.subarray(0, batch.count * contextWidth), first * contextWidth)
    targets.set(batch.observed.subarray(0, batch.count), first)
    first += batch.count
  }
  return { columns: contextWidth, count, inputs, targets, weights: null }
}

function isotonicCurve(scores: Float64Array, observed: Float64Array): Curve {
  const rows = { columns: 1, count: scores.length, inputs: scores, targets: observed, weights: null }
  const { x, w, point } = columnPoints(rows, 0, Number.POSITIVE_INFINITY)
  const y = new Float64Array(x.length)
  observed.forEach((b, i) => {
    y[point[i]!] = y[point[i]!]! + b / w[point[i]!]!
  })
  const { starts, values } = poolAdjacentViolators(y, w)
  const knots: number[] = []
  const heights: number[] = []
  values.forEach((value, block) => {
    const ends = new Set([starts[block]!, starts[block + 1]! - 1])
    for (const end of ends) {
      knots.push(x[end]!)
      heights.push(value)
    }
  })
  return { kind: 'line', x: knots, y: heights, beyond: 'constant' }
}

function probabilityOf(value: number, scale: ClassObservation['scale']): number {
  return scale === 'log-odds' ? logistic(value) : value
}

interface Compiled {
  readonly predictor: Predictor
  readonly curve: CompiledCurve | null
}

/** A memo, not state: models are immutable. */
const compiled = new WeakMap<ClassObservation, Compiled>()

/** e(x) for the row of encoded context columns that starts at x[at]. */
export function classProbability(model: ClassObservation, x: Float64Array, at: number): number {
  let known = compiled.get(model)
  if (known === undefined) {
    const { fitted, recalibration, contextWidth } = model
    known = {
      predictor: compileUsable(fitted, compileModel(fitted.model), contextWidth),
      curve: recalibration === null ? null : compileCurve(recalibration),
    }
    compiled.set(model, known)
  }
  const value = probabilityOf(known.predictor.row(x, at), model.scale)
  return clipProbability(known.curve === null ? value : known.curve(value), model.floor)
}
