import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { category } from '@primo/core'
import type { PrimoError } from '@primo/numeric'
import { parquetWriteFile } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { readCsv } from './read-csv.js'
import { readTable } from './read-table.js'
import type { Column } from './table.js'
import { fileOf, folder, refusal } from './table-files.fixture.js'
import { tableNotes } from './table-notes.js'
import type { TableSpec } from './table-spec.js'
import { bytesText } from './text-origin.js'

const spec: TableSpec = { context: ['x1', 'x2'], covariate: 'z' }

const failure = (file: string, given: TableSpec = spec): Promise<PrimoError> => refusal(readTable(file, given))

function cells(column: Column | undefined): readonly (number | string | null)[] {
  if (column === undefined) throw new Error('no such column')
  if (column.kind === 'number') return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value))
  return Array.from(column.codes, (code) => column.levels[code] ?? null)
}

describe('readTable', () => {
  test('takes columns of numbers as numbers and others as texts, with empty cells as missing', async () => {
    const file = fileOf('id,x1,x2,z,b\n1,0.5,red,,0\n2,-1e3,"blue, dark",2,1\n3,7,red,-0.25,1\n')
    const table = await readTable(file, spec)
    expect(table.rows).toBe(3)
    expect(table.header).toEqual(['id', 'x1', 'x2', 'z', 'b'])
    expect([...table.columns.keys()].sort()).toEqual(['x1', 'x2', 'z'])
    expect(cells(table.columns.get('x1'))).toEqual([0.5, -1000, 7])
    expect(cells(table.columns.get('x2'))).toEqual(['red', 'blue, dark', 'red'])
    expect(cells(table.columns.get('z'))).toEqual([null, 2, -0.25])
  })

  test('takes a byte order mark, CRLF, blank lines at the end, spaces and quotes around numbers', async () => {
    const file = fileOf('\ufeffx1, x2 ,z\r\n 1 ,"2", \r\n3,4,5\r\n\r\n\r\n')
    const table = await readTable(file, spec)
    expect(table.header).toEqual(['x1', 'x2', 'z'])
    expect(cells(table.columns.get('x1'))).toEqual([1, 3])
    expect(cells(table.columns.get('x2'))).toEqual([2, 4])
    expect(cells(table.columns.get('z'))).toEqual([null, 5])
  })

  test('keeps the texts of a column that starts with numbers', async () => {
    const file = fileOf('x1,x2,z\n1,007,1\n2,8,2\n3,x,3\n')
    const table = await readTable(file, spec)
    expect(cells(table.columns.get('x2'))).toEqual(['007', '8', 'x'])
    expect(table.columns.get('x2')).toMatchObject({ kind: 'text', first: { row: 2, text: 'x' } })
  })

  test('lets a cell that is flagged missing decide nothing', async () => {
    const given = { ...spec, observed: 'b' }
    for (const garbage of ['unknown', 'NaN', '99', '', '-']) {
      const table = await readTable(
        fileOf(`x1,x2,z,b\n1,1,${garbage},0\n1,2,0.5,1\n1,3,${garbage},0\n1,3,7,1\n`),
        given,
      )
      const z = table.columns.get('z')
      expect(z?.kind).toBe('number')
      expect([cells(z)[1], cells(z)[3]]).toEqual([0.5, 7])
    }
    const texts = await readTable(fileOf('x1,x2,z,b\n1,1,hidden,0\n1,2,low,1\n1,3,5,0\n1,3,high,1\n'), given)
    expect(cells(texts.columns.get('z'))).toEqual(['hidden', 'low', '5', 'high'])
  })

  test('reads a name that stands twice as two columns and says so, and skips blank lines as DuckDB does', async () => {
    const content = 'x1,x2,z,x1\n1,2,3,4\n\n5,6,,8\n'
    const given: TableSpec = { context: ['x1', 'x2', 'x1.1'], covariate: 'z' }
    for (const table of [
      await readTable(fileOf(content), given),
      readCsv(bytesText('t', Buffer.from(content)), given),
    ]) {
      expect(cells(table.columns.get('x1'))).toEqual([1, 5])
      expect(cells(table.columns.get('x1.1'))).toEqual([4, 8])
      expect(tableNotes(table, given)).toContain(
        'warning: column 4 has the name of an earlier one, "x1", and is read as "x1.1"',
      )
    }
  })

  test('makes numbers of labels, in any format', async () => {
    const lines = ['ja', 'nein', 'NA', ' ja '].map((cell, k) => `${k},${cell}`)
    const given: TableSpec = { context: ['x'], covariate: 'z', labels: { z: { ja: 1, nein: 0 } } }
    const csv = fileOf(`x,z\n${lines.join('\n')}\n`)
    expect(cells((await readTable(csv, given)).columns.get('z'))).toEqual([1, 0, null, 1])
    const json = fileOf('{"x":0,"z":"ja"}\n{"x":1,"z":null}\n{"x":2,"z":"nein"}\n', 'jsonl')
    expect(cells((await readTable(json, given)).columns.get('z'))).toEqual([1, null, 0])
  })

  test('reads many files, folders named key=value, and queries', async () => {
    const year = (name: string) => join(folder, 'visits', `year=${name}`)
    for (const [name, content] of [
      ['2023', 'x,z\n1,2\n'],
      ['2024', 'x,z\n3,\n5,6\n'],
    ] as const) {
      mkdirSync(year(name), { recursive: true })
      writeFileSync(join(year(name), 'a.csv'), content)
    }
    const files = join(folder, 'visits', '*', '*.csv')
    const table = await readTable(files, { context: ['x', 'year'], covariate: 'z' })
    expect(cells(table.columns.get('x'))).toEqual([1, 3, 5])
    expect(cells(table.columns.get('year'))).toEqual([2023, 2024, 2024])
    const query = `select x + 1 as y, z from '${files}' where x > 1 order by x`
    expect(cells((await readTable(query, { context: ['y'], covariate: 'z' })).columns.get('y'))).toEqual([4, 6])
    writeFileSync(join(year('2024'), 'b.csv'), 'z,x\n1,2\n')
    expect((await failure(files, { context: ['x'], covariate: 'z' })).message).toContain('must have the columns of')
  })

  test('names file, line and column of a wrong type in row 17342', async () => {
    const lines = Array.from({ length: 20_000 }, (_, k) => `${k / 3},${k},${k}`)
    lines[17_341] = '0.5,1,abc'
    const file = fileOf(`x1,x2,z\n${lines.join('\n')}\n`)
    const error = await failure(file)
    expect(error.code).toBe('wrong-type')
    expect(error.message).toBe(
      `${file}, line 17343 (row 17342), column "z": must be a number, as the column has more than 256 different values (an empty cell means missing; --na makes other texts so), got "abc"`,
    )
    expect(error.facts).toMatchObject({ reason: 'table-wrong-type', file, line: 17_343, row: 17_342, column: 'z' })
    const rewards = await failure(file, { context: ['x1'], covariate: 'x2', rewards: ['z'] })
    expect(rewards.message).toBe(`${file}, line 17343 (row 17342), column "z": must be a number, got "abc"`)
    const declared = await failure(file, { ...spec, ranges: { z: [0, 1e6] } })
    expect(declared.message).toBe(`${file}, line 17343 (row 17342), column "z": must be a number, got "abc"`)
  })

  test.each(['unknown', '1;5'])(
    'refuses "%s" among numbers, wherever it stands, unless a category is declared',
    async (cell) => {
      for (const at of [0, 13, 19]) {
        const lines = Array.from({ length: 20 }, (_, k) => `${k % 4},${k === at ? cell : k % 5},${k}`)
        const file = fileOf(`x1,x2,z\n${lines.join('\n')}\n`)
        const error = await failure(file)
        expect(error.code).toBe('wrong-type')
        expect(error.message).toContain(`${file}, line ${at + 2} (row ${at + 1}), column "x2": must be a number`)
        expect(error.message).toContain("19 of the column's 20 values are (an empty cell means missing;")
        expect(error.message).toContain(`got "${cell}"`)
        const levels = category(['0', '1', '2', '3', '4', cell])
        const table = await readTable(file, { ...spec, features: { x2: levels } })
        expect(table.columns.get('x2')?.kind).toBe('text')
      }
    },
  )

  test('takes numbers as numbers and a mixture of numbers and texts as a category', async () => {
    const lines = Array.from({ length: 20 }, (_, k) => `${1 + (k % 3)},${k < 3 ? 'many' : k % 2},${k}`)
    const table = await readTable(fileOf(`x1,x2,z\n${lines.join('\n')}\n`), spec)
    expect(table.columns.get('x1')?.kind).toBe('number')
    expect(table.columns.get('x2')).toMatchObject({ kind: 'text', levels: ['many', '1', '0'] })
  })

  test('takes true and false in any case as booleans, whatever hidden cells hold', async () => {
    const file = fileOf('x1,x2,z,b\ntrue,no,5,0\nFALSE,true,True,1\nfalse,false,what,0\nTrue,true,false,1\n')
    const table = await readTable(file, { ...spec, observed: 'b' })
    expect(table.columns.get('x1')).toMatchObject({ kind: 'number', boolean: true })
    expect(cells(table.columns.get('x1'))).toEqual([1, 0, 0, 1])
    expect(table.columns.get('x2')?.kind).toBe('text')
    expect(cells(table.columns.get('z'))).toEqual([null, 1, null, 0])
  })

  test('counts lines through quoted line ends', async () => {
    const file = fileOf('x1,x2,z\n1,"a\nb",1\n1,"c",2\n"1\n",d,inf\n')
    expect((await failure(file)).message).toContain('line 5 (row 3), column "z": must be a finite number')
  })

  test.each([
    ['an empty file', '', 'must have a header, got an empty file', 'shape-mismatch'],
    ['only a header', 'x1,x2,z\n', 'must have rows, got only a header', 'shape-mismatch'],
    ['only a header and blank lines', 'x1,x2,z\n\n\n', 'must have rows, got only a header', 'shape-mismatch'],
    ['a missing column', 'x1,y,z\n1,2,3\n', 'no column "x2" (context); the columns are x1, y, z', 'missing-feature'],
    ['colons', 'x1:x2:z\n1:2:3\n', '--separator says what stands between the columns', 'missing-feature'],
    ['a header without names', ',,\n1,2,3\n', 'line 1: must have a header that names the columns', 'shape-mismatch'],
    [
      'a short row',
      'x1,x2,z\n1,2,3\n1,2\n',
      'line 3 (row 2): must have 3 fields, like the header, got 2',
      'shape-mismatch',
    ],
    [
      'a long row',
      'x1,x2,z\n1,2,3,4\n',
      'line 2 (row 1): must have 3 fields, like the header, got 4',
      'shape-mismatch',
    ],
    ['inf', 'x1,x2,z\n1,2,3\n1,inf,3\n', 'line 3 (row 2), column "x2": must be a finite number', 'wrong-type'],
    ['-inf', 'x1,x2,z\n1,2,3\n1,-inf,3\n', 'column "x2": must be a finite number', 'wrong-type'],
    ['Infinity', 'x1,x2,z\n1,Infinity,3\n', 'column "x2": must be a finite number', 'wrong-type'],
    ['1e999', 'x1,x2,z\n1,1e999,3\n', 'must be a number within the range of a double, got Infinity', 'wrong-type'],
    ['an open quote', 'x1,x2,z\n1,2,3\n1,"2,3\n', 'line 3: a quote is opened here and not closed', 'wrong-type'],
    ['text after a quote', 'x1,x2,z\n1,"2"b,3\n', 'line 2: a closing quote must be followed by a comma', 'wrong-type'],
  ])('refuses %s', async (_name, content, message, code) => {
    const file = fileOf(content)
    const error = await failure(file)
    expect(error.message).toContain(file)
    expect(error.message).toContain(message)
    expect(error.code).toBe(code)
  })

  test.each(['2', '', 'yes', '0.5', 'true', 'NaN'])('refuses the observed flag "%s"', async (flag) => {
    const error = await failure(fileOf(`x1,x2,z,b\n1,2,3,1\n1,2,3,${flag}\n`), { ...spec, observed: 'b' })
    expect(error.code).toBe('wrong-type')
    const given = flag === '' ? 'an empty cell' : `"${flag}"`
    expect(error.message).toContain(`line 3 (row 2), column "b": must be 0 (missing) or 1 (observed), got ${given}`)
  })

  test('refuses what is not a table at all', async () => {
    const none = join(folder, 'none.csv')
    expect((await failure(none)).message).toBe(`${none}: no such file`)
    expect((await failure(folder)).message).toContain('it is a folder')
    expect((await failure(fileOf('x1,x2,z\n1,2,3\n', 'parquet'))).message).toContain('must be a Parquet file')
    expect((await failure(fileOf('PAR1 but not really', 'parquet'))).message).toContain('must be a Parquet file (')
    expect((await failure(fileOf(gzipSync('x1,x2,z\n1,2,3\n')))).message).toContain('got a gzip file')
  })
})

