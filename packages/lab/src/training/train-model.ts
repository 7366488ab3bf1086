// Fits a predictor of a covariate from the context on the rows where it was seen: every class is cross-validated, the one with the
// smallest held-out loss is fitted on all of these rows, and what the held-out rows say becomes its calibration, spread and card.

import type { Feature, TrainedCard, TrainedModel, TriedClass } from '@primo/core'
import { rowFolds, trainedFingerprint } from '@primo/core/engine'
import { invalidOption, PrimoError, Random, requireInteger } from '@primo/numeric'
import type { Table } from '../tables/table.js'
import { type Candidate, candidateClasses, TRAINING_CLASSES, type TrainingClass } from './candidate-classes.js'
import {
  crossValidate,
  fitScores,
  foldCount,
  meanLoss,
  type ScoredRowsInput,
  type Validated,
} from './cross-validate.js'
import { featureImportance } from './feature-importance.js'
import { calibrationCurve, constantLoss, heldOutValues, spreadOf } from './held-out-quality.js'
import { observationWeights } from './observation-weights.js'
import { type TrainingRows, trainingInputs, trainingRows } from './training-rows.js'

/** What is trained and how. */
export interface TrainOptions {
  readonly covariate: string
  /** Columns that it is predicted from. */
  readonly features: readonly string[]
  /** 1 where the covariate counts as seen; default: where its cell is filled. */
  readonly observed?: Uint8Array
  /** Declared features of columns; default: as the table shows them. */
  readonly declared?: Readonly<Record<string, Feature>>
  /** 'observation': rows count 1 / (probability that they were observed); default 'none'. */
  readonly weights?: 'none' | 'observation'
  /** Classes to choose from; default all. */
  readonly classes?: readonly TrainingClass[]
  /** How many, or the fold of each row of the table; default 5. */
  readonly folds?: number | Uint8Array
  /** Default 0. */
  readonly seed?: number
  /** Of a log: the last round that was used. */
  readonly cut?: number
  readonly onProgress?: (share: number, what: string) => void
}

/** What a class that is tried later must gain, as a share of the loss. */
const LEAST_GAIN = 0.002

/** Costly classes are first tried on so many rows, and stay in the race where they are the best there. */
const SAMPLE_ROWS = 2000

/** Trains a model of one covariate. */
export function trainModel(table: Table, options: TrainOptions): TrainedModel {
  const { covariate, seed = 0, weights: weighting = 'none', classes = TRAINING_CLASSES } = options
  const unknown = classes.find((name) => !TRAINING_CLASSES.includes(name))
  if (unknown !== undefined || classes.length === 0)
    invalidOption('classes', `some of ${TRAINING_CLASSES.join(', ')}`, unknown ?? 'none')
  if (options.features.length === 0) invalidOption('features', 'at least one column', 'none')
  const random = Random.fromSeed(seed).split('train', covariate)
  const training = trainingRows(table, { observed: null, declared: {}, ...options })
  const { rows, features, target, truths } = training
  const folds = foldsOf(training, options.folds ?? 5, random)
  const count = foldCount(folds)
  const weights =
    weighting === 'none' ? null : observationWeights(table, features, rows, count, random.split('observation'))
  const inputsOf = encoder(training, weights)
  const { best, tried } = race(training, classes, folds, inputsOf, random, options.onProgress)
  const { candidate, link } = best
  const given = inputsOf(candidate)
  options.onProgress?.(0.95, `${candidate.name} on all rows`)
  const values = heldOutValues(target, best)
  const constant = constantLoss(target, truths, weights)
  const number = target.type === 'number'
  const card: TrainedCard = {
    source: table.file,
    rows: table.rows,
    observed: rows.length,
    weights: weighting,
    folds: count,
    seed,
    ...(options.cut === undefined ? {} : { cut: options.cut }),
    class: candidate.name,
    tried,
    error: number ? Math.sqrt(best.loss) : best.loss,
    constantError: number ? Math.sqrt(constant) : constant,
    explained: 1 - best.loss / constant,
    calibration: calibrationCurve(target, values, truths),
    importance: featureImportance(features, given, best, folds, random.split('importance')),
    notFor: notFor(training, table.rows),
  }
  const model: Omit<TrainedModel, 'fingerprint' | 'card'> = {
    covariate,
    target,
    features: features.map(({ feature }) => feature),
    columns: candidate.columns,
    scores: fitScores(candidate, given, random.split('all')).models,
    link,
    spread: number ? spreadOf(values[0]!, truths) : null,
  }
  // As it will be read back: JSON has no -0.
  const plain = JSON.parse(JSON.stringify(model)) as typeof model
  options.onProgress?.(1, 'done')
  return { ...plain, fingerprint: trainedFingerprint(plain), card }
}

