import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const file = (name: string) => join(folder, name)

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
