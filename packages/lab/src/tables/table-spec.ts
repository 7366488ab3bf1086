// Which column of a table is what: the flags of `primo replay` and `primo calibrate` as data.

import type { Feature, Interactions } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { type DateOrder, dateParts } from './date-builder.js'
import type { ColumnWant } from './table.js'
import { listNames, quote, tableError } from './table-error.js'

export type Range = readonly [low: number, high: number]

/** The columns of one covariate. */
export interface CovariateColumns {
  /** The covariate that is sometimes missing. */
  readonly covariate: string
  /** 0: missing, whatever the covariate's cell holds; 1: observed. Absent: an empty cell is missing. */
  readonly observed?: string
  /**
   * g~ in the covariate's units (an empty cell: none); for a boolean a probability (or true, false); for a category a level,
   * or columns "name=level" of probabilities.
   */
  readonly prediction?: string
}

/** A variable that depends on whether the covariate was seen only through context and covariate. */
export interface WitnessColumn {
  readonly column: string
  /** Compare rows only where this column is the same, as a reward within its action. */
  readonly within?: string
}

/** Which column of a table is what. */
export interface TableSpec extends CovariateColumns {
  /** Columns of the context, never empty in any row. */
  readonly context: readonly string[]
  /** Further covariates. */
  readonly others?: readonly CovariateColumns[]
  /** Per action the column of its realised reward. */
  readonly rewards?: readonly string[]
  /** Per action the column of its true mean reward. */
  readonly means?: readonly string[]
  /** Rewards outside are refused; default the extremes of the table. */
  readonly rewardRange?: Range
  /** Range of the mean reward, gamma's unit; default the reward range. */
  readonly meanRange?: Range
  /** Ranges of columns of numbers; default their extremes in the table. */
  readonly ranges?: Readonly<Record<string, Range>>
  /** Declared features of context columns or the covariate (levels in their order, booleans); stands before `ranges`. */
  readonly features?: Readonly<Record<string, Feature>>
  /** Columns that are categories even where their cells read as numbers. */
  readonly categories?: readonly string[]
  /** Context columns of dates or times: "when" becomes the numbers when.weekday, when.hour and when.days. */
  readonly dates?: readonly string[]
  /** Whether 3/5/2024 is day first or month first; default: what all of the column allows. */
  readonly dateOrder?: DateOrder
  /** Texts that mean missing, in all columns or in one ("age=-999"); default `missingMarkers` in CSV, none in Parquet. */
  readonly na?: readonly string[]
  /** Of a CSV file; default: found. */
  readonly separator?: string
  /** Of a CSV file; default: found. */
  readonly decimal?: '.' | ','
  /** Products in the linear reward class; default 'none'. */
  readonly interactions?: Interactions
  /** What bounds the covariate where it is missing, whatever made it missing. */
  readonly witnesses?: readonly WitnessColumn[]
}

/** The same spec for each of its covariates alone. */
export function covariateSpecs(spec: TableSpec): readonly TableSpec[] {
  const { others = [], covariate, observed, prediction, ...rest } = spec
  const first = {
    covariate,
    ...(observed === undefined ? {} : { observed }),
    ...(prediction === undefined ? {} : { prediction }),
  }
  return [first, ...others].map((one) => ({ ...rest, ...one }))
}

/** All covariates of a spec. */
export function covariateNames({ covariate, others = [] }: TableSpec): readonly string[] {
  return [covariate, ...others.map((one) => one.covariate)]
}

