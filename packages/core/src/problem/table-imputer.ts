// A table of predictions by category, with back-off: the row that fits the context on the longest prefix of `by` speaks, so a
// combination that is not listed is answered by the row for fewer features, and in the end by the row for none.

import { PrimoError, show } from '@primo/numeric'
import { type Feature, featureLevels, levelIndex } from './feature.js'
import type { Context, Prediction } from './imputer.js'

/** One prediction of a table, and for which values. */
export interface TableRow {
  /** Values of the first features of `by`, as many as this row is about. */
  readonly when: Readonly<Record<string, string | boolean>>
  readonly value: Prediction
}

/** A table of predictions by category; what is not listed is looked up by fewer features. */
export interface TableImputer {
  readonly kind: 'table'
  /** Categories and booleans of the context; what is not listed is looked up without the last of them, and so on. */
  readonly by: readonly string[]
  readonly rows: readonly TableRow[]
  readonly version?: string
}

/** Built when a table is first asked. */
const indexes = new WeakMap<TableImputer, ReadonlyMap<string, Prediction>>()

export function lookUp(
  imputer: TableImputer,
  features: Readonly<Record<string, Feature>>,
  context: Context,
): Prediction | undefined {
  let index = indexes.get(imputer)
  if (index === undefined) {
    index = new Map(imputer.rows.map(({ when, value }) => [keyOf(prefixOf(imputer.by, when)!, when), value]))
    indexes.set(imputer, index)
  }
  const values: Record<string, unknown> = {}
  for (const name of imputer.by) values[name] = levelOf(features[name], context[name])
  for (let length = imputer.by.length; length >= 0; length--) {
    const found = index.get(keyOf(imputer.by.slice(0, length), values))
    if (found !== undefined) return found
  }
  return undefined
}

/** A level as the encoding takes it: one that is not declared may be "other". */
function levelOf(feature: Feature | undefined, value: unknown): unknown {
  if (feature?.type !== 'category' || typeof value !== 'string') return value
  return featureLevels(feature)[levelIndex(feature, value)] ?? value
}

function keyOf(names: readonly string[], values: Readonly<Record<string, unknown>>): string {
  let key = ''
  for (const name of names) key += `${JSON.stringify(values[name])},`
  return key
}

/** The features a row is about; null: they are not the first ones of `by`. */
function prefixOf(by: readonly string[], when: Readonly<Record<string, unknown>>): readonly string[] | null {
  const { length } = Object.keys(when)
  if (length > by.length) return null
  for (let k = 0; k < length; k++) if (!Object.hasOwn(when, by[k]!)) return null
  return length === by.length ? by : by.slice(0, length)
}

export function checkTableImputer(field: string, given: Partial<Record<string, unknown>>): void {
  const { by, rows } = given
  if (!Array.isArray(by) || by.length === 0 || by.some((name) => typeof name !== 'string'))
    bad(`${field}.by`, 'a list of at least one feature', by)
  if (new Set(by).size !== by.length) bad(`${field}.by`, 'distinct features', by.join(', '))
  if (!Array.isArray(rows) || rows.length === 0) bad(`${field}.rows`, 'a list of at least one {when, value}', rows)
  const seen = new Set<string>()
  rows.forEach((row: Partial<TableRow> | null, k) => {
    const at = () => `${field}.rows[${k}]`
    if (typeof row?.when !== 'object' || row.when === null) bad(`${at()}.when`, 'a map feature -> value', row?.when)
    const prefix = prefixOf(by as string[], row.when)
    if (prefix === null)
      bad(`${at()}.when`, `about the first features of by (${by.join(', ')})`, Object.keys(row.when).join(', '))
    if (row.value === undefined || row.value === null) bad(`${at()}.value`, 'a prediction', row.value)
    const key = keyOf(prefix, row.when)
    if (seen.has(key)) bad(`${at()}.when`, 'listed once', JSON.stringify(prefix.map((name) => row.when![name])))
    seen.add(key)
  })
}

/** Names and levels must be the problem's: a misspelt level would silently back off. */
export function checkTableContext(field: string, imputer: TableImputer, context: Readonly<Record<string, Feature>>) {
  const values = imputer.by.map((name): ReadonlySet<unknown> => {
    const feature = Object.hasOwn(context, name) ? context[name] : undefined
    if (feature === undefined || feature.type === 'number')
      bad(`${field}.by`, 'categories or booleans of the context', name)
    return new Set<unknown>(feature.type === 'category' ? featureLevels(feature) : [false, true])
  })
  imputer.rows.forEach(({ when }, k) => {
    for (const [j, name] of imputer.by.entries())
      if (Object.hasOwn(when, name) && !values[j]!.has(when[name]))
        bad(`${field}.rows[${k}].when.${name}`, `a value of the feature ${name}`, when[name])
  })
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}
