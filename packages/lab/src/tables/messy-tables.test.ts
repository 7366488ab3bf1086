// Each trouble gives the clean table, or a sentence that says which flag does; the same cells as pandas where python3 has it.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { encodeTable } from './encode-table.js'
import { messyTables, missingDoses, visits } from './messy-tables.fixture.js'
import { missingMarkers } from './missing-markers.js'
import { readCsv } from './read-csv.js'
import { readTable } from './read-table.js'
import type { Column } from './table.js'
import { fileOf, refusal } from './table-files.fixture.js'
import type { TableSpec } from './table-spec.js'
import { bytesText } from './text-origin.js'
import { writeWithColumns } from './write-calibrated.js'

const spec: TableSpec = { context: ['age', 'clinic'], covariate: 'dose' }

function cells(column: Column | undefined): readonly (number | string | null)[] {
  if (column === undefined) throw new Error('no such column')
  if (column.kind === 'number') return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value))
  return Array.from(column.codes, (code) => column.levels[code] ?? null)
}

const cleaned = (na: readonly string[] | undefined): TableSpec =>
  na === undefined ? spec : { ...spec, na: [...missingMarkers, ...na] }

describe('messy tables', () => {
  test.each(messyTables)('$trouble', async ({ content, said, na }) => {
    const file = fileOf(content)
    const table = await readTable(file, cleaned(na))
    expect(cells(table.columns.get('age'))).toEqual(visits.map(({ age }) => age))
    expect(cells(table.columns.get('clinic'))).toEqual(visits.map(({ clinic }) => clinic))
    expect(cells(table.columns.get('dose'))).toEqual(visits.map(({ dose }) => dose))
    const counted = [...table.reading!.missing.get('dose')!.values()].reduce((sum, count) => sum + count, 0)
    expect(counted).toBe(missingDoses)
    // Bytes in memory give what the file gives.
    const dropped = readCsv(bytesText(file, new Uint8Array(content)), cleaned(na))
    expect([...dropped.columns]).toEqual([...table.columns])
    expect(dropped.reading).toEqual(table.reading)
    const { notes } = encodeTable(await readTable(file, spec), spec)
    for (const words of said) expect(notes.join('\n')).toContain(words)
  })

  test('are written back as they are written, with new columns at the end', async () => {
    const table = await readTable(fileOf(messyTables[9]!.content), spec)
    const out = `${table.file}.out.csv`
    await writeWithColumns(table, [{ name: 'new', values: new Float64Array(table.rows).fill(1.5) }], out)
    expect(readFileSync(out, 'utf8').split('\n').slice(0, 2)).toEqual([
      'age;clinic;dose;when;new',
      '20,5;Zürich;0;2024-03-01 00:30;1,5',
    ])
  })

  const pandas = hasPandas()
  test.skipIf(!pandas).each(messyTables)('$trouble, as pandas cleans it', async ({ content, na, pandas: asked }) => {
    const file = fileOf(content)
    const script = [
      'import json, sys, pandas',
      'table = pandas.read_csv(sys.argv[1], **json.loads(sys.argv[2]))',
      'columns = {name: [None if pandas.isna(cell) else cell for cell in table[name].tolist()] for name in ["age", "clinic", "dose"]}',
      'print(json.dumps(columns))',
    ].join('\n')
    const printed = execFileSync('python3', ['-c', script, file, JSON.stringify(asked)], { encoding: 'utf8' })
    const table = await readTable(file, cleaned(na))
    const ours = Object.fromEntries(['age', 'clinic', 'dose'].map((name) => [name, cells(table.columns.get(name))]))
    expect(ours).toEqual(JSON.parse(printed))
  })
})