describe('readTable on Parquet', () => {
  const file = join(folder, 'p.parquet')
  parquetWriteFile({
    filename: file,
    rowGroupSize: 2,
    columnData: [
      { name: 'x1', data: [1, 2, 3, 4, 5], type: 'INT32' },
      { name: 'x2', data: ['a', 'b', 'a', 'ü', 'b'], type: 'STRING' },
      { name: 'z', data: [0.1, null, Number.NaN, 4, 5], type: 'DOUBLE' },
      { name: 'b', data: [true, false, false, true, true], type: 'BOOLEAN' },
      { name: 'big', data: [1n, 2n, 3n, 4n, 5n], type: 'INT64' },
      { name: 'infinite', data: [1, 2, 3, 4, Number.POSITIVE_INFINITY], type: 'DOUBLE' },
      { name: 'when', data: Array.from({ length: 5 }, () => new Date()), type: 'TIMESTAMP' },
    ],
  })

  test('gives the same table as a CSV file', async () => {
    const table = await readTable(file, { context: ['x1', 'x2', 'big'], covariate: 'z', observed: 'b' })
    expect(table.rows).toBe(5)
    expect(cells(table.columns.get('x1'))).toEqual([1, 2, 3, 4, 5])
    expect(cells(table.columns.get('x2'))).toEqual(['a', 'b', 'a', 'ü', 'b'])
    expect(cells(table.columns.get('z'))).toEqual([0.1, null, null, 4, 5])
    expect(cells(table.columns.get('b'))).toEqual([1, 0, 0, 1, 1])
    expect(cells(table.columns.get('big'))).toEqual([1, 2, 3, 4, 5])
    const flags = await readTable(file, { context: ['b'], covariate: 'z' })
    expect(flags.columns.get('b')).toMatchObject({ kind: 'number', boolean: true })
  })

  test('names row and column in errors', async () => {
    const error = await failure(file, { context: ['x1'], covariate: 'z', rewards: ['x2'] })
    expect(error.message).toBe(`${file}, row 1, column "x2": must be a number, got "a"`)
    const missing = await failure(file, { context: ['nope'], covariate: 'z' })
    expect(missing.message).toContain('no column "nope" (context); the columns are x1, x2, z, b, big, infinite, when')
    const infinite = await failure(file, { context: ['infinite'], covariate: 'z' })
    expect(infinite.message).toContain('row 5, column "infinite": must be a number within the range of a double')
    const date = await failure(file, { context: ['when'], covariate: 'z' })
    expect(date.message).toContain('column "when": must be a number or a text, got a date: --dates when makes numbers')
    const flag = await failure(file, { context: ['x2'], covariate: 'z', observed: 'x1' })
    expect(flag.message).toContain('row 2, column "x1": must be 0 (missing) or 1 (observed), got 2')
    const text = await failure(file, { context: ['x1'], covariate: 'z', observed: 'x2' })
    expect(text.message).toContain('row 1, column "x2": must be 0 (missing) or 1 (observed), got "a"')
  })
})

