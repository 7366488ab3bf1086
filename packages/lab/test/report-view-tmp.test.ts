import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { test } from 'vitest'
import { scenarioFromName } from '../src/environments/scenario-name.js'
import { cellRunner } from '../src/runs/run-cell.js'
import { cellsOf } from '../src/runs/run-spec.js'
import { writeRunReport } from '../src/report/write-report.js'
import { range, syntheticRows } from './report-rows.js'
test('real', { timeout: 300000 }, async () => {
  const spec = { scenarios: [scenarioFromName('A'), scenarioFromName('dosing')], policies: ['uniform', 'zero-fill', 'primo', 'primo-cal', 'best-fixed-action', 'linucb', 'greedy', 'oracle'], rounds: 8192, repeats: 4, seed: 1 } as never
  if (!existsSync('/tmp/rp/rows.json')) { const run = cellRunner(spec); writeFileSync('/tmp/rp/rows.json', JSON.stringify(cellsOf(spec).map((cell) => run(cell)))) }
  const rows = JSON.parse(readFileSync('/tmp/rp/rows.json', 'utf8'))
  await writeRunReport({ rows, spec, outDir: '/tmp/rp/real', command: 'primo simulate --scenario A,dosing --rounds 8192 --repeats 4 --out real' })
  const names = ['uniform', 'primo, theory gamma', 'primo-cal, theory gamma', 'no-z', 'complete-case', 'mean imputation', 'zero fill', 'primo', 'primo, all data', 'primo-cal', 'primo-cal, swap', 'primo-cal, swap, refresh', 'primo-cal, all, swap', 'primo-cal, all, swap, refresh', 'primo-cal, all, swap, refresh, half ball', 'primo-cal, all, swap, refresh, indicator', 'primo, all, indicator', 'oracle that sees z', 'oracle that sees z, all data', 'LinUCB', 'LinUCB, calibrated', 'LinTS', 'LinTS, calibrated']
  const many = syntheticRows({ scenario: 'A', rounds: 2 ** 15, seeds: range(1, 5), policies: names.map((name, k) => ({ name, scale: name === 'uniform' ? 0.1 : 0.6 + k / 20, power: name === 'uniform' ? 1 : 0.62 - k / 150, gammaScale: 5 + k / 4, error: [0.3 + k / 100, 1 + k / 20] as const })) })
  await writeRunReport({ rows: many, outDir: '/tmp/rp/many', command: 'primo study baselines' })
})
