// What witnesses say of a covariate where it is missing, whatever made it missing (method#missing-set): the set of its mean over missing
// rows, with all witnesses and with each alone, beside what missing at random says. Means are fitted on the context and on
// cross-fitted regressions of covariate and witness on it, so that the context's part may bend. A witness that the context decides
// says nothing and is left out. In the covariate's own units; a category is asked about level by level.

import { categoryLevels, crossFit, type MissingSet, missingSet, type Witness } from '@primo/core/engine'
import { Random } from '@primo/numeric'
import type { EncodedTable } from '../tables/encode-table.js'
import type { WitnessColumn } from '../tables/table-spec.js'
import { numberUnit } from '../tables/user-units.js'
import { augmentedMean, type IntervalEstimate, joinRepetitions } from './augmented-mean.js'
import { nameOf, witnessesOf } from './witness-columns.js'

interface Limits {
  readonly lower: number
  readonly upper: number
}

/** What one column added. */
export interface WitnessAlone {
  readonly name: string
  /** Share of its variance that the context explains. */
  readonly explained: number
  /** False: the context decides it, and it was left out. */
  readonly used: boolean
  /** The set with it alone; null: no value agrees. */
  readonly set: MissingSet
}

/** Whether values are missing at random, as far as witnesses tell. */
export type WitnessVerdict = 'excludes' | 'point' | 'holds' | 'nothing' | 'contradiction'

/** The set of a mean over missing rows: of a number, of the share of a boolean, of the share of a level. */
export interface WitnessSet {
  /** A level of a category; null: the covariate itself. */
  readonly level: string | null
  readonly atRandom: IntervalEstimate
  /** What is known without a witness. */
  readonly range: Limits
  /** With all witnesses, at 95%; null: no value agrees with them. */
  readonly set: MissingSet
  /** Of the model's bias E[g - z] on missing rows. */
  readonly bias: MissingSet
  readonly witnesses: readonly WitnessAlone[]
  readonly verdict: WitnessVerdict
}

/** Sets of a covariate by witnesses. */
export interface WitnessSets {
  readonly kind: 'witness-sets'
  readonly covariate: string
  readonly rows: number
  readonly missing: number
  /** None where nothing is missing. */
  readonly sets: readonly WitnessSet[]
}

/** More of a witness than this is decided by the context. */
const DECIDED = 0.98
/** A set is a point below this share of the range, and says nothing above that one. */
const POINT = 0.05
const NOTHING = 0.95

/** What witnesses say of a table's covariate where it is missing. */
export function witnessSets(
  encoded: EncodedTable,
  columns: readonly WitnessColumn[],
  options: { readonly seed?: number } = {},
): WitnessSets {
  const rows = rowsOf(encoded)
  const { covariates } = encoded.encoding
  const { feature, name } = covariates[0]!
  const missing = rows.observed.reduce((sum, seen) => sum + 1 - seen, 0)
  if (missing === 0) return { kind: 'witness-sets', covariate: name, rows: rows.observed.length, missing, sets: [] }
  const random = Random.fromSeed(options.seed ?? 0).split('witness sets')
  const { probabilities, regression } = crossFit(rows, { random })
  const decode = feature.type === 'number' ? numberUnit(feature).fromInside : (value: number) => value
  const given = columns.map((column) => ({
    name: nameOf({ column: column.column, within: column.within }),
    witnesses: witnessesOf(encoded.table, column, rows.kept).map((witness) => {
      const filled = withoutGaps(witness, rows.observed)
      const fitted = regression(filled).fitted
      return { witness, fitted, explained: explainedBy(filled, fitted, rows.observed) }
    }),
  }))
  const judged = given.map((one) => ({
    ...one,
    explained: Math.min(1, ...one.witnesses.map(({ explained }) => explained)),
    useful: one.witnesses.filter(({ explained }) => explained <= DECIDED),
  }))
  const parts = rows.truth.map((values) => regression(values).fitted)
  // The last of the shares of a category follows from the others.
  const own = parts.slice(0, Math.max(1, parts.length - 1))
  const context = joined(rows, [...own, ...judged.flatMap(({ useful }) => useful.map(({ fitted }) => fitted))])
  const category = feature.type === 'number' ? null : feature.type === 'boolean' ? 2 : rows.truth.length
  const covariate = feature.type === 'category' ? levelOf(rows.truth) : rows.truth[0]!
  const setFor = (witnesses: readonly Witness[], target: Float64Array | undefined) =>
    missingSet({
      count: rows.observed.length,
      ...context,
      observed: rows.observed,
      covariate,
      ...(category === null ? {} : { category: categoryLevels(category) }),
      ...(target === undefined ? {} : { target }),
      witnesses,
    })
  const sets = rows.truth.map((values, which): WitnessSet => {
    const level = feature.type === 'category' ? feature.levels[which]! : null
    const target =
      category === null
        ? undefined
        : Float64Array.from({ length: category }, (_, k) => (k === (level === null ? 1 : which) ? 1 : 0))
    const outside = (set: MissingSet) => set && { lower: decode(set.lower), upper: decode(set.upper) }
    const { set, range } = setFor(
      judged.flatMap(({ useful }) => useful.map(({ witness }) => witness)),
      target,
    )
    const predicted = meanWhere(rows.pretrained[which]!, rows.observed)
    const decoded = values.map((value, row) => (rows.observed[row] === 1 ? decode(value) : 0))
    const found = augmentedMean(
      { values: decoded, observed: rows.observed, probabilities, regression: parts[which]!.map(decode) },
      'missing',
    )
    const atRandom = joinRepetitions([found], { scale: 'linear', supported: true })
    const limits = outside(set)
    const known = outside(range)!
    return {
      level,
      atRandom,
      range: known,
      set: limits,
      bias: limits && { lower: decode(predicted) - limits.upper, upper: decode(predicted) - limits.lower },
      witnesses: judged.map(({ name, explained, useful }) => ({
        name,
        explained,
        used: useful.length > 0,
        set: outside(
          setFor(
            useful.map(({ witness }) => witness),
            target,
          ).set,
        ),
      })),
      verdict: verdictOf(limits, known, atRandom),
    }
  })
  return { kind: 'witness-sets', covariate: name, rows: rows.observed.length, missing, sets }
}

