// A table before anybody has said what its columns are: profiles, what is missing with what, what predicts that, and a suggestion.
// Suspicious values count as missing in all but their own sentences, as in the suggested spec.

import { missingMarkers } from '../tables/missing-markers.js'
import { readCsv } from '../tables/read-csv.js'
import type { SuspiciousValue } from '../tables/suspicious-values.js'
import type { Table } from '../tables/table.js'
import { listNames, tableError } from '../tables/table-error.js'
import { dialectWords } from '../tables/table-reading.js'
import { checkFormat, type TableSpec } from '../tables/table-spec.js'
import type { TextOrigin } from '../tables/text-origin.js'
import type { Header } from '../tables/wanted-columns.js'
import { type ColumnProfile, columnProfile } from './column-profile.js'
import { laterColumns } from './later-columns.js'
import { type MissingPattern, missingPatterns } from './missing-patterns.js'
import { type MissingPredictor, missingPredictors } from './missing-predictors.js'
import { type SuggestedSpec, suggestSpec } from './suggest-spec.js'

/** What a look at a table found. */
export interface TableProfile extends SuggestedSpec {
  readonly file: string
  readonly rows: number
  /** How the file is written, where it is not plain CSV. */
  readonly written: readonly string[]
  readonly unnamed: readonly number[]
  /** Columns whose name an earlier one has. */
  readonly twice: Header['twice']
  readonly columns: readonly ColumnProfile[]
  readonly suspicious: readonly SuspiciousValue[]
  readonly patterns: readonly MissingPattern[]
  readonly predictors: readonly MissingPredictor[]
}

/** How a file is read, where that is not to be found. */
export type ProfileOptions = Pick<TableSpec, 'na' | 'separator' | 'decimal' | 'action' | 'reward' | 'propensity'>

/** A look at a CSV text, such as a file that was dropped on a page. */
export function profileCsv(text: TextOrigin, options: ProfileOptions = {}): Promise<TableProfile> {
  const read = async (format: ProfileOptions) => {
    checkFormat(format)
    return readCsv(text, { ...formatOf(format), context: [] }, { whole: true })
  }
  return profileRead(text.name, read, options)
}

/** How the file is read, without the roles of columns. */
export function formatOf({ na, separator, decimal }: ProfileOptions): Pick<TableSpec, 'na' | 'separator' | 'decimal'> {
  return {
    ...(na === undefined ? {} : { na }),
    ...(separator === undefined ? {} : { separator }),
    ...(decimal === undefined ? {} : { decimal }),
  }
}

/** What a look finds; `read` reads the whole table, once more where values turn out to stand for missing ones. */
export async function profileRead(
  file: string,
  read: (format: ProfileOptions) => Promise<Table>,
  options: ProfileOptions,
): Promise<TableProfile> {
  const first = await read(options)
  for (const role of ['action', 'reward', 'propensity'] as const) {
    const name = options[role]
    if (typeof name !== 'string' || first.columns.has(name)) continue
    const rule = `no column "${name}" (${role}); the columns are ${listNames([...first.columns.keys()])}`
    throw tableError('table-missing-column', file, rule, { column: name })
  }
  const profilesOf = (table: typeof first) =>
    [...table.columns].map(([name, column]) => columnProfile(name, column, table.reading?.missing.get(name)))
  const { action } = laterColumns(profilesOf(first), null, options).decisions
  const suspicious = profilesOf(first)
    .flatMap((profile) => profile.suspicious)
    .filter(({ column }) => column !== action)
  const markers = suspicious.map(({ column, value }) => `${column}=${value}`)
  const na = [...(options.na ?? missingMarkers), ...markers]
  const table = markers.length === 0 ? first : await read({ ...options, na })
  const columns = profilesOf(table)
  const missing = columns.filter((one) => one.missing > 0 && one.kind !== 'empty').map(({ name }) => name)
  const predictors = columns.filter(({ kind }) => kind !== 'text' && kind !== 'date' && kind !== 'empty')
  const twice = new Map(table.reading?.twice?.map(({ as, name }) => [as, name]))
  const { spec, leftOut } = suggestSpec(
    columns.filter(({ name }) => !twice.has(name)),
    (left) => laterColumns(left, table, options),
  )
  const format = formatOf(options.na !== undefined || markers.length > 0 ? { ...options, na } : options)
  return {
    file,
    rows: table.rows,
    written: table.reading?.dialect === undefined ? [] : dialectWords(table.reading.dialect),
    unnamed: table.reading?.unnamed ?? [],
    columns,
    suspicious,
    patterns: missing.length === 0 ? [] : missingPatterns(table, missing),
    predictors: missingPredictors(
      table,
      missing,
      predictors.map(({ name }) => name),
    ),
    spec: { ...spec, ...format },
    twice: table.reading?.twice ?? [],
    leftOut: [
      ...leftOut,
      ...[...twice].map(([column, name]) => ({
        column,
        why: `another column is named ${name} too: rename one of them`,
      })),
    ],
  }
}
