// Which columns of a file a spec needs, and what each must hold.

import type { ColumnWant } from './table.js'
import { listNames, quote, tableError } from './table-error.js'
import { type CovariateTableSpec, covariateSpecs, declaredFeature, type TableSpec } from './table-spec.js'

export interface Header {
  /** '': the column has no name. A name that stands there twice becomes "x.1", as in pandas. */
  readonly names: readonly string[]
  readonly twice: readonly { readonly name: string; readonly column: number; readonly as: string }[]
}

/** The columns' names, each once; throws where there are none. */
export function checkHeader(file: string, given: readonly string[], line?: number): Header {
  if (given.every((name) => name === ''))
    throw tableError('table-bad-header', file, 'must have a header that names the columns', line ? { line } : {})
  const names: string[] = []
  const twice: { name: string; column: number; as: string }[] = []
  given.forEach((name, k) => {
    let as = name
    for (let copy = 1; as !== '' && (names.includes(as) || (copy > 1 && given.includes(as))); copy++)
      as = `${name}.${copy}`
    if (as !== name) twice.push({ name, column: k + 1, as })
    names.push(as)
  })
  return { names, twice }
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
  if (spec.action !== undefined) want('action', spec.action, 'text')
  if (spec.reward !== undefined) want('reward', spec.reward, 'reward')
  if (typeof spec.propensity === 'string') want('propensity', spec.propensity, 'number')
  for (const name of spec.rewards ?? []) want('rewards', name, 'number')
  for (const name of spec.means ?? []) want('means', name, 'number')
  return wanted
}

/** Every column that has a name. */
export function allColumns(header: readonly string[]): ReadonlyMap<string, ColumnWant> {
  return new Map(header.flatMap((name) => (name === '' ? [] : [[name, 'any'] as const])))
}

/** Levels whose probabilities are predicted in columns of their own; none: the prediction is one column. */
export function predictionLevels(
  { prediction }: Pick<TableSpec, 'prediction'>,
  header: readonly string[],
): readonly string[] {
  if (prediction === undefined || header.includes(prediction)) return []
  const prefix = `${prediction}=`
  return header.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
}

function featureWant(spec: TableSpec, name: string): ColumnWant | undefined {
  const feature = declaredFeature(spec, name)
  if (feature === undefined && spec.categories?.includes(name) === true) return 'text'
  return feature?.type === 'category' ? 'text' : feature?.type
}

function predictionWant(spec: CovariateTableSpec): ColumnWant {
  const kind = featureWant(spec, spec.covariate) ?? 'any'
  return kind === 'boolean' ? 'probability' : kind
}