function verdictOf(set: MissingSet, range: Limits, { low, high }: IntervalEstimate): WitnessVerdict {
  if (set === null) return 'contradiction'
  if (low !== null && high !== null && (high < set.lower || low > set.upper)) return 'excludes'
  const share = (set.upper - set.lower) / (range.upper - range.lower || 1)
  return share <= POINT ? 'point' : share >= NOTHING ? 'nothing' : 'holds'
}

/** Rows with a prediction, one array per column of the covariate, inside units. */
function rowsOf({ encoding, rowsOf: pick, table }: EncodedTable) {
  const { contextWidth, covariateWidth: m } = encoding
  const all = pick(Uint32Array.from({ length: table.rows }, (_, row) => row))
  const kept = Uint32Array.from(
    Array.from({ length: table.rows }, (_, row) => row).filter((row) => !Number.isNaN(all.pretrained[row * m])),
  )
  const column = (of: Float64Array, k: number, seen: boolean) =>
    Float64Array.from(kept, (row) => (!seen || all.observed[row] === 1 ? of[row * m + k]! : 0))
  const context = new Float64Array(kept.length * contextWidth)
  kept.forEach((row, at) => {
    context.set(all.context.subarray(row * contextWidth, (row + 1) * contextWidth), at * contextWidth)
  })
  return {
    kept,
    context,
    contextWidth,
    observed: Uint8Array.from(kept, (row) => all.observed[row]!),
    truth: Array.from({ length: m }, (_, k) => column(all.truth, k, true)),
    pretrained: Array.from({ length: m }, (_, k) => column(all.pretrained, k, false)),
  }
}

/** The witness with its mean where it is not known. */
function withoutGaps({ values }: Witness, observed: Uint8Array): Float64Array {
  const known = values.filter((value, row) => observed[row] === 1 && !Number.isNaN(value))
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length)
  return values.map((value) => (Number.isNaN(value) ? mean : value))
}

function explainedBy(values: Float64Array, fitted: Float64Array, observed: Uint8Array): number {
  const mean = values.reduce((sum, value, row) => sum + observed[row]! * value, 0) / observed.reduce((a, b) => a + b, 0)
  let left = 0
  let all = 0
  values.forEach((value, row) => {
    left += observed[row]! * (value - fitted[row]!) ** 2
    all += observed[row]! * (value - mean) ** 2
  })
  return all === 0 ? 1 : Math.max(0, 1 - left / all)
}

/** The context with further columns. */
function joined(
  { context, contextWidth: p, observed }: { context: Float64Array; contextWidth: number; observed: Uint8Array },
  columns: readonly Float64Array[],
) {
  const width = p + columns.length
  const all = new Float64Array(observed.length * width)
  for (let row = 0; row < observed.length; row++) {
    for (let k = 0; k < p; k++) all[row * width + k] = context[row * p + k]!
    columns.forEach((column, k) => {
      all[row * width + p + k] = column[row]!
    })
  }
  return { context: all, contextWidth: width }
}

function levelOf(columns: readonly Float64Array[]): Float64Array {
  return columns[0]!.map((_, row) =>
    Math.max(
      0,
      columns.findIndex((column) => column[row] === 1),
    ),
  )
}

function meanWhere(values: Float64Array, observed: Uint8Array): number {
  const missing = values.filter((_, row) => observed[row] === 0)
  return missing.reduce((sum, value) => sum + value, 0) / missing.length
}
