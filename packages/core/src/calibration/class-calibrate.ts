// Cal with a function class for the correction (SPEC C1.2 to C1.6): h is the class's weighted fit of z - g~ on the known rows of a
// fold, starting from h = 0. The ball ||h|| <= delta0 over all contexts: where the free fit is larger, every context enters once
// more with target 0 and weight mu, and mu is found by bisection (exact for convex classes, a heuristic for others); at the
// end h is scaled into the ball, so that it holds whatever the class.
// Shrinkage 'power' (beyond the paper): lambda = clip(sum y h / sum h^2, 0, 1) on held-out known rows; 0 is g~ itself.
// What is left open (moments, points) is measured on known rows that the fit did not see, where a split leaves some.

import type { CovariateRows } from '../data/covariate-rows.js'
import { residualPoints } from '../imputation/residual-points.js'
import { fitObservation } from '../missingness/fit-observation.js'
import { observationProbability } from '../missingness/observation-model.js'
import type { Random } from '../random/random.js'
import { regressionOf } from '../regression/function-class.js'
import type { Predictor, Regression, RegressionRows } from '../regression/regression.js'
import type { HeldOutLoss } from '../regression/selector.js'
import { fitUsable, type UsableFit } from '../regression/usable-fit.js'
import type { Calibration, FoldReport } from './calibrate.js'
import { foldPairs, foldsOf, observationRows } from './calibration-folds.js'
import type { ClassCorrection, ClassPart } from './class-correction.js'
import { type CalibrationSettings, type CorrectionRegression, regressionPart } from './settings.js'

const BISECTIONS = 8
/** A correction this near to the ball's boundary is on it. */
const CLOSE = 0.02

export interface ClassCalibration {
  /** null: too few known rows, g~ stays as it is. */
  readonly correction: ClassCorrection | null
  readonly report: Calibration['report']
}

/** `radius` is delta0 in inside units, or undefined for no ball. */
export function calibrateClass(
  rows: CovariateRows,
  settings: CalibrationSettings,
  options: CorrectionRegression,
  radius: number | undefined,
  random: Random,
): ClassCalibration {
  const summary = { rows: rows.count, known: rows.knownCount, withoutPrediction: rows.withoutPrediction }
  if (rows.knownCount < settings.minimumRows) return { correction: null, report: { ...summary, folds: [] } }
  const { input, direct, regression } = correctionRegression(options)
  const table = tableOf(rows)
  const fold = foldsOf(rows.count, settings.split, random)
  const folds: FoldReport[] = []
  const found: { readonly columns: readonly Fitted[]; readonly correctionFold: number }[] = []
  for (const [observationFold, correctionFold] of foldPairs(settings.split)) {
    const observation = fitObservation(
      observationRows(rows, fold, observationFold),
      settings.observation,
      random.split('observation', observationFold),
    )
    const weighting = settings.weights === 'ipw' ? observation : null
    const chosen: number[] = []
    for (let i = 0; i < table.count; i++) {
      if (table.known[i] === 1 && (correctionFold === 2 || fold[i] === correctionFold)) chosen.push(i)
    }
    if (chosen.length === 0) continue
    const weights = Float64Array.from(chosen, (i) =>
      weighting === null ? 1 : 1 / observationProbability(weighting, table.context, i * rows.contextWidth),
    )
    const columns = Array.from({ length: rows.width }, (_, k) =>
      fitInBall(
        { table, column: k, chosen, weights, input, direct, regression, radius },
        random.split('correction', correctionFold, k),
      ),
    )
    found.push({ columns, correctionFold })
    folds.push({
      observation,
      rows: chosen.length,
      columns: columns.map(({ report }) => report),
      ...selectionOf(columns),
    })
  }
  if (found.length === 0) return { correction: null, report: { ...summary, folds } }
  const heldOut = heldOutRows(table, fold, found)
  const shrinkage = settings.shrinkage === 'power' ? powerTuning(heldOut) : 1
  const parts = Array.from({ length: rows.width }, (_, k) =>
    found.map(({ columns }): ClassPart => {
      const { scale, usable } = columns[k]!
      return { scale: (shrinkage * scale) / found.length, fitted: usable.fitted }
    }),
  )
  const correction: ClassCorrection = {
    kind: 'class-correction',
    class: options.kind,
    input,
    direct,
    parts,
    ...(rows.width === 1 ? residualOf(heldOut, shrinkage) : {}),
  }
  return { correction, report: { ...summary, shrinkage, folds } }
}

