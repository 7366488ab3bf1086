import { expect, test } from 'vitest'
import { checks } from './all-checks.js'
import { between, near } from './check.js'
import { theoryChecksCommand } from './command.js'

function run(...args: string[]) {
  const out: string[] = []
  const error: string[] = []
  const { exitCode } = theoryChecksCommand(args, { out: (text) => out.push(text), error: (text) => error.push(text) })
  return { exitCode, out: out.join('\n'), error: error.join('\n') }
}

// The short form of the study; the long one is the command itself.
test.each(Object.keys(checks))('%s: every figure of the short study agrees with SPEC', (id) => {
  const { lines } = checks[id]!({ seed: 1, quick: true })
  expect(lines.length).toBeGreaterThan(2)
  expect(
    lines.filter((line) => !line.holds).map(({ what, measured, accept }) => `${what}: ${measured}, ${accept}`),
  ).toEqual([])
})

test('a line fails when the figure is further off than its rule allows', () => {
  expect(near({ what: 'x', measured: 1.2, standardError: 0.05, quoted: 1, tolerance: 0.06 }).holds).toBe(true)
  expect(near({ what: 'x', measured: 1.2, standardError: 0.04, quoted: 1, tolerance: 0.06 }).holds).toBe(false)
  expect(between({ what: 'x', measured: 2, low: 0, high: 1 }).holds).toBe(false)
  expect(between({ what: 'x', measured: Number.NaN, low: 0, high: 1 }).holds).toBe(false)
})

test('the command prints figures beside SPEC and a verdict, or one JSON object', () => {
  const text = run('--only', 'igw', '--quick', '--seed', '3')
  expect(text.exitCode).toBe(0)
  expect(text.out).toContain('1.53 (<= 2)')
  expect(text.out).toContain('5 of 5 lines hold (seed 3, quick).')
  const { out } = run('--only', 'igw', '--quick', '--json')
  expect(JSON.parse(out)).toMatchObject({ seed: 1, quick: true, holds: true, checks: [{ id: 'igw' }] })
})

test('bad usage exits with 2 and names the value', () => {
  expect(run('--only', 'nothing')).toMatchObject({ exitCode: 2 })
  expect(run('--only', 'nothing').error).toContain('got "nothing"')
  expect(run('--seed=-1').error).toBe('--seed must be a whole number >= 0, got "-1"')
  expect(run('--seed=x').error).toBe('--seed must be a whole number >= 0, got "x"')
  expect(run('--help').out).toContain('Example: ')
})
