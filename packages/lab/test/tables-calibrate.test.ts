import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { category, PrimoError, Random } from '@primo/core'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'
import { afterAll, describe, expect, test } from 'vitest'
import { type CalibrateTableOptions, calibrateTable } from '../src/tables/calibrate-table.js'
import { calibratedColumns } from '../src/tables/calibrated-columns.js'
import { CalibrationFits } from '../src/tables/calibration-fit.js'
import type { CalibrationReport } from '../src/tables/calibration-report.js'
import { calibrationRows, isIn } from '../src/tables/calibration-rows.js'
import { calibrationText } from '../src/tables/calibration-text.js'
import { readTable } from '../src/tables/read-table.js'
import type { TableSpec } from '../src/tables/table-spec.js'
import { writeWithColumns } from '../src/tables/write-calibrated.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-calibrate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Row {
  x1: number
  x2: number
  z: number
  b: number
  g: number
}

/** z = 100 + 20 x1 + noise on [-5, 5]; observed more often where x1 is large; g~ is off by 5 + 10 x1. */
function makeRows(
  count: number,
  options: { seed?: number; error?: number; slope?: number; noise?: number } = {},
): Row[] {
  const { seed = 1, error = 1, slope = 1.5, noise = 5 } = options
  const random = Random.fromSeed(seed)
  return Array.from({ length: count }, () => {
    const x1 = 2 * random.uniform() - 1
    const x2 = 2 * random.uniform() - 1
    const mean = 100 + 20 * x1
    const z = mean + noise * (2 * random.uniform() - 1)
    const b = random.uniform() < 1 / (1 + Math.exp(-slope * x1)) ? 1 : 0
    return { x1, x2, z, b, g: mean + error * (5 + 10 * x1) }
  })
}

function csvOf(rows: readonly Row[], hidden: (row: Row, index: number) => string = () => ''): string {
  const lines = rows.map((row, k) => [row.x1, row.x2, row.b === 1 ? row.z : hidden(row, k), row.b, row.g].join(','))
  return `x1,x2,z,b,g\n${lines.join('\n')}\n`
}

const spec: TableSpec = { context: ['x1', 'x2'], covariate: 'z', observed: 'b', prediction: 'g' }

let files = 0
async function calibrated(content: string, options: CalibrateTableOptions = {}, given: TableSpec = spec) {
  const file = join(folder, `t${files++}.csv`)
  writeFileSync(file, content)
  const table = await readTable(file, given)
  return { file, table, calibration: calibrateTable(table, given, options) }
}

async function reportOf(content: string, options: CalibrateTableOptions = {}, given: TableSpec = spec) {
  return (await calibrated(content, options, given)).calibration.report
}

function codes(report: CalibrationReport): readonly string[] {
  return report.diagnostics.warnings.map(({ code }) => code)
}

function numberOf(bias: CalibrationReport['loss']['pretrained']['bias']): { value: number; se: number } {
  if (bias === null || !('se' in bias) || typeof bias.se !== 'number') throw new Error('expected one bias')
  return bias as { value: number; se: number }
}

