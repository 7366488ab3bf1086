import { expect, test } from 'vitest'
import { runBehaviour } from './behaviour.js'

test('a few logs of each kind: the right class is found, errors are within what chance allows', async () => {
  const { tables, verdicts } = await runBehaviour({ scale: 'quick', seed: 1 }, { logs: 4, rows: [600] })
  const [coverage, classes] = tables
  // Two kinds of logs, four policies, two estimators; false alarms of a bound of 4 standard errors are one in a thousand.
  expect(coverage!.rows).toHaveLength(16)
  for (const row of coverage!.rows) expect(Math.abs(Number(row[4]))).toBeLessThan((4 * Number(row[6])) / Math.sqrt(4))
  const [logit, steps] = classes!.rows.map((row) => row.slice(1).map(Number))
  expect(logit![0]).toBeGreaterThanOrEqual(3)
  expect(steps![0]).toBeLessThanOrEqual(1)
  expect(verdicts).toHaveLength(4)
})
