import { writeFileSync } from 'node:fs'
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
  const args = (text: string, more: readonly string[]) => {
    writeFileSync(file('table.csv'), text)
    return ['replay', file('table.csv'), ...flags, '--policies', 'primo,primo-cal', '--json', ...more]
  }
  const replay = (text: string, ...more: readonly string[]) => primo(...args(text, more))
  const refused = (text: string, ...more: readonly string[]) => primo(...args(text, more))

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
    ['a column that only stands twice', csv(rows).replace('x,city', 'x,x'), ['"city"', 'x, x.1, z']],
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
    const { code, stdout, stderr } = await refused(text)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    for (const word of mentioned) expect(stderr).toContain(word)
  })

  it('names row 17,342 when its type is wrong', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      i === 17_340 ? 'oops,north,0,1,0.1,0.5,0.5' : '0.5,north,0,1,0.1,0.5,0.5',
    )
    const { code, stderr } = await refused(['x,city,z,b,g,r0,r1', ...many].join('\n'), '--ranges', 'x=0..1')
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
    const { code, stdout, stderr } = await refused(csv(rows), ...given)
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
    const { code, stderr } = await refused(csv(rows.map((row, i) => (i === 7 ? { ...row, x: 'few' } : row))))
    expect(code).toBe(1)
    for (const word of ['table.csv', 'line 9', '"x"', '"few"', '--na x=few']) expect(stderr).toContain(word)
  })

  it('takes a covariate of true and false with predicted probabilities', async () => {
    const smokers = rows.map((row) => ({ ...row, z: row.z > 0 }))
    const { code, stderr } = await replay(csv(smokers))
    expect(code).toBe(0)
    expect(stderr).toContain('the covariate z is true or false')
    expect(stderr).not.toContain('count as none')
  })
})