/** Throws `invalid-option` when the spec contradicts itself. */
export function checkTableSpec(spec: TableSpec): void {
  const { context, rewards, means } = spec
  for (const [flag, names] of Object.entries({ context, rewards: rewards ?? [], means: means ?? [] })) {
    if (!Array.isArray(names)) bad(flag, 'a list of column names', String(names))
    const seen = new Set<string>()
    for (const name of names) {
      if (typeof name !== 'string' || name === '') bad(flag, 'names of columns', String(name))
      if (seen.has(name)) bad(flag, 'distinct columns', name)
      seen.add(name)
    }
  }
  const names = covariateNames(spec)
  const twice = names.find((name, k) => names.indexOf(name) !== k)
  if (twice !== undefined) bad('covariate', 'distinct columns', twice)
  for (const one of covariateSpecs(spec)) checkCovariate(one)
  if (means !== undefined && means.length !== (rewards?.length ?? 0)) {
    bad('means', `one column per action (${rewards?.length ?? 0})`, String(means.length))
  }
  const outcomes = new Set([...(rewards ?? []), ...(means ?? [])])
  const used = covariateSpecs(spec).flatMap(({ covariate, observed, prediction }) => [covariate, observed, prediction])
  for (const name of [...context, ...used]) {
    // What an action brings is not known when it is chosen.
    if (name !== undefined && outcomes.has(name)) bad('rewards', 'columns that nothing else uses', name)
  }
  checkRange('rewardRange', spec.rewardRange)
  checkRange('meanRange', spec.meanRange)
  for (const [name, range] of Object.entries(spec.ranges ?? {})) {
    if (!isInput(spec, name)) bad('ranges', 'for columns of the context or the covariate', name)
    checkRange(`ranges.${name}`, range)
  }
  for (const name of Object.keys(spec.features ?? {})) {
    if (!isInput(spec, name)) bad('features', 'for columns of the context or the covariate', name)
  }
  for (const name of spec.categories ?? []) {
    if (!isInput(spec, name)) bad('categories', 'columns of the context or the covariate', name)
  }
  for (const name of spec.dates ?? []) if (!context.includes(name)) bad('dates', 'columns of the context', name)
  checkWitnesses(spec)
  checkFormat(spec)
  checkInteractions(spec)
}

function checkCovariate({ context, covariate, observed, prediction }: TableSpec): void {
  for (const [flag, name] of Object.entries({ covariate, observed, prediction })) {
    if (name === '' || (flag === 'covariate' && typeof name !== 'string'))
      bad(flag, 'the name of a column', String(name))
  }
  if (context.includes(covariate)) bad('covariate', 'a column that is not in context', covariate)
  if (covariate === observed || covariate === prediction) bad('covariate', 'a column of its own', covariate)
}

function checkWitnesses({ witnesses = [], context, ...spec }: TableSpec): void {
  for (const { column, within } of witnesses) {
    if (column === within) bad('witness', 'compared within another column than itself', column)
    if (column === '' || within === '') bad('witness', 'the name of a column', `${column}:${within}`)
    if (context.includes(column) || covariateNames({ context, ...spec }).includes(column))
      bad('witness', 'a column that is neither context nor covariate', column)
  }
}

/** Whether a feature may have this name: a column of the context, the covariate, or a part of a date. */
function isInput(spec: TableSpec, name: string): boolean {
  const { context, dates = [] } = spec
  if (covariateNames(spec).includes(name) || context.includes(name)) return true
  return dates.some((date) => dateParts.some((part) => name === `${date}.${part}`))
}

