// What was found when a table was read, in sentences: how the file is written, what was taken as missing.

import type { FoundDialect } from './csv-dialect.js'
import { separatorName } from './csv-records.js'
import { listNames } from './table-error.js'
import type { Header } from './wanted-columns.js'

/** Per column, per marker ('': an empty cell), how many cells were missing. */
export type MissingCounts = ReadonlyMap<string, ReadonlyMap<string, number>>

export interface TableReading {
  /** Absent: not a CSV file. */
  readonly dialect?: FoundDialect
  readonly missing: MissingCounts
  /** Columns without a name, counted from 1; nothing can use them. */
  readonly unnamed: readonly number[]
  /** Columns whose name another one has, counted from 1, and the name they are given. */
  readonly twice?: Header['twice']
}

/** `told`: columns whose missing values another sentence counts. */
export function readingNotes(
  { dialect, missing, unnamed, twice = [] }: TableReading,
  told: readonly string[] = [],
): readonly string[] {
  const notes: string[] = []
  if (dialect !== undefined) {
    const found = dialectWords(dialect)
    if (found.length > 0) notes.push(`the file is read as ${found.join(', ')}`)
  }
  if (unnamed.length > 0) {
    const which = unnamed.length === 1 ? `column ${unnamed[0]} has` : `columns ${listNames(unnamed.map(String))} have`
    notes.push(`${which} no name and is left alone`.replace(/have no name and is/, 'have no name and are'))
  }
  for (const { name, column, as } of twice)
    notes.push(`warning: column ${column} has the name of an earlier one, "${name}", and is read as "${as}"`)
  for (const [column, counts] of missing)
    if (counts.size > 0 && !told.includes(column)) notes.push(`missing in ${column}: ${missingWords(counts)}`)
  return notes
}

/** `12 "NA", 3 empty`. */
export function missingWords(counts: ReadonlyMap<string, number> = new Map()): string {
  return [...counts].map(([marker, count]) => `${count.toLocaleString('en')} ${markerName(marker)}`).join(', ')
}

function markerName(marker: string): string {
  return marker === '' ? 'empty' : `"${marker}"`
}

/** What is not plain CSV (UTF-8, commas, points) about a file. */
export function dialectWords(dialect: FoundDialect): readonly string[] {
  const { encoding, byteOrderMark, separator, quote, decimal, crlf } = dialect
  return [
    ...(encoding === 'UTF-8' ? [] : [encoding === 'Windows-1252' ? 'Latin-1 (Windows-1252)' : encoding]),
    ...(byteOrderMark ? ['with a byte order mark'] : []),
    ...(separator === ',' ? [] : [`separated by ${separatorName(separator).replace(/^a /, '')}s`]),
    ...(decimal === '.' ? [] : ['decimal commas']),
    ...(quote === '"' ? [] : ['quoted by apostrophes']),
    ...(crlf ? ['CRLF line ends'] : []),
  ]
}