function hasPandas(): boolean {
  try {
    execFileSync('python3', ['-c', 'import pandas'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('passed over: python3 has no pandas, so the messy tables are not compared with its cells\n')
    return false
  }
}

describe('dates', () => {
  const numbers = async (texts: readonly string[], more: Partial<TableSpec> = {}) => {
    const lines = texts.map((text, k) => `${k},${text},${k}`)
    const given = { context: ['when'], covariate: 'z', dates: ['when'], ...more }
    const table = await readTable(fileOf(`x,when,z\n${lines.join('\n')}\n`), given)
    return Object.fromEntries([...table.columns].map(([name, column]) => [name, cells(column)]))
  }

  test('become day of the week, hour and days since 1970, on the clock as written', async () => {
    expect(await numbers(['2024-03-05T14:30:00+02:00', '1969-12-31 00:00Z', '2024-02-29 23:00Z'])).toEqual({
      'when.weekday': [2, 3, 4],
      'when.hour': [14.5, 0, 23],
      'when.days': [19787 + 12.5 / 24, -1, 19782 + 23 / 24],
      z: [0, 1, 2],
    })
    expect(await numbers(['5.3.2024', '20240306', ''])).toEqual({
      'when.weekday': [2, 3, null],
      'when.days': [19787, 19788, null],
      z: [0, 1, 2],
    })
    expect(await numbers(['2:30 pm', '00:15'])).toEqual({ 'when.hour': [14.5, 0.25], z: [0, 1] })
  })

  test('find the order of day and month in the column, or ask for it', async () => {
    expect((await numbers(['3/5/2024', '3/25/2024']))['when.days']).toEqual([19787, 19807])
    expect((await numbers(['5/3/2024', '25/3/2024']))['when.days']).toEqual([19787, 19807])
    const unclear = await refusal(numbers(['3/5/2024']))
    expect(unclear.message).toContain('line 2 (row 1), column "when"')
    expect(unclear.message).toContain('add --date-order dmy or mdy')
    expect((await numbers(['3/5/2024'], { dateOrder: 'mdy' }))['when.days']).toEqual([19787])
    expect((await refusal(numbers(['25/3/2024', '3/25/2024']))).message).toContain('in one order')
    expect((await refusal(numbers(['2024-02-30']))).message).toContain('must be a date or a time')
  })

  test('are features of the context', async () => {
    const given: TableSpec = { context: ['age', 'when'], covariate: 'dose', dates: ['when'] }
    const { context, encoding } = encodeTable(await readTable(fileOf(messyTables[5]!.content), given), given)
    expect(Object.keys(context)).toEqual(['age', 'when.weekday', 'when.hour', 'when.days'])
    expect(encoding.contextWidth).toBe(4)
  })
})

describe('what is said of columns', () => {
  const notesOf = async (header: string, line: (k: number) => string, given: TableSpec) => {
    const lines = Array.from({ length: 60 }, (_, k) => line(k))
    return encodeTable(await readTable(fileOf(`${header}\n${lines.join('\n')}\n`), given), given).notes.join('\n')
  }

  test('numbers that may be codes, unless they are declared', async () => {
    const line = (k: number) => `${1 + (k % 4)},0${k},${k / 7}`
    const given: TableSpec = { context: ['zone', 'zip'], covariate: 'z' }
    const notes = await notesOf('zone,zip,z', line, given)
    expect(notes).toContain('zone (only 1, 2, 3, 4); zip (has values with zeros in front); --categories zone,zip')
    const declared = await notesOf('zone,zip,z', line, { ...given, categories: ['zone', 'zip'] })
    expect(declared).not.toContain('--categories')
    expect(declared).toContain('context column zone is a category of 4 levels')
  })

  test('no value is suspicious that is near the others, declared, or hidden', async () => {
    const given: TableSpec = { context: ['x'], covariate: 'z' }
    expect(await notesOf('x,z', (k) => `${k % 2 === 0 ? 999 : 10 * k},${k / 7}`, given)).not.toContain('warning')
    const sentinel = (k: number) => `${k / 3},${k % 5 === 0 ? -99 : k / 7},${k % 5 === 0 ? 0 : 1}`
    expect(await notesOf('x,z,b', sentinel, given)).toContain('12 values of z are -99')
    expect(await notesOf('x,z,b', sentinel, { ...given, observed: 'b' })).not.toContain('warning')
    expect(await notesOf('x,z,b', sentinel, { ...given, ranges: { z: [-99, 9] } })).not.toContain('warning')
  })

  test('a level that is declared is no marker', async () => {
    const given: TableSpec = { context: ['garage'], covariate: 'z' }
    const line = (k: number) => `${['None', 'one', 'two'][k % 3]},${k / 7}`
    const levels = { garage: { type: 'category', levels: ['None', 'one', 'two'] } } as const
    expect(await notesOf('garage,z', line, { ...given, features: levels })).not.toContain('missing in garage')
    await expect(notesOf('garage,z', line, given)).rejects.toThrow('column "garage": must have a value')
  })
})

describe('several covariates', () => {
  test('each have their own cells, flags and predictions, in the order they are named', async () => {
    const file = fileOf('x,z,b,g,w,h\n1,5,0,2,on,off\n2,4,1,,,on\n3,2,1,3,off,off\n')
    const given: TableSpec = {
      context: ['x'],
      covariate: 'z',
      observed: 'b',
      prediction: 'g',
      others: [{ covariate: 'w', prediction: 'h' }],
      ranges: { z: [0, 4] },
    }
    const { covariates, knownCount, rowsOf } = encodeTable(await readTable(file, given), given)
    expect(Object.keys(covariates)).toEqual(['z', 'w'])
    expect(knownCount).toBe(2)
    const { observed, truth, pretrained } = rowsOf(Uint32Array.of(0, 1, 2))
    // A row is z, w=off, w=on.
    expect([...observed]).toEqual([0, 1, 1, 0, 1, 1])
    expect([...truth]).toEqual([1.5, 0, 1, 1, Number.NaN, Number.NaN, 0, 1, 0])
    expect([...pretrained]).toEqual([0, 1, 0, Number.NaN, 0, 1, 0.5, 1, 0])
  })
})
