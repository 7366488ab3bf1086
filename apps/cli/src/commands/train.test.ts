import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelFile } from '@primo/core'
import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const at = (name: string) => join(folder, name)
const random = Random.fromSeed(2)
const lines = Array.from({ length: 400 }, (_, i) => {
  const age = 20 + Math.floor(60 * random.uniform())
  const town = ['north', 'south', 'east'][random.integer(3)]!
  const level = 0.05 * age + (town === 'south' ? 1 : 0) + 0.2 * random.normal()
  const ill = level + 0.5 * random.normal() > 3
  const gap = random.uniform()
  return [`p${i}`, age, town, gap < 0.4 ? '' : level.toFixed(3), gap > 0.8 ? '' : ill].join(',')
})
const table = at('patients.csv')
writeFileSync(table, ['id,age,town,level,ill', ...lines].join('\n'))

describe('primo train', () => {
  it('says in one sentence what it found, and writes models that calibrate, impute and serve', async () => {
    const flags = ['--covariate', 'level,ill', '--classes', 'linear', '--folds', '3', '--out', at('models.json')]
    const { code, stdout, stderr } = await primo('train', table, ...flags)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^ill is best predicted by linear/)
    expect(stdout).toContain('In this order: ill, level.')
    // 400 ids are no category.
    expect(stderr).toContain('left out id')
    const { models } = JSON.parse(readFileSync(at('models.json'), 'utf8')) as ModelFile
    expect(models.map(({ covariate }) => covariate)).toEqual(['ill', 'level'])
    expect(models[1]!.card.explained).toBeGreaterThan(0.8)

    const spec = ['--context', 'age,town', '--covariate', 'level', '--ranges', 'level=-5..15']
    const calibrated = await primo('calibrate', table, ...spec, '--imputer', at('models.json'), '--json')
    expect(calibrated.stderr).toBe('')
    expect(JSON.parse(calibrated.stdout).imputer).toMatchObject({ kind: 'trained', failed: 0 })

    const impute = [
      'impute',
      table,
      '--model',
      at('models.json'),
      '--draws',
      '2',
      '--seed',
      '5',
      '--out',
      at('full.csv'),
    ]
    const imputed = await primo(...impute, '--json')
    expect(imputed.stderr).toMatch(/^ill: seen in .*; missing: \d+ empty\nlevel: seen in .*; missing: \d+ empty\n$/)
    const { filled, files } = JSON.parse(imputed.stdout)
    expect(files).toEqual([at('full-1.csv'), at('full-2.csv')])
    const [one, two] = (files as string[]).map((name) => readFileSync(name, 'utf8').split('\n'))
    expect(one![0]).toBe('id,age,town,level,ill,ill.completed,level.completed')
    const cells = one!.slice(1, 401).map((line) => line.split(','))
    for (const [, , , level, ill, , completed] of cells) {
      if (level !== '') expect(Number(completed)).toBe(Number(level))
      expect(completed).not.toBe('')
      expect(ill === '' || ill === 'true' || ill === 'false').toBe(true)
    }
    expect(cells.filter((row) => row[3] === '')).toHaveLength(filled.level)
    expect(two).not.toEqual(one)
    // Seeded: again the same.
    await primo(...impute)
    expect(readFileSync(at('full-1.csv'), 'utf8').split('\n')).toEqual(one)
  })

  it('says what looks missing, takes dates apart, and impute reads them the same way', async () => {
    const visits = at('visits.csv')
    const rows = Array.from({ length: 60 }, (_, k) => `${1 + (k % 28)}.03.2024;${k % 5 === 0 ? -999 : k % 7}`)
    writeFileSync(visits, ['when;dose', ...rows].join('\n'))
    const train = ['train', visits, '--covariate', 'dose', '--classes', 'linear', '--folds', '2']
    expect((await primo(...train, '--dates', 'when')).stderr).toContain('12 values of dose are -999')
    const cleaned = await primo(...train, '--dates', 'when', '--na', 'dose=-999', '--out', at('dates.json'))
    expect(cleaned.stderr).toContain('dose: seen in 80.0% of 60 rows, 0.00 to 6.00; missing: 12 "-999"')
    const impute = ['impute', visits, '--model', at('dates.json'), '--na', 'dose=-999', '--out', at('dates.csv')]
    expect((await primo(...impute)).stdout).toContain('12 values of dose predicted in 60 rows')
  })

  it('writes ONNX of one covariate', async () => {
    const { code } = await primo(
      'train',
      table,
      '--covariate',
      'level',
      '--features',
      'age,town',
      '--folds',
      '2',
      '--onnx',
      at('m.onnx'),
    )
    expect(code).toBe(0)
    expect(readFileSync(at('m.onnx')).length).toBeGreaterThan(200)
  })

  it('refuses in one sentence, before any work', async () => {
    const refused = async (...flags: string[]) => (await primo('train', table, ...flags)).stderr
    expect(await refused()).toBe('primo: --covariate must be given (or be in --spec, which primo inspect writes)\n')
    expect(await refused('--covariate', 'level', '--classes', 'forest')).toContain('--classes must be some of linear')
    expect(await refused('--covariate', 'weight')).toContain('no column "weight"')
    expect(await refused('--covariate', 'level', '--features', 'age,level')).toContain('level')
    expect(await refused('--covariate', 'level,ill', '--onnx', 'x.onnx')).toContain(
      '--onnx must be given for one covariate',
    )
  })
})
