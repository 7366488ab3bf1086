// What may be calibrated: odd tables, categories and booleans; and what is refused.

import { join } from 'node:path'
import { category } from '@primo/core'
import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import type { CalibrateTableOptions } from './calibrate-table.js'
import { calibratedColumns } from './calibrated-columns.js'
import { calibrated, codes, csvOf, makeRows, numberOf, reportOf, spec } from './calibrated-tables.fixture.js'
import { calibrationText } from './calibration-text.js'
import { folder } from './table-files.fixture.js'
import type { TableSpec } from './table-spec.js'

describe('calibrateTable', () => {
  const few = csvOf(makeRows(20))

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
    await expect(reportOf(few, options)).rejects.toThrow(message)
  })

  test('needs a prediction column', async () => {
    const { prediction: _prediction, ...without } = spec
    await expect(reportOf(few, {}, without)).rejects.toThrow('prediction must be the column of the predictions')
  })
})