function correctionRegression(options: CorrectionRegression): {
  readonly input: 'context' | 'pretrained'
  readonly direct: boolean
  readonly regression: Regression
} {
  // Monotone in g~ is what an isotonic correction means: a recalibration of the model that is there.
  const input = options.input ?? (options.kind === 'isotonic' ? 'pretrained' : 'context')
  const direct = options.kind === 'isotonic' && input === 'pretrained'
  return { input, direct, regression: regressionOf(regressionPart(options)) }
}

/** The rounds of the window in one piece. */
interface CorrectionTable {
  readonly count: number
  readonly contextWidth: number
  readonly width: number
  readonly context: Float64Array
  readonly pretrained: Float64Array
  readonly truth: Float64Array
  readonly known: Uint8Array
}

function tableOf(rows: CovariateRows): CorrectionTable {
  const { count, contextWidth: p, width } = rows
  const context = new Float64Array(count * p)
  const pretrained = new Float64Array(count * width)
  const truth = new Float64Array(count * width)
  const known = new Uint8Array(count)
  let first = 0
  for (const batch of rows.batches) {
    context.set(batch.context.subarray(0, batch.count * p), first * p)
    pretrained.set(batch.pretrained.subarray(0, batch.count * width), first * width)
    truth.set(batch.truth.subarray(0, batch.count * width), first * width)
    known.set(batch.known.subarray(0, batch.count), first)
    first += batch.count
  }
  return { count, contextWidth: p, width, context, pretrained, truth, known }
}

interface BallFit {
  readonly table: CorrectionTable
  readonly column: number
  /** Known rows of the fold, and their weights. */
  readonly chosen: readonly number[]
  readonly weights: Float64Array
  readonly input: 'context' | 'pretrained'
  readonly direct: boolean
  readonly regression: Regression
  readonly radius: number | undefined
}

interface Fitted {
  readonly usable: UsableFit
  readonly scale: number
  /** h of every row of the table, scaled. */
  readonly values: Float64Array
  readonly report: FoldReport['columns'][number]
}

function fitInBall(problem: BallFit, random: Random): Fitted {
  const { table, column, chosen, weights, radius } = problem
  const attempt = (multiplier: number) => {
    const usable = fitUsable(
      problem.regression,
      rowsOf(problem, multiplier),
      random,
      problem.direct ? {} : { otherwise: 0 },
    )
    const values = corrections(problem, usable.predictor)
    return { multiplier, usable, values, size: rootMeanSquare(values) }
  }
  let best = attempt(0)
  if (radius !== undefined && best.size > radius * (1 + CLOSE)) {
    // From a multiplier far too small to one far too large.
    let low = Math.log(1e-3)
    let high = Math.log(1e3)
    for (let step = 0; step < BISECTIONS; step++) {
      const one = attempt(Math.exp((low + high) / 2))
      if (one.size > radius) low = Math.log(one.multiplier)
      else high = Math.log(one.multiplier)
      // The nearest to the boundary: what is left outside is scaled away.
      if (Math.abs(one.size - radius) < Math.abs(best.size - radius)) best = one
      if (Math.abs(one.size - radius) <= CLOSE * radius) break
    }
  }
  const scale = radius === undefined || best.size <= radius ? 1 : radius / best.size
  const values = scale === 1 ? best.values : best.values.map((value) => scale * value)
  let before = 0
  let after = 0
  let total = 0
  chosen.forEach((i, k) => {
    const at = i * table.width + column
    const residual = table.truth[at]! - table.pretrained[at]!
    before += weights[k]! * residual ** 2
    after += weights[k]! * (residual - values[i]!) ** 2
    total += weights[k]!
  })
  return {
    usable: best.usable,
    scale,
    values,
    report: {
      multiplier: best.multiplier,
      size: scale * best.size,
      lossBefore: before / total,
      lossAfter: after / total,
    },
  }
}

