// Tables whose error of the predictions is known, and their calibration, for tests.

import { Random } from '@primo/numeric'
import { type CalibrateTableOptions, calibrateTable } from './calibrate-table.js'
import type { CalibrationReport } from './calibration-report.js'
import { readTable } from './read-table.js'
import { fileOf } from './table-files.fixture.js'
import type { TableSpec } from './table-spec.js'

interface Row {
  x1: number
  x2: number
  z: number
  b: number
  g: number
}

/** z = 100 + 20 x1 + noise on [-5, 5]; observed more often where x1 is large; g~ is off by 5 + 10 x1. */
export function makeRows(
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

export function csvOf(rows: readonly Row[], hidden: (row: Row, index: number) => string = () => ''): string {
  const lines = rows.map((row, k) => [row.x1, row.x2, row.b === 1 ? row.z : hidden(row, k), row.b, row.g].join(','))
  return `x1,x2,z,b,g\n${lines.join('\n')}\n`
}

export const spec: TableSpec = { context: ['x1', 'x2'], covariate: 'z', observed: 'b', prediction: 'g' }

export async function calibrated(content: string, options: CalibrateTableOptions = {}, given: TableSpec = spec) {
  const file = fileOf(content)
  const table = await readTable(file, given)
  return { file, table, calibration: calibrateTable(table, given, options) }
}

export async function reportOf(content: string, options: CalibrateTableOptions = {}, given: TableSpec = spec) {
  return (await calibrated(content, options, given)).calibration.report
}

export function codes(report: CalibrationReport): readonly string[] {
  return report.diagnostics.warnings.map(({ code }) => code)
}

export function numberOf(bias: CalibrationReport['loss']['pretrained']['bias']): { value: number; se: number } {
  if (bias === null || !('se' in bias) || typeof bias.se !== 'number') throw new Error('expected one bias')
  return bias as { value: number; se: number }
}
