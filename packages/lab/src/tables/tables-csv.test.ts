import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { numberIn } from './cell-number.js'
import { csvRecords } from './csv-records.js'
import { readTable } from './read-table.js'
import { fileOf, refusal } from './table-files.fixture.js'

describe('the CSV scanner', () => {
  test('reads back the fields that papaparse wrote, whatever they hold', () => {
    const field = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('', '"', '""', ',', '\n', '\r\n', 'a"b', ' x ', 'é', '🙂', '1.5'),
    )
    const rows = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      )
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 4, max: 40 }),
        (given, newline, ended, piece) => {
          const text = Papa.unparse(given, {
            newline,
            quotes: (value: unknown) => /[",\r\n]|^\s|\s$/.test(String(value)),
          })
          const whole = ended ? text + newline : text
          const pieces = function* () {
            for (let at = 0; at < whole.length; at += piece) yield whole.slice(at, at + piece)
          }
          const records = [...csvRecords({ name: 'made', pieces })]
          expect(records.map(({ cells }) => cells)).toEqual(given)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('reads records that lie across the borders of pieces', async () => {
    const rows = 60_000
    const lines = Array.from(
      { length: rows },
      (_, k) => `${k},"text, ""${k % 7}"" ${'y'.repeat(100 + (k % 50))}",${k / 7}`,
    )
    const file = fileOf(`x1,note,z\r\n${lines.join('\r\n')}\r\n`)
    const table = await readTable(file, { context: ['x1'], covariate: 'z' })
    expect(table.rows).toBe(rows)
    const x1 = table.columns.get('x1')
    const z = table.columns.get('z')
    if (x1?.kind !== 'number' || z?.kind !== 'number') throw new Error('expected numbers')
    for (let k = 0; k < rows; k++) if (x1.values[k] !== k || z.values[k] !== k / 7) throw new Error(`row ${k} differs`)
    expect([...table.columns.keys()].sort()).toEqual(['x1', 'z'])
  })
})

describe('numberIn', () => {
  const parse = (text: string) => numberIn(text)

  test('gives the same double as Number for any printed double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Object.is(parse(Object.is(value, -0) ? '-0' : String(value)), value)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('gives the same double as Number for any decimal text', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/)
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: -40, max: 40 }), fc.constantFrom('', '-', '+'), (a, b, e, sign) => {
        for (const text of [`${sign}${a}.${b}e${e}`, `${sign}${a}`, `${sign}.${b}`, `${sign}${a}.E${e}`]) {
          expect(parse(text)).toBe(Number(text))
        }
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['', '-', '.', '1e', '1e+', 'e5', '1.2.3', '0x10', '1,5', '1_000', 'NaN', 'Infinity', '--1', '1 2', '١'])(
    'says that "%s" is not a number',
    (text) => {
      expect(parse(text)).toBeNaN()
    },
  )
})

describe('readTable of a large CSV file', () => {
  const rows = 300_000
  const lines = Array.from({ length: rows }, (_, k) => `${k},${k / 7},some more text in this row`)
  const given = { context: ['x'], covariate: 'z' }

  test('never ends before the last row: what is wrong there is said', async () => {
    const whole = fileOf(`x,z,note\n${lines.join('\n')}\n`)
    expect((await readTable(whole, given)).rows).toBe(rows)
    const short = fileOf(`x,z,note\n${lines.join('\n')}\n1,2\n`)
    const error = await refusal(readTable(short, given))
    expect(error.message).toContain(`line ${rows + 2} (row ${rows + 1}): must have 3 fields, like the header, got 2`)
    const marked = await readTable(fileOf(`x,z,note\n${lines.join('\n')}\n1,NaN,a\n`), given)
    expect(marked.reading!.missing.get('z')).toEqual(new Map([['NaN', 1]]))
    const infinite = fileOf(`x,z,note\n${lines.join('\n')}\n1,inf,a\n`)
    expect((await refusal(readTable(infinite, given))).message).toContain('column "z": must be a finite number')
    const text = fileOf(`x,z,note\n${lines.join('\n')}\noops,2,a\n`)
    expect((await refusal(readTable(text, given))).message).toContain(`line ${rows + 2} (row ${rows + 1}), column "x"`)
  })
})
