// Cal with a function class for the correction (method#class-ball): h is the class's weighted fit of z - g~ on the known rows of a
// fold, starting from h = 0, inside the ball ||h|| <= delta0 (class-ball.ts).
// What is left open (moments, points) is measured on known rows that the fit did not see, where a split leaves some.

import type { Random } from '@primo/numeric'
import { fitObservation } from '../missingness/fit-observation.js'
import { observationProbability } from '../missingness/observation-model.js'
import type { HeldOutLoss } from '../regression/selector.js'
import { residualPoints } from '../residuals/residual-points.js'
import type { CovariateRows } from '../rounds/covariate-rows.js'
import type { Calibration, FoldReport } from './calibrate.js'
import { foldPairs, foldsOf, observationRows } from './calibration-folds.js'
import { type BallFitted, fitInBall } from './class-ball.js'
import type { ClassCorrection, ClassPart } from './class-correction.js'
import { type CorrectionTable, correctionTable } from './correction-table.js'
import type { CalibrationSettings, CorrectionRegression } from './settings.js'

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
  const { input, direct } = inputOf(options)
  const regression = settings.regression!
  const table = correctionTable(rows)
  const fold = foldsOf(rows.count, settings.split, random)
  const folds: FoldReport[] = []
  const found: { readonly columns: readonly BallFitted[]; readonly correctionFold: number }[] = []
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
  const parts = Array.from({ length: rows.width }, (_, k) =>
    found.map(({ columns }): ClassPart => {
      const { scale, usable } = columns[k]!
      return { scale: scale / found.length, fitted: usable.fitted }
    }),
  )
  const correction: ClassCorrection = {
    kind: 'class-correction',
    class: options.kind,
    input,
    direct,
    parts,
    ...(rows.width === 1 ? residualOf(heldOut) : {}),
  }
  return { correction, report: { ...summary, folds } }
}

function inputOf(options: CorrectionRegression): Pick<ClassCorrection, 'input' | 'direct'> {
  // Monotone in g~ is what an isotonic correction means: a recalibration of the model that is there.
  const input = options.input ?? (options.kind === 'isotonic' ? 'pretrained' : 'context')
  return { input, direct: options.kind === 'isotonic' && input === 'pretrained' }
}

/** Residuals y = z - g~ and corrections h of known rows, by a fit that did not see them where there is one. */
interface HeldOut {
  readonly residuals: number[]
  readonly corrections: number[]
}

function heldOutRows(
  table: CorrectionTable,
  fold: Uint8Array,
  found: readonly { readonly columns: readonly BallFitted[]; readonly correctionFold: number }[],
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

function residualOf({ residuals, corrections }: HeldOut): Pick<ClassCorrection, 'moments' | 'points'> {
  const left = Float64Array.from(residuals, (residual, i) => residual - corrections[i]!)
  const variance = left.reduce((sum, value) => sum + value * value, 0) / left.length
  return { moments: [1, 0, variance], points: residualPoints(left, variance) }
}

/** The selector's table, where the class is one. */
function selectionOf(columns: readonly BallFitted[]): { readonly selection?: readonly (readonly HeldOutLoss[])[] } {
  const tables = columns.flatMap(({ usable }) => {
    const { model } = usable.fitted
    return model.kind === 'select' ? [model.heldOut] : []
  })
  return tables.length === 0 ? {} : { selection: tables }
}