describe('checks of the spec', () => {
  test.each<[string, Partial<TableSpec>, string]>([
    ['the covariate in the context', { context: ['x1', 'z'] }, 'covariate must be a column that is not in context'],
    ['a column named twice', { context: ['x1', 'x1'] }, 'context must be distinct columns, got "x1"'],
    ['a reward that is a context', { rewards: ['x1'] }, 'rewards must be columns that nothing else uses, got "x1"'],
    ['means without rewards', { means: ['m0'] }, 'means must be one column per action (0), got "1"'],
    ['fewer means than rewards', { rewards: ['r0', 'r1'], means: ['m0'] }, 'means must be one column per action (2)'],
    ['an empty range', { rewardRange: [1, 1] }, 'rewardRange must be two finite numbers low,high with low < high'],
    ['a range of nothing', { ranges: { y: [0, 1] } }, 'ranges must be for columns of the context or the covariate'],
    ['a product of nothing', { interactions: [['z', 'y']] }, 'interactions must be products of the covariate and'],
    ['a product of one', { interactions: [['z']] }, 'interactions must be products of two or more columns, got "z"'],
  ])('refuse %s', async (_name, part, message) => {
    const error = await failure(fileOf('x1,x2,z\n1,2,3\n'), { ...spec, ...part })
    expect(error.code).toBe('invalid-option')
    expect(error.message).toContain(message)
  })
})
