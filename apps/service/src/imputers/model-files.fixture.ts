// Models in files: good ones, and everything that a file can do wrong.

import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const examples = join(import.meta.dirname, '../../../../examples/models')

/** A folder of them, gone after the tests of the file. */
export function modelFolder(): string {
  const files = mkdtempSync(join(tmpdir(), 'primo-models-'))
  afterAll(() => rmSync(files, { recursive: true, force: true }))
  for (const name of ['linear.onnx', 'trees.onnx', 'risk.onnx']) copyFileSync(join(examples, name), join(files, name))
  writeFileSync(join(files, 'one.js'), 'export const predict = ({ age }) => age / 100\n')
  writeFileSync(join(files, 'batch.js'), 'export const predictBatch = (rows) => rows.map(({ age }) => age / 100)\n')
  writeFileSync(
    join(files, 'typed.ts'),
    `import { hundredth } from './typed-part.ts'
    enum Unit { years = 1 }
    interface Patient { readonly age: number }
    export const predict = ({ age }: Patient): { value: number; sd: number } => ({ value: hundredth(age * Unit.years), sd: 0.1 })\n`,
  )
  writeFileSync(join(files, 'typed-part.ts'), 'export const hundredth = (n: number): number => n / 100\n')
  writeFileSync(join(files, 'wrong.ts'), 'export const predict = (: number) => 1\n')
  writeFileSync(
    join(files, 'quantiles.js'),
    `export const predict = ({ age }) => ({ quantiles: age === 90 ? { 0.1: 1, 0.9: 0 } : { 0.1: age / 100 - 0.2, 0.9: age / 100 + 0.2 } })\n`,
  )
  writeFileSync(join(files, 'nothing.js'), 'export const other = 1\n')
  writeFileSync(
    join(files, 'odd.js'),
    `export const predict = ({ age }) => {
      if (age === 20) throw new Error('not at twenty')
      if (age === 21) return Number.NaN
      if (age === 22) return 17
      if (age === 23) return undefined
      if (age === 24) return { half: 1 }
      if (age === 25) for (;;);
      return 1
    }\n`,
  )
  symlinkSync('/etc/passwd', join(files, 'outside.js'))
  return files
}
