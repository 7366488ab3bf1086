// Which column of a table is what: the flags of `primo replay` and `primo calibrate` as data.

import type { Feature, Interactions } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { type DateOrder, dateParts } from './date-columns.js'
import { listNames, quote } from './table-error.js'

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

/** How actions were drawn: a column, all equally likely, or a probability for each. */
export type Propensity = string | { readonly uniform: true } | { readonly of: Readonly<Record<string, number>> }

/** Columns of a table in which every row is one decision. */
export interface DecisionColumns {
  readonly action?: string
  /** All actions in order; default: those that occur, sorted. */
  readonly actions?: readonly string[]
  readonly reward?: string
  readonly propensity?: Propensity
  readonly decisionId?: string
  readonly eventId?: string
  readonly subject?: string
  readonly time?: string
  readonly eligible?: string
  readonly propensities?: string
  /** Columns that are known only after the decision, and are never inputs. */
  readonly after?: readonly string[]
}

/** A spec with a covariate. */
export type CovariateTableSpec = TableSpec & CovariateColumns

/** Which column of a table is what. */
export interface TableSpec extends Partial<CovariateColumns>, DecisionColumns {
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
  /** Numbers that texts of a column stand for: {"renewed": {"ja": 1, "nein": 0}}. */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, number>>>>
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
export function covariateSpecs(spec: TableSpec): readonly CovariateTableSpec[] {
  const { others = [], covariate, observed, prediction, ...rest } = spec
  if (covariate === undefined) return []
  const first = {
    covariate,
    ...(observed === undefined ? {} : { observed }),
    ...(prediction === undefined ? {} : { prediction }),
  }
  return [first, ...others].map((one) => ({ ...rest, ...one }))
}

/** All covariates of a spec. */
export function covariateNames(spec: TableSpec): readonly string[] {
  return covariateSpecs(spec).map(({ covariate }) => covariate)
}

/** Columns of texts that are kept as they are, whatever their number: ids, times, lists. */
export function keyColumns(spec: TableSpec): readonly string[] {
  const { decisionId, eventId, subject, time, eligible, propensities } = spec
  return [decisionId, eventId, subject, time, eligible, propensities].filter((name) => name !== undefined)
}

/** Columns that are not known when an action is chosen. */
export function laterColumns({ action, reward, rewards = [], means = [], after = [] }: TableSpec): readonly string[] {
  return [action, reward, ...rewards, ...means, ...after].filter((name) => name !== undefined)
}

/** Throws `invalid-option` when the spec contradicts itself. */
export function checkTableSpec(spec: TableSpec): void {
  const { context, rewards, means } = spec
  const lists = { context, rewards: rewards ?? [], means: means ?? [], after: spec.after ?? [] }
  for (const [flag, names] of Object.entries(lists)) {
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
  const later = new Set(laterColumns(spec))
  const used = covariateSpecs(spec).flatMap(({ covariate, observed, prediction }) => [covariate, observed, prediction])
  for (const name of [...context, ...used]) {
    // What an action brings is not known when it is chosen.
    if (name === undefined || !later.has(name)) continue
    const field =
      (['action', 'reward'] as const).find((role) => spec[role] === name) ??
      (spec.after?.includes(name) ? 'after' : 'rewards')
    bad(
      field,
      field === 'rewards' ? 'columns that nothing else uses' : 'no input (take it out of context and covariates)',
      name,
    )
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
  checkDecisions(spec)
  checkWitnesses(spec)
  checkFormat(spec)
  checkInteractions(spec)
}

function checkDecisions({ propensity, action, reward, labels = {} }: TableSpec): void {
  if (action !== undefined && action === reward) bad('reward', 'another column than action', action)
  if (typeof propensity === 'object' && 'of' in propensity) {
    const sum = Object.values(propensity.of).reduce((total, value) => total + value, 0)
    if (!(Math.abs(sum - 1) < 1e-6)) bad('propensity.of', 'probabilities that sum to 1', String(sum))
  } else if (propensity !== undefined && typeof propensity !== 'string' && propensity?.uniform !== true)
    bad('propensity', 'a column, {"uniform": true} or {"of": {...}}', JSON.stringify(propensity))
  for (const [column, numbers] of Object.entries(labels))
    for (const [label, value] of Object.entries(numbers))
      if (!Number.isFinite(value)) bad(`labels.${column}.${label}`, 'a number', String(value))
}

function checkCovariate({ context, covariate, observed, prediction }: CovariateTableSpec): void {
  for (const [flag, name] of Object.entries({ covariate, observed, prediction })) {
    if (name === '' || (flag === 'covariate' && typeof name !== 'string'))
      bad(flag, 'the name of a column', String(name))
  }
  if (context.includes(covariate)) bad('covariate', 'a column that is not in context', covariate)
  if (covariate === observed || covariate === prediction) bad('covariate', 'a column of its own', covariate)
}

function checkWitnesses(spec: TableSpec): void {
  const { witnesses = [], context } = spec
  for (const { column, within } of witnesses) {
    if (column === within) bad('witness', 'compared within another column than itself', column)
    if (column === '' || within === '') bad('witness', 'the name of a column', `${column}:${within}`)
    if (context.includes(column) || covariateNames(spec).includes(column))
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

function bad(field: string, rule: string, value: string): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${quote(value)}`, { field, value })
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
