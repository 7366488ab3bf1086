import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { fail } from '../output.js'
import { boundsCommand } from './bounds.js'

afterEach(() => {
  process.exitCode = 0
  vi.restoreAllMocks()
})

async function run(...args: string[]) {
  const written = { out: '', error: '' }
  for (const [stream, name] of [[process.stdout, 'out'] as const, [process.stderr, 'error'] as const])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written[name] += String(text)
      return true
    })
  process.exitCode = 0
  const command = boundsCommand().exitOverride()
  try {
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    fail(error, command)
  }
  return { exitCode: process.exitCode, ...written }
}

test('prints the constants, eight tables by epoch and the regret, with the gammas of the reference runs at epoch 17', async () => {
  const { exitCode, out } = await run()
  expect(exitCode).toBe(0)
  const parts = out.split(/(?=Theorem \d)/)
  const [second, fourth] = [2, 4].map((theorem) => parts.find((part) => part.startsWith(`Theorem ${theorem}`)))
  expect(parts.map((part) => part.slice(0, 9)).slice(1)).toEqual([1, 1, 3, 3, 2, 2, 4, 4].map((n) => `Theorem ${n}`))
  expect(parts[0]).toMatch(/delta0 +0\.2\d+ +environment A/)
  const last = (text: string) => text.split('\n').find((line) => line.startsWith('17 '))!
  expect(last(second!)).toMatch(/0\.2709 +oracle$/)
  expect(last(fourth!)).toMatch(/0\.1395 +oracle$/)
  expect(out).toContain('Theorem 2 (PRIMO), corrected')
  expect(out).toContain('no (above T)')
})

test('--json prints one object with the problem, every epoch and every regret bound', async () => {
  const { exitCode, out } = await run('--json', '--horizon', '64', '--reward-class', 'lipschitz:2:3', '--actions', '3')
  expect(exitCode).toBe(0)
  const table = JSON.parse(out)
  expect(table.problem).toMatchObject({ actions: 3, rewardClass: { kind: 'lipschitz', lipschitz: 2, xDim: 3 } })
  expect(table.epochs).toHaveLength(2 * 2 * 5)
  expect(table.regret).toHaveLength(4)
  for (const row of table.epochs) {
    expect(row.gamma).toBeGreaterThan(0)
    expect(row.terms.map((term: { name: string }) => term.name)).toContain(row.largest)
  }
})

test('constants come from flags, a calibration or a scenario, and say so', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'primo-')), 'calibrated.json')
  const limited = (value: number) => ({ value, low: 0.9 * value, high: 1.1 * value, limit: 1.08 * value })
  const estimated = { delta0: limited(2), omega0: limited(3), tau: 5, unit: 10 }
  const elasticity = { pretrained: { all: { value: 4, low: 3, high: 5 }, missing: { value: 2, low: 1, high: 3 } } }
  writeFileSync(file, JSON.stringify({ constants: estimated, elasticity }))
  const args = ['--json', '--horizon', '16', '--calibration', file, '--lipschitz', '0.1', '--omega0', '0.5']
  const { problem, constants } = JSON.parse((await run(...args)).out)
  expect(problem.delta0).toBeCloseTo(0.216, 9)
  expect(problem).toMatchObject({ omega0: 0.5, etaBound: 0.5, lipschitz: 1 })
  expect(problem.elasticity.printed).toBeCloseTo(0.05, 9)
  expect(problem.elasticity.missingOnly).toBeCloseTo(0.03, 9)
  expect(constants).toMatchObject({ omega0: { source: 'given' }, lambda: { source: 'environment A' } })
  expect(constants.delta0.source).toContain('upper 95% limit; estimated 0.200, 0.180 to 0.220')
  const measured = JSON.parse((await run('--json', '--horizon', '16', '--scenario', 'A?bias=0.5')).out)
  expect(measured.problem.delta0).toBeCloseTo(0.287 / 2, 2)
  expect(measured.constants.delta0.source).toContain('measured in A?bias=0.5')
  writeFileSync(file, JSON.stringify({ constants: { ...estimated, delta0: { ...limited(2), limit: null } } }))
  const refused = await run('--calibration', file)
  expect(refused.exitCode).toBe(2)
  expect(refused.error).toContain('--delta0 must be given')
})

test('--help gives an example; bad flags, values and classes exit with 2 and name the field and the value', async () => {
  const help = await run('--help')
  expect(help.exitCode).toBe(0)
  expect(help.out).toContain('Example:')
  const cases: [string[], string][] = [
    [['--horizon', '0'], '--horizon must be a whole number >= 1, got 0'],
    [['--delta', '1.5'], '--delta must be in (0, 1), got 1.5'],
    [['--lambda', 'big'], '--lambda must be a number, got "big"'],
    [['--reward-class', 'tree:4'], 'got "tree:4"'],
    [['--ball', 'l1'], "option '--ball <norm>' argument 'l1' is invalid"],
    [['--entropy-exponent', '0'], '--entropy-exponent must be a finite number > 0, got 0'],
    [['--unknown', '1'], "unknown option '--unknown'"],
  ]
  for (const [args, sentence] of cases) {
    const { exitCode, out, error } = await run(...args)
    expect(exitCode).toBe(2)
    expect(out).toBe('')
    expect(error).toContain(sentence)
  }
})
