import { expect, it } from 'vitest'
import { evaluateLog } from './evaluate-log.js'
import { evaluationLog } from './evaluation-log.js'
import { evaluationTables } from './evaluation-report.js'
import { header, logRows } from './evaluation-world.fixture.js'

const fixed = (action: string) => ({ kind: 'fixed' as const, name: `fixed:${action}`, action })

it('tables begin with the doubly robust estimate, cut at what rewards allow', async () => {
  const rows = [...logRows(700, 4)].map((row, k) =>
    row.action === 'b' ? { ...row, reward: k % 50 === 0 ? 0 : 1 } : row,
  )
  const evaluation = evaluateLog(await evaluationLog(header, rows), { policies: [fixed('b')], replicates: 0 })
  const found = evaluation.policies[0]!.estimates.find(({ estimator }) => estimator === 'dr')!
  expect(found.asymptotic!.high).toBeGreaterThan(1)
  const [values, differences] = evaluationTables(evaluation)
  expect([values!.rows[0]![1], differences!.rows[0]![1]]).toEqual(['dr', 'dr'])
  expect(values!.rows[0]![3]).toMatch(/ to 1\.0*$/)
})

it('tables have a sentence in place of numbers where too few decisions are like the policy', async () => {
  const rows = [...logRows(2000, 5)].filter(({ action }, k) => action !== 'c' || k < 60)
  const log = await evaluationLog(header, rows)
  const policies = [fixed('a'), fixed('c')]
  for (const interval of ['anytime', 'fixed'] as const) {
    const tables = evaluationTables(evaluateLog(log, { policies, interval, replicates: 0 }))
    for (const { header: names, rows: found } of tables
      .filter(({ header: [first] }) => first === 'policy')
      .slice(0, 2)) {
      const [row, ...more] = found.filter(([policy]) => policy === 'fixed:c')
      expect(more).toEqual([])
      expect(row![names.findIndex((name) => name === 'value' || name === 'difference')]).toBe(
        'too few decisions like it',
      )
    }
  }
})

it('values on the log of a learning policy differ from what was played by their differences', async () => {
  const log = await evaluationLog(header, logRows(2000, 5))
  const policies = [{ kind: 'uniform', name: 'uniform' } as const, ...header.actions.map(fixed)]
  const evaluation = evaluateLog(log, { policies, interval: 'anytime', replicates: 0 })
  const [values, differences] = evaluationTables(evaluation).map(({ rows }) =>
    rows.map(([, estimate]) => Number.parseFloat(String(estimate))),
  )
  for (const [k, value] of values!.entries()) expect(value - evaluation.logged.value).toBeCloseTo(differences![k]!, 2)
  const [mixed, ...parts] = values!
  expect(mixed).toBeCloseTo(
    parts.reduce((sum, part) => sum + part / 3, 0),
    2,
  )
})
