// e(x_i) of every row from the other folds: a constant, a logit in the columns or in the basis, or boosted trees on the log loss; the
// class with the smallest held-out log loss. No probability is lifted to eps0: what is rare is seen to be rare.

import type { Random } from '@primo/numeric'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { fitObservation, type ObservationBatch } from '../missingness/fit-observation.js'
import { type ObservationModel, observationProbability, observationSettings } from '../missingness/observation-model.js'
import type { FoldedTable, NuisanceClass } from './cross-fit.js'
import { isBetter, MAX_GROWN_ON } from './cross-fit-regression.js'
import type { NuisanceBasis } from './nuisance-basis.js'

/** A fit reads at most so many rows. */
const MAX_TRAINING = 100_000
/** Fewer rows of a kind give trees nothing to grow on. */
const FEWEST_FOR_TREES = 100
/** Keeps weights finite. */
const SMALLEST = 1e-5

export function crossFittedProbabilities(
  table: FoldedTable,
  known?: NuisanceClass,
): { readonly probabilities: Float64Array; readonly class: NuisanceClass } {
  const classes = known === undefined ? classesFor(table) : [known]
  let best: { probabilities: Float64Array; class: NuisanceClass; losses: Float64Array } | null = null
  for (const kind of classes) {
    const probabilities = probabilitiesOf(table, kind)
    const losses = logLosses(probabilities, table.observed)
    if (best === null || isBetter(losses, best.losses, kind === 'trees')) best = { probabilities, class: kind, losses }
  }
  return best!
}

function classesFor({ observed, contextWidth, bent }: FoldedTable): readonly NuisanceClass[] {
  const seen = observed.reduce((sum, b) => sum + b, 0)
  const rarer = Math.min(seen, observed.length - seen)
  return [
    'constant',
    ...(contextWidth > 0 ? (['columns'] as const) : []),
    ...(contextWidth > 0 && bent !== null ? (['basis'] as const) : []),
    ...(contextWidth > 0 && rarer >= FEWEST_FOR_TREES ? (['trees'] as const) : []),
  ]
}

function probabilitiesOf(table: FoldedTable, kind: NuisanceClass): Float64Array {
  const { folds, observed } = table
  const basis = basisOf(table, kind)
  const model = kind === 'constant' ? 'constant' : kind === 'trees' ? ({ kind: 'trees', leaves: 8 } as const) : 'logit'
  const settings = observationSettings({ model, loss: 'likelihood', floor: SMALLEST })
  const out = new Float64Array(observed.length)
  const x = new Float64Array(basis.columns)
  let fitted: ObservationModel | null = null
  for (let fold = 0; fold < folds.count; fold++) {
    const batches = trainingBatches(table, fold, basis, kind === 'trees' ? MAX_GROWN_ON : MAX_TRAINING)
    const training = { contextWidth: basis.columns, batches }
    fitted = fitObservation(training, settings, treesRandom(table.random, fold), fitted)
    for (let row = 0; row < out.length; row++) {
      if (folds.of[row] !== fold) continue
      basis.write(row, x, 0)
      out[row] = observationProbability(fitted, x, 0)
    }
  }
  return out
}

/** The columns of a class; a bent basis that some of the rows could have and all of them cannot is the plain one. */
export function basisOf({ plain, bent }: FoldedTable, kind: NuisanceClass): NuisanceBasis {
  return kind === 'basis' && bent !== null ? bent : plain
}

function treesRandom(random: Random, fold: number): Random {
  return random.split('observation', fold)
}

function trainingBatches(
  table: FoldedTable,
  fold: number,
  { columns, write }: NuisanceBasis,
  most: number,
): ObservationBatch[] {
  const rows = trainingRows(table, (row) => table.folds.of[row] !== fold, most)
  const batches: ObservationBatch[] = []
  for (let at = 0, block = 0; at < rows.length; at += BLOCK_ROUNDS, block++) {
    const part = rows.subarray(at, at + BLOCK_ROUNDS)
    const context = new Float64Array(part.length * columns)
    const observed = new Uint8Array(part.length)
    part.forEach((row, k) => {
      write(row, context, k * columns)
      observed[k] = table.observed[row]!
    })
    batches.push({ block, count: part.length, context, observed })
  }
  return batches
}

/** The rows that are kept, evenly thinned out where they are many. */
export function trainingRows({ observed }: FoldedTable, keep: (row: number) => boolean, most: number): Uint32Array {
  const rows = new Uint32Array(observed.length)
  let count = 0
  for (let row = 0; row < observed.length; row++) if (keep(row)) rows[count++] = row
  if (count <= most) return rows.slice(0, count)
  return Uint32Array.from({ length: most }, (_, k) => rows[Math.floor((k * count) / most)]!)
}

function logLosses(probabilities: Float64Array, observed: Uint8Array): Float64Array {
  return probabilities.map((e, i) => -Math.log(observed[i] ? e : Math.max(SMALLEST, 1 - e)))
}
