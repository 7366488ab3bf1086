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

test('prints four tables by epoch and the regret, with the gammas of the reference runs at epoch 17', async () => {
  const { exitCode, out } = await run()
  expect(exitCode).toBe(0)
  const [second, , fourth] = out.split(/(?=Theorem \d)/)
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
