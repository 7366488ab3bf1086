import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, primo, temporaryFolder } from './primo.js'

const folder = temporaryFolder()
const file = (name: string) => join(folder, name)

/** The arguments of a printed command line, without its first word. */
const words = (line: string) => line.trim().split(' ').slice(1)

describe('primo replay', () => {
  it.each(['A', 'B', 'dosing', 'pricing'])(
    'gives the regret of the simulation on the rounds of %s that the lab wrote',
    async (scenario) => {
      for (const format of scenario === 'A' ? ['csv', 'parquet'] : ['csv']) {
        const table = file(`${scenario}.${format}`)
        const common = ['--scenario', scenario, '--rounds', '3000', '--seed', '9']
        const written = await primo('simulate', ...common, '--write-table', table)
        expect(written.code).toBe(0)
        const policies = ['--policies', 'uniform,primo,primo-cal,oracle,mean-imputation,linucb']
        const simulated = await primo('simulate', ...common, '--repeats', '1', ...policies, '--json')
        const replayed = await primo(...words(written.stdout), ...policies, '--json')
        expect(replayed.stderr).not.toContain('primo:')
        const regrets = (text: string) =>
          jsonLines(text).map(({ policy, regret, reward }) => ({ policy, regret, reward }))
        expect(regrets(replayed.stdout)).toEqual(regrets(simulated.stdout))
      }
    },
  )

  const rows = Array.from({ length: 40 }, (_, i) => {
    const x = (i % 7) / 7
    return { x, city: ['north', 'south'][i % 2], z: (i % 3) - 1, b: i % 2, g: 0.1, r0: x, r1: 1 - x }
  })
  type Row = Record<string, unknown>
  const csv = (list: readonly Row[]) =>
    [Object.keys(list[0]!).join(','), ...list.map((row) => Object.values(row).join(','))].join('\n')
  const flags = [
    '--context',
    'x,city',
    '--covariate',
    'z',
    '--observed',
    'b',
    '--prediction',
    'g',
    '--rewards',
    'r0,r1',
  ]
  const replay = (text: string, ...more: readonly string[]) => {
    writeFileSync(file('table.csv'), text)
    return primo('replay', file('table.csv'), ...flags, '--policies', 'primo,primo-cal', '--json', ...more)
  }

  it('never shows a value that is flagged missing to a policy', async () => {
    const garbage = rows.map((row) => (row.b === 0 ? { ...row, z: 0.987 } : row))
    const ranges = ['--ranges', 'z=-1..1']
    const strip = (text: string) => jsonLines(text).map(({ roundsPerSecond: _, epochs: __, ...row }) => row)
    expect(strip((await replay(csv(garbage), ...ranges)).stdout)).toEqual(
      strip((await replay(csv(rows), ...ranges)).stdout),
    )
  })

  it.each<[string, readonly Row[]]>([
    ['no row is missing', rows.map((row) => ({ ...row, b: 1 }))],
    ['all rows are missing', rows.map((row) => ({ ...row, b: 0 }))],
    ['a context column is constant', rows.map((row) => ({ ...row, x: 3 }))],
  ])('works when %s', async (_, list) => {
    const { code, stdout, stderr } = await replay(csv(list))
    expect(stderr).not.toContain('primo:')
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toHaveLength(2)
  })

  it('works with one action', async () => {
    writeFileSync(file('one.csv'), csv(rows))
    const { code, stdout } = await primo(
      'replay',
      file('one.csv'),
      ...flags.slice(0, -1),
      'r0',
      '--policies',
      'primo',
      '--json',
    )
    expect(code).toBe(0)
    expect(jsonLines(stdout)[0]).toMatchObject({ rounds: 40, regret: null })
  })

  it.each<[string, string, readonly string[]]>([
    ['a missing column', csv(rows.map(({ r1: _, ...row }) => row)), ['r1', 'table.csv']],
    ['an empty file', '', ['table.csv', 'empty']],
    ['a duplicate header', csv(rows).replace('x,city', 'x,x'), ['"x"']],
    [
      'an observed flag that is not 0 or 1',
      csv(rows.map((row, i) => (i === 4 ? { ...row, b: 2 } : row))),
      ['line 6', 'b'],
    ],
    [
      'text among rewards',
      csv(rows.map((row, i) => (i === 10 ? { ...row, r0: 'lots' } : row))),
      ['line 12', 'r0', 'lots'],
    ],
    ['an empty context cell', csv(rows.map((row, i) => (i === 2 ? { ...row, x: '' } : row))), ['line 4', 'x']],
  ])('refuses %s, naming file, line and column', async (_, text, mentioned) => {
    const { code, stdout, stderr } = await replay(text)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    for (const word of mentioned) expect(stderr).toContain(word)
  })

  it('names row 17,342 when its type is wrong', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      i === 17_340 ? 'oops,north,0,1,0.1,0.5,0.5' : '0.5,north,0,1,0.1,0.5,0.5',
    )
    const { code, stderr } = await replay(['x,city,z,b,g,r0,r1', ...many].join('\n'), '--ranges', 'x=0..1')
    expect(code).not.toBe(0)
    expect(stderr).toContain('17342')
    expect(stderr).toContain('x')
  })

  it('refuses a file that is not there', async () => {
    const { code, stderr } = await primo('replay', file('nowhere.csv'), ...flags)
    expect(code).not.toBe(0)
    expect(stderr).toContain('nowhere.csv')
  })
})

describe('primo calibrate', () => {
  it('prints the fit as one JSON object, writes the calibrated column, and finds the bias that is there', async () => {
    const table = file('calibrate.csv')
    await primo('simulate', '--scenario', 'A', '--rounds', '4000', '--seed', '2', '--write-table', table)
    const out = file('calibrated.csv')
    const flags = ['--spec', `${table}.spec.json`, '--class', 'basis', '--out', out]
    const { code, stdout } = await primo('calibrate', table, ...flags, '--json')
    expect(code).toBe(0)
    const [fit] = jsonLines(stdout) as [Record<string, Record<string, Record<string, Record<string, number>>>>]
    expect(fit).toMatchObject({
      n: 4000,
      observed: expect.any(Number),
      correction: { kind: 'correction', rung: 'basis' },
    })
    // g~ - g* has root mean square .287 and eta variance .0833: mean squared errors near .166 and .083.
    expect(fit.loss!.pretrained!.mse!.value).toBeGreaterThan(0.14)
    expect(fit.loss!.calibrated!.mse!.value).toBeLessThan(0.1)
    const header = readFileSync(out, 'utf8').split('\n')[0]
    expect(header!.trim().endsWith('calibrated')).toBe(true)
    const text = await primo('calibrate', table, '--spec', `${table}.spec.json`)
    expect(text.stdout).toContain('Calibration changes the model')
  })
})
