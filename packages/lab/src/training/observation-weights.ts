// Rows of observed values that stand for all rows: w = c / max(e(x), minimum), e(x) the probability that the value is observed given
// the context, by trees that were cross-fitted and calibrated; c makes the mean weight 1.

import type { Random } from '@primo/numeric'
import type { Table } from '../tables/table.js'
import type { Candidate } from './candidate-classes.js'
import { crossValidate } from './cross-validate.js'
import { heldOutValues } from './held-out-quality.js'
import { type TrainingFeature, trainingInputs } from './training-rows.js'

/** The observation minimum. */
const LEAST_PROBABILITY = 0.02
const TARGET = { type: 'boolean' } as const
const TREES: Candidate = {
  name: 'trees',
  kind: 'trees',
  options: { kind: 'trees', leaves: 16 },
  columns: 'native',
  costly: false,
}

/** Weights of `rows`, the rows of the table where the value is observed; null: it is never missing. */
export function observationWeights(
  table: Table,
  features: readonly TrainingFeature[],
  rows: Uint32Array,
  folds: number,
  random: Random,
): Float64Array | null {
  if (rows.length === table.rows) return null
  const all = Uint32Array.from({ length: table.rows }, (_, row) => row)
  const inputs = trainingInputs(features, 'native', all)
  const truths = new Float64Array(table.rows)
  for (const row of rows) truths[row] = 1
  const order = random.split('folds').permutation(table.rows)
  const fold = new Uint8Array(table.rows)
  order.forEach((row, place) => {
    fold[row] = place % folds
  })
  const given = { inputs, width: inputs.length / table.rows, truths, weights: null, target: TARGET }
  const [probabilities] = heldOutValues(TARGET, crossValidate(TREES, given, fold, random.split('fits')))
  const weights = Float64Array.from(rows, (row) => 1 / Math.max(LEAST_PROBABILITY, probabilities![row]!))
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length
  return weights.map((weight) => weight / mean)
}