describe('calibrateTable', () => {
  const rows = makeRows(6000)
  const content = csvOf(rows)

  test('finds the error of the predictions over all rows, not only the observed ones, and removes it', async () => {
    const report = await reportOf(content)
    const { loss, correction } = report
    expect(report.n).toBe(6000)
    expect(report.observed).toBe(rows.filter(({ b }) => b === 1).length)
    // E (5 + 10 x1)^2 + 25/3 = 25 + 100/3 + 25/3; three standard errors.
    const truth = 25 + 100 / 3 + 25 / 3
    expect(Math.abs(loss.pretrained.mse!.value - truth)).toBeLessThan(3 * loss.pretrained.mse!.se)
    const bias = numberOf(loss.pretrained.bias)
    expect(Math.abs(bias.value - 5)).toBeLessThan(3 * bias.se)
    expect(Math.abs(loss.calibrated.mse!.value - 25 / 3)).toBeLessThan(3 * loss.calibrated.mse!.se + 0.05)
    expect(Math.abs(numberOf(loss.calibrated.bias).value)).toBeLessThan(3 * numberOf(loss.calibrated.bias).se)
    expect(loss.difference!.value).toBeLessThan(-40)
    expect(correction.kind).toBe('correction')
    expect(['linear', 'basis']).toContain(correction.rung)
    expect(correction.shrinkage).toBeGreaterThan(0.98)
    // sqrt(E (5 + 10 x1)^2)
    expect(correction.ball).toMatchObject({ delta0: null, active: false })
    expect(correction.ball.size).toBeCloseTo(Math.sqrt(25 + 100 / 3), 0)
    expect(report.diagnostics.rungs.map((rung) => rung.class)).toEqual(['bias', 'linear', 'basis'])
    const complete = rows.filter(({ b }) => b === 1)
    const naive = complete.reduce((sum, { z, g }) => sum + (z - g) ** 2, 0) / complete.length
    expect(naive - truth).toBeGreaterThan(3 * loss.pretrained.mse!.se)
  })

  test('reports the observation model with its weights', async () => {
    const { observation, diagnostics } = await reportOf(content, { class: 'linear' })
    expect(observation.kind).toBe('logit')
    // Inside, x1 runs over [-1, 1] nearly as outside.
    expect(observation.weights!.x1).toBeGreaterThan(1.3)
    expect(observation.weights!.x1).toBeLessThan(1.7)
    expect(observation.auc).toBeGreaterThan(0.65)
    expect(observation.brier).toBeLessThan(0.25)
    expect(observation.min).toBeGreaterThan(0.1)
    expect(observation.quantiles).toHaveLength(7)
    expect(observation.effectiveSampleSize).toBeGreaterThan(1500)
    expect(observation.effectiveSampleSize).toBeLessThan(3100)
    expect(observation.maxWeightShare).toBeLessThan(0.01)
    const x1 = diagnostics.balance.find(({ column }) => column === 'x1')!
    expect(x1.before).toBeGreaterThan(0.5)
    expect(Math.abs(x1.after)).toBeLessThan(0.1)
    expect(codes({ diagnostics } as CalibrationReport)).toEqual([])
  })

  test('gives curves that leave the diagonal before and follow it after', async () => {
    const { diagnostics } = await reportOf(content, { class: 'linear', bins: 8 })
    const { before, after } = diagnostics.calibrationCurve
    expect(before).toHaveLength(8)
    expect(after.reduce((sum, { count }) => sum + count, 0)).toBe(rows.filter(({ b }) => b === 1).length)
    expect(Math.max(...before.map(({ prediction, truth }) => Math.abs(prediction - truth)))).toBeGreaterThan(8)
    for (const { prediction, truth, se } of after) expect(Math.abs(prediction - truth)).toBeLessThan(4 * se)
  })

  test('bounds the elasticity for all rows and for the missing ones, and says the units', async () => {
    const { elasticity } = await reportOf(content, { class: 'linear' })
    expect(elasticity.units).toContain('squared units of z')
    // E (1 - b)(5 + 10 x1)^2 + P(b = 0) 25/3, by averaging over the very contexts.
    const expected =
      rows.reduce((sum, { x1 }) => sum + ((5 + 10 * x1) ** 2 + 25 / 3) / (1 + Math.exp(1.5 * x1)), 0) / rows.length
    const { all, missing } = elasticity.pretrained
    expect(missing!.low).toBeLessThan(expected)
    expect(missing!.high).toBeGreaterThan(expected)
    expect(missing!.high).toBeLessThan(all!.low)
    expect(elasticity.calibrated.all!.high).toBeLessThan(all!.low)
  })

  test('judges every row by fits that its fold had no part in', async () => {
    const { calibration } = await calibrated(
      csvOf(makeRows(800, { seed: 5 })),
      {},
      { ...spec, ranges: { z: [0, 300] } },
    )
    const { encoded } = calibration
    const plain = calibrationRows(encoded, Random.fromSeed(1))
    // Everything that is known about the first fold's covariate is turned into something else.
    const other = { ...plain, truth: plain.truth.slice(), known: plain.known.slice() }
    for (let row = 0; row < plain.count; row++) {
      if (!isIn(0b0011, plain, row)) continue
      other.known[row] = 1 - plain.known[row]!
      other.truth[row] = Math.sin(row)
    }
    const settings = { observation: {}, weights: 'ipw', shrinkage: 'power', radius: 0.05 } as const
    const fits = [plain, other].map((rows) => new CalibrationFits(rows, encoded.encoding, settings, Random.fromSeed(2)))
    for (const kind of ['bias', 'linear', 'basis'] as const) {
      const [a, b] = fits.map((fit) => fit.heldOut(kind))
      const [e, f] = fits.map((fit) => fit.heldOutProbabilities())
      let changed = 0
      for (let row = 0; row < plain.count; row++) {
        const same = a![row] === b![row] && e![row] === f![row]
        if (!same && isIn(0b0011, plain, row)) throw new Error(`row ${row} was judged by its own fold`)
        if (!same) changed++
      }
      expect(changed).toBeGreaterThan(390)
    }
  })

  test('chooses no correction where there is nothing to correct, and warns when one was asked for', async () => {
    const good = csvOf(makeRows(3000, { error: 0, seed: 8 }))
    const auto = await reportOf(good)
    expect(auto.correction).toMatchObject({ kind: 'none', rung: null, model: null })
    expect(codes(auto)).toContain('no-correction')
    expect(auto.loss.calibrated).toEqual(auto.loss.pretrained)
    const asked = await reportOf(good, { class: 'basis', shrinkage: 'none' })
    expect(asked.correction.rung).toBe('basis')
    expect(codes(asked)).toContain('not-better')
    // Power tuning keeps most of a useless correction out.
    const tuned = await reportOf(good, { class: 'basis' })
    expect(tuned.correction.shrinkage).toBeLessThan(0.5)
    expect(tuned.loss.difference!.value).toBeLessThan(asked.loss.difference!.value)
  })

  test('holds the correction inside the ball of radius delta0, in the units of z', async () => {
    const report = await reportOf(content, { class: 'linear', delta0: 2, shrinkage: 'none' })
    expect(report.correction.ball.delta0).toBe(2)
    expect(report.correction.ball.active).toBe(true)
    expect(report.correction.ball.size).toBeLessThanOrEqual(2.001)
    expect(report.correction.ball.size).toBeGreaterThan(1.9)
    expect(codes(report)).toContain('ball-active')
  })

  test('is a function of the table, the options and the seed', async () => {
    const small = csvOf(rows.slice(0, 400))
    const report = await reportOf(small, { seed: 3 })
    expect(await reportOf(small, { seed: 3 })).toEqual(report)
    expect(await reportOf(small, { seed: 4 })).not.toEqual(report)
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  test('never sees a value that is flagged missing', async () => {
    const few = makeRows(300)
    const clean = await calibrated(csvOf(few, ({ z }) => String(z)))
    const dirty = await calibrated(csvOf(few, (_, k) => String(1e6 * Math.sin(k))))
    expect(JSON.stringify(dirty.calibration.report)).toBe(JSON.stringify(clean.calibration.report))
    expect(calibratedColumns(dirty.calibration)).toEqual(calibratedColumns(clean.calibration))
  })

  test.each<[string, string, string]>([
    ['no row is missing', csvOf(makeRows(200).map((row) => ({ ...row, b: 1 }))), 'none-missing'],
    ['all rows are missing', csvOf(makeRows(200).map((row) => ({ ...row, b: 0 }))), 'all-missing'],
    ['few rows are observed', csvOf(makeRows(40).map((row, k) => ({ ...row, b: k < 3 ? 1 : 0 }))), 'no-correction'],
    ['one row is all there is', csvOf(makeRows(1).map((row) => ({ ...row, b: 1 }))), 'none-missing'],
    [
      'no row has a prediction',
      csvOf(makeRows(50))
        .replaceAll(/,[^,\n]*$/gm, ',')
        .replace('b,\n', 'b,g\n'),
      'no-predictions',
    ],
    [
      'all columns are constant',
      csvOf(makeRows(100).map(({ b }) => ({ x1: 1, x2: 1, z: 3, b, g: 3 }))),
      'no-correction',
    ],
  ])('gives a report in plain JSON when %s', async (_name, given, code) => {
    const { calibration, table } = await calibrated(given)
    expect(codes(calibration.report)).toContain(code)
    expect(JSON.parse(JSON.stringify(calibration.report))).toEqual(calibration.report)
    const [column] = calibratedColumns(calibration)
    const g = table.columns.get('g')
    if (g?.kind !== 'number') throw new Error('expected numbers')
    if (calibration.report.correction.kind === 'none') {
      for (const [row, value] of column!.values.entries()) {
        if (Number.isNaN(g.values[row])) expect(value).toBeNaN()
        else expect(value).toBeCloseTo(g.values[row]!, 9)
      }
    }
  })

  test('calibrates the levels of a category and keeps probabilities', async () => {
    const random = Random.fromSeed(2)
    const lines = Array.from({ length: 2000 }, () => {
      const x = 2 * random.uniform() - 1
      const level = random.uniform() < 0.5 + 0.3 * x ? 'yes' : random.uniform() < 0.5 ? 'no' : 'unsure'
      const observed = random.uniform() < 0.5
      return `${x},${observed ? level : ''},0.2,0.2,0.6`
    })
    const given: TableSpec = {
      context: ['x'],
      covariate: 'z',
      prediction: 'g',
      features: { z: category(['yes', 'no', 'unsure']) },
    }
    const { calibration } = await calibrated(`x,z,g=yes,g=no,g=unsure\n${lines.join('\n')}\n`, {}, given)
    const { loss } = calibration.report
    expect(loss.calibrated.mse!.value).toBeLessThan(loss.pretrained.mse!.value - 0.2)
    expect(Object.keys(loss.calibrated.bias ?? {})).toEqual(['yes', 'no', 'unsure'])
    const columns = calibratedColumns(calibration)
    expect(columns.map(({ name }) => name)).toEqual(['calibrated=yes', 'calibrated=no', 'calibrated=unsure'])
    for (let row = 0; row < 2000; row++) {
      const probabilities = columns.map(({ values }) => values[row]!)
      const total = probabilities.reduce((sum, p) => sum + p, 0)
      if (Math.abs(total - 1) > 1e-9 || probabilities.some((p) => p < 0))
        throw new Error(`row ${row}: ${probabilities}`)
    }
  })

  test('corrects the probabilities of a boolean', async () => {
    const random = Random.fromSeed(4)
    const lines = Array.from({ length: 3000 }, () => {
      const x = random.uniform()
      const smoker = random.uniform() < 0.2 + 0.5 * x
      return `${x},${random.uniform() < 0.6 ? smoker : ''},${0.5 * x}`
    })
    const given: TableSpec = { context: ['x'], covariate: 'smoker', prediction: 'p' }
    const { calibration } = await calibrated(`x,smoker,p\n${lines.join('\n')}\n`, {}, given)
    const { loss, correction } = calibration.report
    expect(correction.kind).toBe('correction')
    expect(Math.abs(numberOf(loss.pretrained.bias).value + 0.2)).toBeLessThan(3 * numberOf(loss.pretrained.bias).se)
    const columns = calibratedColumns(calibration)
    expect(columns.map(({ name }) => name)).toEqual(['calibrated'])
    const values = columns[0]!.values
    expect(values.every((p) => p >= 0 && p <= 1)).toBe(true)
    // E 0.2 + 0.5 x; its standard error is about .01.
    expect(values.reduce((sum, p) => sum + p, 0) / values.length).toBeCloseTo(0.45, 1)
  })

  test('says why nothing can be said: none observed, none predicted, or never both', async () => {
    const given: TableSpec = { context: ['x'], covariate: 'z', prediction: 'g', ranges: { z: [0, 9] } }
    const text = async (content: string) => calibrationText(await reportOf(content, {}, given))
    expect(await text('x,z,g\n1,,2\n2,,3\n')).toContain('No value is observed:')
    const refused = await text('x,z,g\n1,1,20\n2,,30\n')
    expect(refused).toContain('No row has a prediction that can be used:')
    expect(refused).toContain('no prediction is a value that the covariate can take')
    expect(await text('x,z,g\n1,1,\n2,,3\n')).toContain('No row has both an observed value and a prediction:')
  })

  test('refuses an output that could not be written before it fits anything', async () => {
    const few = csvOf(rows.slice(0, 20))
    for (const [out, message] of [
      ['x.parquet', 'must end in .csv'],
      ['x.xlsx', 'must end in .csv'],
      ['x', 'must end in .csv'],
      ['none/x.csv', 'must be in a folder that exists'],
    ] as const) {
      // A seed that the fit refuses: the output is looked at first.
      await expect(reportOf(few, { out: join(folder, out), seed: -1 })).rejects.toThrow(message)
    }
  })

  test.each<[CalibrateTableOptions, string]>([
    [{ class: 'cubic' as 'basis' }, 'class must be "auto", "bias", "linear" or "basis", got cubic'],
    [{ delta0: -1 }, 'delta0 must be >= 0, got -1'],
    [{ eps0: 0 }, 'must be in (0, 1], got 0'],
    [{ bins: 1 }, 'bins must be a whole number >= 2, got 1'],
    [{ seed: -1 }, 'seed must be a whole number >= 0, got -1'],
  ])('refuses %o', async (options, message) => {
    await expect(reportOf(csvOf(rows.slice(0, 20)), options)).rejects.toThrow(message)
  })

  test('needs a prediction column', async () => {
    const { prediction: _prediction, ...without } = spec
    await expect(reportOf(content, {}, without)).rejects.toThrow('prediction must be the column of the predictions')
  })
})

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