export function checkFormat({ na, separator, decimal, dateOrder }: Partial<TableSpec>): void {
  if (na !== undefined && !(Array.isArray(na) && na.every((marker) => typeof marker === 'string')))
    bad('na', 'a list of texts', String(na))
  if (separator !== undefined && !/^[^\w"\r\n.]$/.test(separator))
    bad('separator', 'one character, such as ; or a tab', String(separator))
  if (decimal !== undefined && decimal !== '.' && decimal !== ',') bad('decimal', '. or ,', String(decimal))
  if (decimal === ',' && separator === ',') bad('decimal', '. where the separator is a comma', decimal)
  if (dateOrder !== undefined && dateOrder !== 'dmy' && dateOrder !== 'mdy')
    bad('dateOrder', 'dmy or mdy', String(dateOrder))
}

function checkRange(field: string, range: Range | undefined): void {
  if (range === undefined) return
  const [low, high] = range
  if (!(Number.isFinite(low) && Number.isFinite(high) && low < high)) {
    bad(field, 'two finite numbers low,high with low < high', `${low},${high}`)
  }
}

function checkInteractions(spec: TableSpec): void {
  const { interactions = 'none', context } = spec
  if (interactions === 'none' || interactions === 'all') return
  if (!Array.isArray(interactions)) bad('interactions', '"none", "all" or a list of products', String(interactions))
  for (const product of interactions as readonly (readonly string[])[]) {
    if (product.length < 2) bad('interactions', 'products of two or more columns', product.join(':'))
    for (const name of product) {
      if (!isInput(spec, name)) {
        bad(
          'interactions',
          `products of the covariate and context columns (${listNames([...covariateNames(spec), ...context])})`,
          name,
        )
      }
    }
  }
}

/** "none", "all" or "z:x1,z:x2". */
export function parseInteractions(text: string): Interactions {
  if (text === 'none' || text === 'all') return text
  return text.split(',').map((product) => product.split(':').map((name) => name.trim()))
}

/** "0,1" as [0, 1]; `field` names the flag in the error. */
export function parseRange(field: string, text: string): Range {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const range: Range = [parts[0] ?? Number.NaN, parts[1] ?? Number.NaN]
  if (parts.length !== 2) bad(field, 'two finite numbers low,high with low < high', text)
  checkRange(field, range)
  return range
}

function bad(field: string, rule: string, value: string): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${quote(value)}`, { field, value })
}

export function checkHeader(file: string, header: readonly string[], line?: number): void {
  const place = line === undefined ? {} : { line }
  const seen = new Set<string>()
  if (header.every((name) => name === ''))
    throw tableError('table-bad-header', file, 'must have a header that names the columns', place)
  header.forEach((name) => {
    if (name === '') return
    if (seen.has(name)) {
      throw tableError('table-bad-header', file, 'must be named once in the header', { ...place, column: name })
    }
    seen.add(name)
  })
}

/** The columns to keep and what each must hold; throws when one is not in the header. */
export function wantedColumns(
  spec: TableSpec,
  header: readonly string[],
  file: string,
): ReadonlyMap<string, ColumnWant> {
  const wanted = new Map<string, ColumnWant>()
  const known = new Set(header)
  const want = (flag: string, name: string, kind: ColumnWant) => {
    if (!known.has(name)) {
      const hint = header.length === 1 ? '; --separator says what stands between the columns' : ''
      const named = header.filter((column) => column !== '')
      const rule = `no column ${quote(name)} (${flag}); the columns are ${listNames(named)}${hint}`
      throw tableError('table-missing-column', file, rule, { column: name })
    }
    wanted.set(name, kind)
  }
  for (const one of covariateSpecs(spec)) {
    const declared = featureWant(one, one.covariate)
    const levels = declared === undefined || declared === 'text' ? predictionLevels(one, header) : []
    if (levels.length > 0) for (const level of levels) want('prediction', `${one.prediction}=${level}`, 'number')
    else if (one.prediction !== undefined) want('prediction', one.prediction, predictionWant(one))
    want('covariate', one.covariate, declared ?? (levels.length > 0 ? 'text' : 'any'))
    if (one.observed !== undefined) want('observed', one.observed, 'number')
  }
  for (const name of spec.context)
    want('context', name, spec.dates?.includes(name) === true ? 'date' : (featureWant(spec, name) ?? 'any'))
  for (const { column, within } of spec.witnesses ?? []) {
    for (const name of within === undefined ? [column] : [column, within])
      if (!wanted.has(name)) want('witness', name, name === within ? 'text' : 'any')
  }
  for (const name of spec.rewards ?? []) want('rewards', name, 'number')
  for (const name of spec.means ?? []) want('means', name, 'number')
  return wanted
}

/** Every column that has a name. */
export function allColumns(header: readonly string[]): ReadonlyMap<string, ColumnWant> {
  return new Map(header.flatMap((name) => (name === '' ? [] : [[name, 'any'] as const])))
}

/** Levels whose probabilities are predicted in columns of their own; none: the prediction is one column. */
export function predictionLevels({ prediction }: TableSpec, header: readonly string[]): readonly string[] {
  if (prediction === undefined || header.includes(prediction)) return []
  const prefix = `${prediction}=`
  return header.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
}

function featureWant(spec: TableSpec, name: string): ColumnWant | undefined {
  const feature = declaredFeature(spec, name)
  if (feature === undefined && spec.categories?.includes(name) === true) return 'text'
  return feature?.type === 'category' ? 'text' : feature?.type
}

function predictionWant(spec: TableSpec): ColumnWant {
  const kind = featureWant(spec, spec.covariate) ?? 'any'
  return kind === 'boolean' ? 'probability' : kind
}

/** The context's features by name: a column each, a date as its parts that the table has. */
export function contextNames(spec: TableSpec, columns: ReadonlyMap<string, unknown>): readonly string[] {
  return spec.context.flatMap((name) =>
    spec.dates?.includes(name) === true
      ? dateParts.map((part) => `${name}.${part}`).filter((part) => columns.has(part))
      : [name],
  )
}

/** What the spec says about a column, if anything. */
export function declaredFeature(spec: TableSpec, name: string): Feature | undefined {
  const feature = ownValue(spec.features, name)
  if (feature !== undefined) return feature
  const range = ownValue(spec.ranges, name)
  return range === undefined ? undefined : { type: 'number', min: range[0], max: range[1] }
}

function ownValue<V>(record: Readonly<Record<string, V>> | undefined, name: string): V | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
