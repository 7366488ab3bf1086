import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const models = join(import.meta.dirname, '../../../../examples/models')
const table = join(folder, 'patients.csv')
const rows = Array.from({ length: 400 }, (_, i) => {
  const age = 18 + ((i * 37) % 78)
  const smoker = i % 3 === 0
  const town = ['north', 'south', 'east'][i % 3 === 0 ? 1 : i % 2 === 0 ? 0 : 2]!
  const alleles = 0.4 + 1.3 - 0.006 * age + (smoker ? 0.5 : 0)
  return [age, smoker, town, i % 2 === 0 ? alleles : ''].join(',')
})
writeFileSync(table, ['age,smoker,town,alleles', ...rows].join('\n'))
const flags = ['--context', 'age,smoker,town', '--covariate', 'alleles', '--ranges', 'age=18..95,alleles=0..3']

describe('primo calibrate with a model file', () => {
  it.each(['alleles.js', 'trees.json'])('%s predicts every row, and its latency is printed', async (name) => {
    const model = join(models, name)
    const { code, stdout, stderr } = await primo('calibrate', table, ...flags, '--imputer', model, '--json')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const { imputer, loss, correction } = JSON.parse(stdout)
    expect(imputer).toMatchObject({ failed: 0, failure: null, latency: { rows: 200 } })
    expect(imputer.latency.p99).toBeGreaterThanOrEqual(imputer.latency.p50)
    expect(imputer.latency.rowsPerSecond).toBeGreaterThan(10)
    // The table's values lie 0.4 above the module's: a bias that the correction finds.
    expect(loss.calibrated.mse.value).toBeLessThan(0.5 * loss.pretrained.mse.value)
    expect(correction.kind).toBe('correction')
    const text = await primo('calibrate', table, ...flags, '--imputer', model)
    expect(text.stdout).toMatch(/ms a row \(median of 200\).*rows per second/)
  })

  it('a definition in JSON may be of any kind, and its failures are counted', async () => {
    const definition = join(folder, 'linear.json')
    writeFileSync(
      definition,
      JSON.stringify({ kind: 'linear', intercept: 3.1, coefficients: { age: -0.006, smoker: 0.5 } }),
    )
    const { stdout } = await primo('calibrate', table, ...flags, '--imputer', definition, '--json')
    const { imputer } = JSON.parse(stdout)
    expect(imputer.failed).toBeGreaterThan(0)
    expect(imputer.failure).toMatch(/outside 0 to 3/)
  })

  it('what primo train wrote predicts every row', async () => {
    const model = join(folder, 'trained.json')
    await primo('train', table, '--covariate', 'alleles', '--classes', 'linear', '--out', model)
    const { stdout } = await primo('calibrate', table, ...flags, '--imputer', model, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ imputer: { failed: 0 }, withoutPrediction: 0 })
  })

  it('refuses what cannot be meant, in one sentence', async () => {
    const both = await primo(
      'calibrate',
      table,
      ...flags,
      '--prediction',
      'age',
      '--imputer',
      join(models, 'alleles.js'),
    )
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringMatching(/--imputer must be given instead of --prediction/),
    ])
    const guess = await primo('calibrate', table, ...flags, '--imputer', join(models, 'trees.onnx'))
    expect(guess.stderr).toMatch(/inputs must say which columns "columns" takes, because the context has categories/)
    const text = await primo('calibrate', table, ...flags, '--imputer', table)
    expect(text.stderr).toMatch(/imputer must be a \.js, \.mjs, \.ts, \.mts, \.onnx or \.json file/)
  })
})
