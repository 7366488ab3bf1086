import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

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
        const policies = ['--policies', 'uniform,primo,primo-cal,sees-all-values,mean-imputation,linucb']
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
    expect(code).toBe(1)
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
    expect(code).toBe(1)
    expect(stderr).toContain('nowhere.csv')
  })

  it.each([
    [['--policies', 'primo,primo'], '--policies must be distinct, got "primo" twice'],
    [['--policies', ','], '--policies must name at least one, got none'],
    [['--policies', 'nobody'], 'got "nobody"'],
    [['--delta0', '-1'], '--delta0 must be >= 0, got -1'],
  ])('refuses %j with code 2 and nothing but the reason', async (given, reason) => {
    const { code, stdout, stderr } = await replay(csv(rows), ...given)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^primo: [^\n]*\n$/)
    expect(stderr).toContain(reason)
  })

  it('says what fills missing values when there is no prediction', async () => {
    writeFileSync(file('bare.csv'), csv(rows))
    const bare = flags.filter((word) => word !== '--prediction' && word !== 'g')
    const { code, stderr } = await primo('replay', file('bare.csv'), ...bare, '--policies', 'primo', '--json')
    expect(code).toBe(0)
    expect(stderr).toContain(
      'there is no prediction: policies that use the model fill them with the middle of its range',
    )
    expect((await replay(csv(rows))).stderr).not.toContain('there is no prediction')
  })

  it('refuses a bad cell among numbers', async () => {
    const { code, stderr } = await replay(csv(rows.map((row, i) => (i === 7 ? { ...row, x: 'NA' } : row))))
    expect(code).toBe(1)
    for (const word of ['table.csv', 'line 9', '"x"', '"NA"', 'an empty cell means missing'])
      expect(stderr).toContain(word)
  })

  it('takes a covariate of true and false with predicted probabilities', async () => {
    const smokers = rows.map((row) => ({ ...row, z: row.z > 0 }))
    const { code, stderr } = await replay(csv(smokers))
    expect(code).toBe(0)
    expect(stderr).toContain('the covariate z is true or false')
    expect(stderr).not.toContain('count as none')
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

  const table = (cell: (i: number) => string) => {
    const lines = Array.from({ length: 200 }, (_, i) => `${(i % 13) / 13},${i % 3 === 0 ? '' : cell(i)},${(i % 7) / 7}`)
    writeFileSync(file('small.csv'), `x,z,p\n${lines.join('\n')}\n`)
    return ['calibrate', file('small.csv'), '--context', 'x', '--covariate', 'z', '--prediction', 'p']
  }

  it('corrects the probabilities of a boolean in one column', async () => {
    const out = file('boolean.csv')
    const { code, stdout, stderr } = await primo(...table((i) => (i % 2 === 0 ? 'True' : 'false')), '--out', out)
    expect(code).toBe(0)
    expect(stdout).not.toContain('No value is observed')
    expect(stderr).toBe(`wrote ${out} with the column "calibrated"\n`)
    const [header, ...lines] = readFileSync(out, 'utf8').trim().split('\n')
    expect(header).toBe('x,z,p,calibrated')
    for (const line of lines) {
      const value = line.split(',')[3]!
      expect(value).not.toBe('')
      expect(Number(value) >= 0 && Number(value) <= 1).toBe(true)
    }
  })

  it('names the columns that it wrote for a category', async () => {
    const args = table((i) => (i % 2 === 0 ? 'low' : 'high'))
    const refused = await primo(...args)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('must be a level of z (high, low), which is a category')
    const text = readFileSync(file('small.csv'), 'utf8')
      .replaceAll(/,[^,\n]*$/gm, ',low')
      .replace('z,low', 'z,p')
    writeFileSync(file('small.csv'), text)
    const { code, stderr } = await primo(...args, '--out', file('category.csv'))
    expect(code).toBe(0)
    expect(stderr).toBe(`wrote ${file('category.csv')} with the columns "calibrated=high", "calibrated=low"\n`)
    expect(readFileSync(file('category.csv'), 'utf8').split('\n')[0]).toBe('x,z,p,calibrated=high,calibrated=low')
  })

  it.each(['out.parquet', 'out.txt', 'out', 'small.csv', 'none/out.csv'])(
    'refuses the output %s before it prints anything',
    async (name) => {
      const { code, stdout, stderr } = await primo(...table(String), '--out', file(name))
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain(name)
    },
  )
})
