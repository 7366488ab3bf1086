import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrimoError } from '@primo/core'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { calibrateTable } from '../src/tables/calibrate-table.js'
import { calibratedColumns } from '../src/tables/calibrated-columns.js'
import { readTable } from '../src/tables/read-table.js'
import type { TableSpec } from '../src/tables/table-spec.js'
import { writeWithColumns } from '../src/tables/write-calibrated.js'
import { calibrated, spec } from './calibrated-tables.fixture.js'
import { folder } from './table-files.fixture.js'

describe('writeWithColumns', () => {
  test('keeps every byte of a CSV file and adds the calibrated column', async () => {
    const content =
      '\ufeffx1,"note, quoted",x2,z,b,g\r\n1,"a ""b""\r\nc",0.10,1.50,1,2\r\n2,,3,,0,\r\n3,é,1e2,7,1,5\r\n\r\n'
    const { calibration, table } = await calibrated(content)
    const columns = calibratedColumns(calibration)
    const out = join(folder, 'out.csv')
    await writeWithColumns(table, columns, out)
    const [a, , c] = columns[0]!.values
    expect(readFileSync(out, 'utf8')).toBe(
      `\ufeffx1,"note, quoted",x2,z,b,g,calibrated\r\n1,"a ""b""\r\nc",0.10,1.50,1,2,${a}\r\n2,,3,,0,,\r\n3,é,1e2,7,1,5,${c}\r\n`,
    )
    const again = await readTable(out, { ...spec, prediction: 'calibrated' })
    expect(again.rows).toBe(3)
    await expect(writeWithColumns(again, columns, join(folder, 'x.csv'))).rejects.toThrow(
      'column "calibrated": there is a column of this name already',
    )
    await expect(writeWithColumns(table, columns, table.file)).rejects.toThrow('must be another file than the input')
    await expect(writeWithColumns(table, columns, join(folder, 'x.parquet'))).rejects.toThrow('must end in .csv')
  })

  test('keeps the stored values of every Parquet column', async () => {
    const file = join(folder, 'in.parquet')
    const count = 500
    const list = <V>(make: (k: number) => V): V[] => Array.from({ length: count }, (_, k) => make(k))
    parquetWriteFile({
      filename: file,
      rowGroupSize: 200,
      kvMetadata: [{ key: 'made', value: 'by a test' }],
      columnData: [
        { name: 'x1', data: list((k) => Math.sin(k)), type: 'DOUBLE' },
        { name: 'x2', data: list((k) => `c${k % 3}`), type: 'STRING' },
        { name: 'z', data: list((k) => (k % 2 === 0 ? Math.sin(k) : null)), type: 'DOUBLE' },
        { name: 'g', data: list((k) => Math.sin(k) + 0.5), type: 'DOUBLE' },
        { name: 'when', data: list((k) => (k === 7 ? null : new Date(1e12 + k))), type: 'TIMESTAMP' },
        { name: 'id', data: list((k) => BigInt(k) * 10n ** 15n), type: 'INT64' },
        { name: 'flag', data: list((k) => (k % 5 === 0 ? null : k % 2 === 0)), type: 'BOOLEAN' },
        { name: 'json', data: list((k) => ({ k, deep: [k] })), type: 'JSON' },
        { name: 'small', data: list((k) => k - 250), type: 'INT32' },
      ],
    })
    const given: TableSpec = { context: ['x1', 'x2'], covariate: 'z', prediction: 'g' }
    const table = await readTable(file, given)
    const columns = calibratedColumns(calibrateTable(table, given))
    const out = join(folder, 'out.parquet')
    await writeWithColumns(table, columns, out)
    const before = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
    const after = await parquetReadObjects({ file: await asyncBufferFromFile(out) })
    expect(after).toHaveLength(count)
    after.forEach((row, k) => {
      const { calibrated: value, ...rest } = row
      if (value !== columns[0]!.values[k]) throw new Error(`row ${k} has ${value}`)
      expect(rest).toEqual(before[k])
    })
    const error = await writeWithColumns(table, columns, join(folder, 'out.csv')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PrimoError)
  })
})
