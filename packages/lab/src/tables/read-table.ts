// Reads a table by DuckDB, only the columns that the spec names. Columns of a CSV file whose first rows are plain
// numbers are read as numbers; should a text follow, all are read as texts and turned into numbers cell by cell.

import { type Chunk, chunksOf, reasonOf, sqlName } from './duckdb.js'
import { type Cells, TableFiller } from './fill-table.js'
import { type OpenTable, openTable } from './open-table.js'
import { csvRows, placeOf, type ReadOptions, unnamed } from './read-csv.js'
import type { Table, TextCell } from './table.js'
import { tableError } from './table-error.js'
import { checkFormat, checkTableSpec, type TableSpec } from './table-spec.js'

/** Every column that has a name, whatever it holds: for a look at a table before its columns have roles. */
export async function readWholeTable(
  file: string,
  format: Pick<TableSpec, 'na' | 'separator' | 'decimal' | 'categories' | 'labels'> = {},
): Promise<Table> {
  checkFormat(format)
  return read(file, { ...format, context: [] }, { whole: true })
}

/** Reads the columns of a table that the spec names: a file, several ("visits/*.csv"), or a query. */
export async function readTable(file: string, spec: TableSpec): Promise<Table> {
  checkTableSpec(spec)
  return read(file, spec, {})
}

/** The names of a table's columns. */
export async function tableHeader(file: string, format: Partial<TableSpec> = {}): Promise<readonly string[]> {
  const open = await openTable(file, format)
  open.close()
  return open.names
}

async function read(file: string, spec: TableSpec, options: ReadOptions): Promise<Table> {
  const open = await openTable(file, spec)
  try {
    let texts: ReadonlyMap<string, TextCell> = new Map()
    for (let fast = open.csv !== undefined; ; ) {
      const filler = await fill(open, spec, options.whole === true, texts, fast).catch((error: unknown) => {
        if (fast && isConversion(error)) return null
        throw error
      })
      const late = filler?.late()
      if (filler !== null && late!.size === 0) return finish(open, filler)
      if (filler === null) fast = false
      else texts = new Map([...texts, ...late!])
    }
  } finally {
    open.close()
  }
}

const NOT_PLAIN = 'not a plain number'

const isConversion = (error: unknown) =>
  error instanceof Error && /^Conversion Error|Error when converting column|not a plain number/m.test(error.message)

function finish({ file, csv, names, twice }: OpenTable, filler: TableFiller): Table {
  const rule = csv === undefined ? 'must have rows, got none' : 'must have rows, got only a header'
  if (filler.rows === 0) throw tableError('table-empty', file, rule)
  const found = { ...unnamed(names), ...(twice.length > 0 ? { twice } : {}) }
  return filler.finish(csv === undefined ? found : { dialect: csv.dialect, ...found })
}

async function fill(
  open: OpenTable,
  spec: TableSpec,
  whole: boolean,
  texts: ReadonlyMap<string, TextCell>,
  fast: boolean,
): Promise<TableFiller> {
  const { file, names, columns, csv, estimate } = open
  const place = (row: number) =>
    csv === undefined || csv.text.name !== file ? { row: row + 1 } : placeOf(csv.text, csv.dialect, row, names.length)
  const more = csv === undefined ? {} : { decimal: csv.dialect.decimal }
  const filler = new TableFiller({
    file,
    header: names,
    spec,
    whole,
    typed: csv === undefined,
    place,
    texts,
    estimate,
    ...more,
  })
  const types = columns.map(({ type }) => type)
  const select: string[] = []
  const readers: ((chunk: Chunk) => Cells)[] = []
  const take = (...sql: string[]) => {
    const at = select.length
    select.push(...sql)
    return at
  }
  for (const { name, text } of filler.columns) {
    const k = names.indexOf(name)
    const column = sqlName(columns[k]!.name)
    const looks = text ? 'texts' : csv?.looks[k]
    const isPlain = looks === 'numbers' && fast
    if (isPlain) types[k] = 'DOUBLE'
    const sql = isPlain ? plainSql(column) : SQL[kindOf(types[k]!)](column)
    if (looks === 'mixed' || (looks === 'numbers' && !fast)) {
      const number = numberSql(column, csv!.dialect.decimal)
      const either = (a: string, b: string) => `case when isfinite(${number}) then ${a} else ${b} end`
      readers.push(eitherOf(take(either(number, "'nan'"), either("''", column))))
    } else if (!whole && !text && /^(DATE|TIMESTAMP)/.test(types[k]!)) {
      const rule = `must be a number or a text, got a date: --dates ${name} makes numbers of it`
      throw tableError('table-wrong-type', file, rule, { column: name })
    } else readers.push(plain(take(sql)))
  }
  try {
    for await (const chunk of chunksOf(select, open.from(types)))
      filler.take(
        chunk.rows,
        readers.map((cells) => cells(chunk)),
      )
  } catch (error) {
    if (fast && isConversion(error)) throw error
    if (!(error instanceof Error) || error.name === 'PrimoError') throw error
    // The reader of the browser has the better sentences.
    if (csv !== undefined) for (const _ of csvRows(csv.text, csv.dialect, csv.header.length));
    throw tableError('table-unreadable', file, `cannot be read (${reasonOf(error)})`)
  }
  return filler
}

type Kind = 'number' | 'text' | 'time' | 'any'

function kindOf(type: string): Kind {
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL\b.*)$/.test(type)) return 'number'
  if (type === 'VARCHAR' || type === 'BOOLEAN') return 'text'
  return /^(DATE|TIME|ENUM|UUID)/.test(type) ? 'time' : 'any'
}

const SQL: Readonly<Record<Kind, (column: string) => string>> = {
  number: (column) => `coalesce(${column}::double, 'nan')`,
  text: (column) => column,
  time: (column) => `${column}::varchar`,
  any: (column) => `to_json(${column})::varchar`,
}

/** A number, or an error where DuckDB takes NaN or inf for one: they may be markers. */
function plainSql(column: string): string {
  return `coalesce(case when isfinite(${column}) then ${column} when ${column} is not null then error('${NOT_PLAIN}') end, 'nan')`
}

function numberSql(column: string, decimal: '.' | ','): string {
  const pointed =
    decimal === '.' ? column : `case when contains(${column}, '.') then null else replace(${column}, ',', '.') end`
  return `try_cast(case when contains(${column}, '_') then null else ${pointed} end as double)`
}

function plain(at: number): (chunk: Chunk) => Cells {
  return (chunk) => chunk.cells(at) as Cells
}

function eitherOf(at: number): (chunk: Chunk) => Cells {
  return (chunk) => {
    const [numbers, texts] = [chunk.cells(at), chunk.cells(at + 1)]
    return (row) => {
      const number = numbers(row) as number
      return Number.isNaN(number) ? (texts(row) as string | null) : number
    }
  }
}
