import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()

test('primo calibrate --analysis adds the analysis to the fit, whose own shape stays, and writes a page', async () => {
  const random = Random.fromSeed(1)
  const lines = ['x,z,model']
  for (let k = 0; k < 600; k++) {
    const x = random.uniform()
    const z = x + 0.2 * random.uniform()
    lines.push(`${x},${random.uniform() < 0.3 + 0.5 * x ? z : ''},${x + 0.4}`)
  }
  const file = join(folder, 'table.csv')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const columns = ['--context', 'x', '--covariate', 'z', '--prediction', 'model', '--ranges', 'z=0..1.5']
  const out = join(folder, 'report')
  const plain = await primo('calibrate', file, ...columns, '--json')
  const more = await primo('calibrate', file, ...columns, '--json', '--repetitions', '2', '--report', out)
  expect([plain.code, more.code]).toEqual([0, 0])
  const { analysis, ...fit } = JSON.parse(more.stdout) as Record<string, unknown>
  expect(fit).toEqual(JSON.parse(plain.stdout))
  expect(analysis).toMatchObject({ kind: 'calibration-analysis', covariate: 'z', repetitions: 2, folds: 5 })
  // The model is 0.3 too high on average.
  const { bias } = analysis as { bias: { all: { pretrained: { low: number; high: number } } } }
  expect(bias.all.pretrained.low).toBeLessThan(0.3)
  expect(bias.all.pretrained.high).toBeGreaterThan(0.29)
  expect(existsSync(join(out, 'report.html'))).toBe(true)
})

test('primo calibrate --witness says what holds whatever made values missing, and refuses columns that cannot witness', async () => {
  const random = Random.fromSeed(2)
  const lines = ['x,z,model,score,arm']
  for (let k = 0; k < 1500; k++) {
    const x = random.uniform()
    const noise = random.normal()
    const seen = random.uniform() < 1 / (1 + Math.exp(-2 * noise))
    lines.push(`${x},${seen ? x + noise : ''},${x},${x + noise + 0.5 * random.normal()},${k % 2 === 0 ? 'a' : 'b'}`)
  }
  const file = join(folder, 'witness.csv')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const columns = ['calibrate', file, '--context', 'x', '--covariate', 'z', '--prediction', 'model']
  const { code, stdout } = await primo(...columns, '--witness', 'score:arm,model', '--json')
  expect(code).toBe(0)
  const { bounds } = JSON.parse(stdout) as { bounds: { sets: { verdict: string; witnesses: unknown[] }[] } }
  expect(bounds.sets[0]!.verdict).toBe('excludes')
  expect(bounds.sets[0]!.witnesses).toMatchObject([
    { name: 'score by arm', used: true },
    { name: 'model', used: false },
  ])
  const text = await primo(...columns, '--witness', 'score')
  expect(text.stdout).toMatch(/z: the set excludes missing at random: the mean over missing rows is within/)
  const context = await primo(...columns, '--witness', 'x')
  expect(context.stderr).toContain('witness must be a column that is neither context nor covariate, got "x"')
})
