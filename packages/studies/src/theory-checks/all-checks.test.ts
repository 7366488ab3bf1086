import { expect, test } from 'vitest'
import { checks } from './all-checks.js'
import { between, holds, near } from './check.js'

// The short form of the study; the long one is `primo study theory`.
test.each(Object.keys(checks))('%s: every figure of the short study agrees with the quoted one', (id) => {
  const lines = checks[id]!.lines({ seed: 1, quick: true })
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.filter((line) => !holds(line))).toEqual([])
})

test('a line fails when the figure is further off than its rule allows', () => {
  expect(holds(near({ what: 'x', measured: 1.2, standardError: 0.05, quoted: 1, tolerance: 0.06 }))).toBe(true)
  expect(holds(near({ what: 'x', measured: 1.2, standardError: 0.04, quoted: 1, tolerance: 0.06 }))).toBe(false)
  expect(holds(between({ what: 'x', measured: 2, low: 0, high: 1 }))).toBe(false)
  expect(holds(between({ what: 'x', measured: Number.NaN, low: 0, high: 1 }))).toBe(false)
})