/** The known rows; with a multiplier also every context with target h = 0, in all `multiplier` times their weight. */
function rowsOf(problem: BallFit, multiplier: number): RegressionRows {
  const { table, column, chosen, weights, input, direct } = problem
  const { contextWidth: p, width } = table
  const columns = input === 'context' ? p : 1
  const pseudo = multiplier > 0 ? table.count : 0
  const count = chosen.length + pseudo
  const inputs = new Float64Array(count * columns)
  const targets = new Float64Array(count)
  const all = new Float64Array(count)
  const write = (to: number, i: number) => {
    if (input === 'pretrained') inputs[to] = table.pretrained[i * width + column]!
    else for (let k = 0; k < p; k++) inputs[to * p + k] = table.context[i * p + k]!
  }
  let total = 0
  chosen.forEach((i, to) => {
    const at = i * width + column
    write(to, i)
    targets[to] = direct ? table.truth[at]! : table.truth[at]! - table.pretrained[at]!
    all[to] = weights[to]!
    total += weights[to]!
  })
  for (let i = 0; i < pseudo; i++) {
    const to = chosen.length + i
    write(to, i)
    targets[to] = direct ? table.pretrained[i * width + column]! : 0
    all[to] = (multiplier * total) / pseudo
  }
  return { columns, count, inputs, targets, weights: all, ...(direct ? {} : { start: 0 }) }
}

/** h of every row of the table. */
function corrections({ table, column, input, direct }: BallFit, predictor: Predictor): Float64Array {
  const { count, width, pretrained } = table
  const own = Float64Array.from({ length: count }, (_, i) => pretrained[i * width + column]!)
  const out = new Float64Array(count)
  predictor.table(input === 'context' ? table.context : own, count, out)
  if (direct) for (let i = 0; i < count; i++) out[i] = out[i]! - own[i]!
  return out
}

function rootMeanSquare(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum / Math.max(1, values.length))
}

/** Residuals y = z - g~ and corrections h of known rows, by a fit that did not see them where there is one. */
interface HeldOut {
  readonly residuals: number[]
  readonly corrections: number[]
}

function heldOutRows(
  table: CorrectionTable,
  fold: Uint8Array,
  found: readonly { readonly columns: readonly Fitted[]; readonly correctionFold: number }[],
): HeldOut {
  const residuals: number[] = []
  const values: number[] = []
  const add = (all: boolean) => {
    for (const { columns, correctionFold } of found) {
      for (let i = 0; i < table.count; i++) {
        if (table.known[i] !== 1 || (!all && (correctionFold === 2 || fold[i] === correctionFold))) continue
        columns.forEach((fitted, k) => {
          const at = i * table.width + k
          residuals.push(table.truth[at]! - table.pretrained[at]!)
          values.push(fitted.values[i]!)
        })
      }
    }
  }
  add(false)
  // Without a split, or with nothing known in the other half, the fitted rows have to do.
  if (residuals.length === 0) add(true)
  return { residuals, corrections: values }
}

function powerTuning({ residuals, corrections }: HeldOut): number {
  let product = 0
  let square = 0
  residuals.forEach((residual, i) => {
    product += residual * corrections[i]!
    square += corrections[i]! ** 2
  })
  return square > 0 ? Math.min(1, Math.max(0, product / square)) : 0
}

function residualOf(
  { residuals, corrections }: HeldOut,
  shrinkage: number,
): Pick<ClassCorrection, 'moments' | 'points'> {
  const left = Float64Array.from(residuals, (residual, i) => residual - shrinkage * corrections[i]!)
  const variance = left.reduce((sum, value) => sum + value * value, 0) / left.length
  return { moments: [1, 0, variance], points: residualPoints(left, variance) }
}

/** The selector's table, where the class is one. */
function selectionOf(columns: readonly Fitted[]): { readonly selection?: readonly (readonly HeldOutLoss[])[] } {
  const tables = columns.flatMap(({ usable }) => {
    const { model } = usable.fitted
    return model.kind === 'select' ? [model.heldOut] : []
  })
  return tables.length === 0 ? {} : { selection: tables }
}
