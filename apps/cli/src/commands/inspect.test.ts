import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const file = (name: string) => join(folder, name)

const lines = Array.from({ length: 400 }, (_, k) => {
  const decimal = (value: number) => value.toFixed(2).replace('.', ',')
  const dose = k % 3 === 0 ? 'NA' : decimal((k % 17) / 4)
  const lab = k % 5 === 0 ? '-999' : decimal((k % 23) / 9)
  return [
    k,
    decimal((k % 11) / 3),
    ['Bern', 'Chur'][k % 2],
    dose,
    decimal(2 + (k % 4) / 9),
    lab,
    decimal(1 + (k % 6) / 9),
    k % 2,
    k % 3,
  ].join(';')
})
writeFileSync(file('visits.csv'), `;age;clinic;dose;pred_dose;lab;pred_lab;r0;r1\n${lines.join('\n')}\n`)
const spec = file('visits.spec.json')

describe('primo inspect', () => {
  it('writes a spec that replay and calibrate take, with several covariates', async () => {
    const inspected = await primo('inspect', file('visits.csv'), '--out', spec)
    expect(inspected).toMatchObject({
      code: 0,
      stderr: `wrote ${spec}: check it, then give it to the other commands as --spec ${spec}\n`,
    })
    expect(inspected.stdout).toContain('80 values of lab are -999')
    expect(JSON.parse(readFileSync(spec, 'utf8'))).toMatchObject({
      context: ['age', 'clinic'],
      covariate: 'dose',
      prediction: 'pred_dose',
      others: [{ covariate: 'lab', prediction: 'pred_lab' }],
      rewards: ['r0', 'r1'],
    })
    const replayed = await primo('replay', file('visits.csv'), '--spec', spec, '--policies', 'primo', '--json')
    expect(replayed.code).toBe(0)
    expect(replayed.stderr).toContain('% of 400 rows, 0.00 to 4.00; missing: 134 "NA"')
    expect(replayed.stderr).toContain('lab: seen in 80.0% of 400 rows, 0.00 to 2.44; missing: 80 "-999"')
    expect(jsonLines(replayed.stdout)[0]).toMatchObject({ policy: 'primo', rounds: 400 })
  })

  it('calibrates each covariate as it would be alone, into a column each', async () => {
    const out = file('calibrated.csv')
    const both = await primo('calibrate', file('visits.csv'), '--spec', spec, '--json', '--out', out)
    expect(both.code).toBe(0)
    const [fits] = jsonLines(both.stdout) as [Record<string, Record<string, unknown>>]
    expect(Object.keys(fits)).toEqual(['dose', 'lab'])
    const flags = ['--context', 'age,clinic', '--covariate', 'lab', '--prediction', 'pred_lab', '--na', 'lab=-999']
    const alone = await primo('calibrate', file('visits.csv'), ...flags, '--json')
    const [fit] = jsonLines(alone.stdout) as [Record<string, unknown>]
    for (const part of ['observed', 'correction', 'loss', 'constants']) expect(fits.lab![part]).toEqual(fit[part])
    expect(readFileSync(out, 'utf8').split('\n')[0]).toBe(
      ';age;clinic;dose;pred_dose;lab;pred_lab;r0;r1;calibrated.dose;calibrated.lab',
    )
  })

  it.each([
    [['inspect', file('visits.csv'), '--out', file('spec.txt')], '--out must be a .json file'],
    [['inspect', file('visits.csv'), '--separator', 'ab'], '--separator must be one character'],
    [
      ['calibrate', file('visits.csv'), '--context', 'age', '--covariate', 'dose,lab', '--prediction', 'pred_dose'],
      '--prediction must name the predictions of lab',
    ],
    [
      [
        'replay',
        file('visits.csv'),
        '--context',
        'age',
        '--covariate',
        'dose',
        '--observed',
        'r0,r1',
        '--rewards',
        'r0',
      ],
      '--observed must have one column per covariate (1), got 2',
    ],
    [
      ['replay', file('visits.csv'), '--context', 'age', '--covariate', 'dose,dose', '--rewards', 'r0,r1'],
      '--covariate must be distinct columns',
    ],
  ])('refuses %j', async (args, reason) => {
    const { code, stdout, stderr } = await primo(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(reason)
  })
})