/** The columns of a class; kept while the next class has the same. */
function encoder({ rows, features, target, truths }: TrainingRows, weights: Float64Array | null) {
  let kept: { readonly columns: Candidate['columns']; readonly inputs: Float64Array } | null = null
  return ({ columns }: Candidate): ScoredRowsInput => {
    if (kept?.columns !== columns) {
      kept = null
      kept = { columns, inputs: trainingInputs(features, columns, rows) }
    }
    return { inputs: kept.inputs, width: kept.inputs.length / rows.length, truths, weights, target }
  }
}

function race(
  { features, rows }: TrainingRows,
  classes: readonly TrainingClass[],
  folds: Uint8Array,
  inputsOf: (candidate: Candidate) => ScoredRowsInput,
  random: Random,
  onProgress: TrainOptions['onProgress'],
): { readonly best: Validated; readonly tried: readonly TriedClass[] } {
  const width = features.reduce(
    (sum, { feature }) => sum + (feature.type === 'category' ? feature.levels.length : 1),
    0,
  )
  const candidates = candidateClasses(classes, rows.length, width)
  if (candidates.length === 0)
    throw new PrimoError('invalid-option', `classes must have one for ${width} columns, got ${classes.join(', ')}`, {})
  const ordered = [...candidates].sort(
    (a, b) => Number(a.costly) - Number(b.costly) || (a.columns < b.columns ? -1 : 1),
  )
  const count = foldCount(folds)
  const steps = ordered.length * count
  let done = 0
  const sample = random.split('sample').permutation(rows.length).slice(0, SAMPLE_ROWS).sort()
  const sampled = sample.length < rows.length
  const tried: { name: string; rows: number; loss: number }[] = []
  let best: Validated | null = null
  for (const candidate of ordered) {
    const step = () => onProgress?.((0.9 * ++done) / steps, candidate.name)
    const given = inputsOf(candidate)
    const own = random.split('class', candidate.name)
    if (candidate.costly && sampled && best !== null) {
      const part = crossValidate(
        candidate,
        rowsOf(given, sample),
        folds.filter((_, i) => isIn(sample, i)),
        own,
        step,
      )
      const before = meanLoss(
        Float64Array.from(sample, (i) => best!.losses[i]!),
        null,
      )
      tried.push({ name: candidate.name, rows: sample.length, loss: part.loss })
      if (part.loss >= (1 - LEAST_GAIN) * before) continue
      tried.pop()
    }
    const found = crossValidate(candidate, given, folds, own, step)
    tried.push({ name: candidate.name, rows: rows.length, loss: found.loss })
    // A later, costlier class must be better by more than rounding and luck.
    if (best === null || found.loss < (1 - LEAST_GAIN) * best.loss) best = found
  }
  const chosen = best!.candidate.name
  return {
    best: best!,
    tried: tried
      .map(({ name, rows: judged, loss }) => ({ class: name, rows: judged, loss, chosen: name === chosen }))
      .sort((a, b) => a.loss - b.loss),
  }
}

function isIn(sorted: Uint32Array, value: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return sorted[low] === value
}

function rowsOf({ inputs, width, truths, weights, target }: ScoredRowsInput, chosen: Uint32Array): ScoredRowsInput {
  const part = new Float64Array(chosen.length * width)
  chosen.forEach((i, j) => {
    part.set(inputs.subarray(i * width, (i + 1) * width), j * width)
  })
  return {
    inputs: part,
    width,
    truths: Float64Array.from(chosen, (i) => truths[i]!),
    weights: weights === null ? null : Float64Array.from(chosen, (i) => weights[i]!),
    target,
  }
}

/** The fold of each row; equal rows share one, so that no row is judged by a model that saw its copy. */
function foldsOf({ rows, features, truths }: TrainingRows, given: number | Uint8Array, random: Random): Uint8Array {
  if (typeof given !== 'number') return Uint8Array.from(rows, (row) => given[row]!)
  requireInteger('folds', given, 2)
  const inputs = new Float64Array(rows.length * features.length)
  features.forEach(({ cell }, k) => {
    for (let i = 0; i < rows.length; i++) inputs[i * features.length + k] = cell(rows[i]!)
  })
  const table = { columns: features.length, count: rows.length, inputs, targets: truths, weights: null }
  return rowFolds(table, Math.min(given, 255), random.split('folds'))
}

function notFor({ features, target, rows }: TrainingRows, all: number): readonly string[] {
  const ranges = features.flatMap(({ feature }) =>
    feature.type === 'number' ? [`${feature.name} ${feature.min} to ${feature.max}`] : [],
  )
  return [
    'contexts unlike the rows it was trained on: another population, another time, another way of measuring',
    ...(ranges.length === 0 ? [] : [`values outside the ranges it saw: ${ranges.join('; ')}`]),
    ...(features.some(({ feature }) => feature.type === 'category')
      ? ['levels it never saw: they count as missing']
      : []),
    ...(rows.length < all
      ? ['values that are missing because of what they are: it learnt from the rows where they were seen']
      : []),
    ...(target.type === 'number' ? [`predictions beyond ${target.min} to ${target.max}: it gives none`] : []),
    'what would happen if a feature were changed: it predicts, it does not explain',
  ]
}
