// Twelve tables as people keep them, each with its own trouble, all of the same 60 visits: age and clinic are known, dose in part.
// `clean` is what they all hold.

export interface Visit {
  readonly age: number
  readonly clinic: string
  readonly dose: number | null
  readonly when: string
}

export const visits: readonly Visit[] = Array.from({ length: 60 }, (_, k) => ({
  age: 20 + ((k * 7) % 60) + 0.5,
  clinic: ['Zürich', 'Genève', 'Bern'][k % 3]!,
  dose: k % 4 === 1 ? null : ((k * 11) % 40) / 8,
  when: `2024-03-${String(1 + (k % 28)).padStart(2, '0')} ${String(k % 24).padStart(2, '0')}:30`,
}))

export const missingDoses = visits.filter(({ dose }) => dose === null).length

interface Written {
  readonly separator?: string
  readonly end?: string
  readonly missing?: (k: number) => string
  readonly number?: (value: number) => string
  readonly quote?: string
  /** What stands in front of the header and of each row. */
  readonly index?: (k: number) => string
}

function table({ separator = ',', end = '\n', missing = () => '', number = String, quote = '', index }: Written = {}) {
  const line = (k: number, cells: readonly string[]) =>
    [...(index === undefined ? [] : [index(k)]), ...cells].join(separator) + end
  return [
    line(-1, ['age', 'clinic', 'dose', 'when']),
    ...visits.map(({ age, clinic, dose, when }, k) =>
      line(k, [number(age), `${quote}${clinic}${quote}`, dose === null ? missing(k) : number(dose), when]),
    ),
  ].join('')
}

const comma = (value: number) => String(value).replace('.', ',')
const markers = ['NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NaN', 'nan', 'null', 'NULL', 'None', '?', '.', '']

export interface MessyTable {
  readonly trouble: string
  readonly content: Buffer
  /** Words that the notes must have. */
  readonly said: readonly string[]
  /** Flags that make it clean, where the file alone does not tell. */
  readonly na?: readonly string[]
  /** How pandas is asked to clean it: arguments of read_csv, as JSON. */
  readonly pandas: Readonly<Record<string, unknown>>
}

const latin = (text: string) => Buffer.from(text, 'latin1')

export const messyTables: readonly MessyTable[] = [
  {
    trouble: 'every marker of a missing value',
    content: Buffer.from(table({ missing: (k) => markers[((k - 1) / 4) % markers.length]! })),
    said: ['missing: 2 "NA", 2 "N/A"', '1 "."', '1 empty'],
    pandas: { na_values: ['?', '.'] },
  },
  {
    trouble: 'a sentinel, -999',
    content: Buffer.from(table({ missing: () => '-999' })),
    said: [`warning: ${missingDoses} values of dose are -999`, '--na dose=-999 makes it one'],
    na: ['dose=-999'],
    pandas: { na_values: ['-999'] },
  },
  {
    trouble: 'two sentinels, -9999.0 and 9999',
    content: Buffer.from(table({ missing: (k) => (k % 8 === 1 ? '-9999.0' : '9999') })),
    said: ['values of dose are -9999,', 'values of dose are 9999,'],
    na: ['-9999', '9999'],
    pandas: { na_values: ['-9999', '9999'] },
  },
  {
    trouble: 'a text for a missing number in many cells',
    content: Buffer.from(table({ missing: () => 'unknown' })),
    said: ['warning: dose is taken as a category', 'add --na dose=unknown'],
    na: ['dose=unknown'],
    pandas: { na_values: ['unknown'] },
  },
  {
    trouble: "pandas' index column",
    content: Buffer.from(table({ index: (k) => (k < 0 ? '' : String(k)) })),
    said: ['column 1 has no name and is left alone'],
    pandas: { index_col: 0 },
  },
  {
    trouble: 'semicolons and decimal commas',
    content: Buffer.from(table({ separator: ';', number: comma })),
    said: ['separated by semicolons', 'decimal commas'],
    pandas: { sep: ';', decimal: ',' },
  },
  {
    trouble: 'tabs',
    content: Buffer.from(table({ separator: '\t', missing: () => 'NULL' })),
    said: ['separated by tabs', `dose: seen in 75.0% of 60 rows, 0.00 to 4.75; missing: ${missingDoses} "NULL"`],
    pandas: { sep: '\t' },
  },
  {
    trouble: 'a byte order mark and CRLF',
    content: Buffer.from(`\ufeff${table({ end: '\r\n' })}`),
    said: ['with a byte order mark', 'CRLF line ends'],
    pandas: { encoding: 'utf-8-sig' },
  },
  {
    trouble: 'UTF-16',
    content: Buffer.from(`\ufeff${table({ separator: '\t', end: '\r\n' })}`, 'utf16le'),
    said: ['UTF-16LE', 'separated by tabs'],
    pandas: { sep: '\t', encoding: 'utf-16' },
  },
  {
    trouble: 'Latin-1',
    content: latin(table({ separator: ';', number: comma })),
    said: ['Latin-1', 'separated by semicolons'],
    pandas: { sep: ';', decimal: ',', encoding: 'latin-1' },
  },
  {
    trouble: 'bars and apostrophes as quotes',
    content: Buffer.from(table({ separator: '|', quote: "'" })),
    said: ['separated by bars', 'quoted by apostrophes'],
    pandas: { sep: '|', quotechar: "'" },
  },
  {
    trouble: 'commas with quoted decimal commas',
    content: Buffer.from(table({ number: (value) => `"${comma(value)}"`, missing: () => 'NA' })),
    said: ['decimal commas'],
    pandas: { decimal: ',' },
  },
  {
    trouble: 'a text for a missing number with a decimal comma',
    content: Buffer.from(table({ separator: ';', number: comma, missing: () => 'unknown' })),
    said: ['warning: dose is taken as a category', 'add --na dose=unknown'],
    na: ['dose=unknown'],
    pandas: { sep: ';', decimal: ',', na_values: ['unknown'] },
  },
]
