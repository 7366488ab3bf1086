import { expect, test } from 'vitest'
import { boundsCommand } from './bounds-command.js'

function run(...args: string[]) {
  const out: string[] = []
  const error: string[] = []
  const { exitCode } = boundsCommand(args, { out: (text) => out.push(text), error: (text) => error.push(text) })
  return { exitCode, out: out.join('\n'), error: error.join('\n') }
}

test('prints four tables by epoch and the regret, with the gammas of the reference runs at epoch 17', () => {
  const { exitCode, out } = run()
  expect(exitCode).toBe(0)
  const [second, , fourth] = out.split(/(?=Theorem \d)/)
  const last = (text: string) => text.split('\n').find((line) => line.startsWith('17 '))!
  expect(last(second!)).toMatch(/0\.2709 +oracle$/)
  expect(last(fourth!)).toMatch(/0\.1395 +oracle$/)
  expect(out).toContain('Theorem 2 (PRIMO), corrected')
  expect(out).toContain('no (above T)')
})

test('--json prints one object with the problem, every epoch and every regret bound', () => {
  const { exitCode, out } = run('--json', '--horizon', '64', '--reward-class', 'lipschitz:2:3', '--actions', '3')
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

test('--help gives an example; bad flags, values and classes exit with 2 and name the field and the value', () => {
  expect(run('--help')).toMatchObject({ exitCode: 0 })
  expect(run('--help').out).toContain('Example: ')
  const cases: [string[], string][] = [
    [['--horizon', '0'], 'horizon must be a whole number >= 1, got 0'],
    [['--delta', '1.5'], 'delta must be in (0, 1), got 1.5'],
    [['--lambda', 'big'], '--lambda must be a number, got "big"'],
    [['--reward-class', 'tree:4'], 'got "tree:4"'],
    [['--ball', 'l1'], '--ball must be l2 or complexity, got "l1"'],
    [['--entropy-exponent', '0'], 'entropyExponent must be a finite number > 0, got 0'],
    [['--unknown', '1'], "Unknown option '--unknown'"],
  ]
  for (const [args, sentence] of cases) {
    const { exitCode, out, error } = run(...args)
    expect(exitCode).toBe(2)
    expect(out).toBe('')
    expect(error).toContain(sentence)
  }
})
