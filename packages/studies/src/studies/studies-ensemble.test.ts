import { describe, expect, it } from 'vitest'
import { ensembleVerdicts, runEnsemble } from './ensemble.js'

describe('study ensemble', () => {
  it('runs, and does not care which of its members is the good one', async () => {
    const result = await runEnsemble({ scale: 'quick', seed: 1 }, { rounds: 1024, seeds: 2 })
    expect(result.verdicts.length).toBe(8)
    const rows = result.tables[0]!.rows
    const regret = (environment: string, bad: string, models: string) =>
      rows.find((row) => row[0] === environment && row[1] === bad && row[2] === models)![3]
    for (const environment of ['A', 'B'])
      for (const bad of ['noise', 'bias and noise'])
        expect(regret(environment, bad, 'ensemble, good first')).toBe(regret(environment, bad, 'ensemble, good second'))
  })

  it('has verdicts that can come out false', () => {
    const effect = { mean: 12, low: 8, high: 16, share: 0.06, smaller: 0, worlds: 20 }
    const [no] = ensembleVerdicts([{ environment: 'A', bad: 'noise', place: 'first', effect }])
    const [yes] = ensembleVerdicts([
      { environment: 'A', bad: 'noise', place: 'first', effect: { ...effect, share: 0.05 } },
    ])
    expect([no!.held, yes!.held]).toEqual([false, true])
    expect(no!.sentence).toContain('+6.0%')
  })
})
