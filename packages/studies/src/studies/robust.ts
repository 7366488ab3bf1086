// primo study robust: the targets of method#robust-targets for the robust profile: against calibrated LinUCB and plain IGW on the same
// imputation layer, LinUCB with a missing indicator, and the safety of exploration in a context-free bandit.
// A target is met when the lower 95% limit of the paired ratio is below its figure; the mean is reported.

import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec } from '@primo/lab'
import { pairedRatio, quantile, referenceData, referenceInteractions, scenarioFromName, summarise } from '@primo/lab'
import type { Study, StudyTable, Verdict } from '@primo/lab/node'
import { linUcbWithIndicator } from './linucb-with-indicator.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

const ENVIRONMENTS = ['A', 'B', 'MNAR+4']

/** Context-free bandits: actions, gap, and what the mean and the 95% quantile of the regret may be at 2^17 rounds. */
const BANDITS = [
  { actions: 5, gap: 0.1, mean: 60, p95: 100 },
  { actions: 10, gap: 0.05, mean: 200, p95: 330 },
] as const

function lineup(environment: string): readonly PolicySpec[] {
  const interactions = referenceInteractions(referenceData(environment))
  const robust = (name: string, options: EngineOptions = {}): PolicySpec => ({
    name,
    kind: 'engine',
    sees: 'world',
    options: { profile: 'robust', ...options },
  })
  return [
    robust('robust'),
    robust('LinUCB 1, same layer', { exploration: { kind: 'linucb', alpha: 1 } }),
    robust('LinUCB 2, same layer', { exploration: { kind: 'linucb', alpha: 2 } }),
    robust('IGW 10, same layer', { exploration: { kind: 'inverse-gap-weighting' } }),
    linUcbWithIndicator(interactions),
  ]
}

export const robust: Study = {
  name: 'robust',
  title: 'The robust profile against the best of the others',
  claim:
    'Without tuning, regret is within 5% of calibrated LinUCB on the same layer, clearly below LinUCB with a missing indicator, and exploration is safe.',
  run: async (options) => {
    const full = options.scale === 'full'
    const rounds = full ? 2 ** 17 : 2 ** 14
    const repeats = full ? 10 : 4
    const replicates = full ? 1000 : 40
    const tables: StudyTable[] = []
    const verdicts: Verdict[] = []
    const excesses = new Map<string, number>()
    const parts = ENVIRONMENTS.length + BANDITS.length
    let done = 0
    const within = (share: number) => options.onProgress?.((done + share) / parts)
    for (const environment of ENVIRONMENTS) {
      const policies = lineup(environment)
      const rows = await runRows(
        { scenarios: [scenarioFromName(environment)], policies, rounds, repeats, seed: options.seed },
        { ...options, onProgress: within },
      )
      done++
      const regret = (name: string) => regretsOf(rows, environment, name)
      const excess = (name: string) => regret(name).map((value, i) => value - floorsOf(rows, environment, name)[i]!)
      excesses.set(environment, summarise(excess('robust')).mean)
      tables.push({
        title: `Environment ${environment}, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds`,
        header: ['policy', 'regret', 'se', 'excess', 'se', 'largest excess'],
        rows: policies.map(({ name }) => {
          const r = summarise(regret(name))
          const e = summarise(excess(name))
          return [
            name,
            r.mean.toFixed(0),
            r.standardError.toFixed(1),
            e.mean.toFixed(0),
            e.standardError.toFixed(1),
            Math.max(...excess(name)).toFixed(0),
          ]
        }),
      })
      const better = ['LinUCB 1, same layer', 'LinUCB 2, same layer'].reduce((a, b) =>
        summarise(regret(a)).mean <= summarise(regret(b)).mean ? a : b,
      )
      const target = (what: string, top: readonly number[], bottom: readonly number[], figure: number) => {
        const { ratio, standardError } = pairedRatio(top, bottom)
        verdicts.push({
          held: ratio - 1.96 * standardError < figure,
          sentence: `${environment}: ${what} is ${ratio.toFixed(3)} ± ${standardError.toFixed(3)} (target: at most ${figure}).`,
        })
      }
      target(`regret against ${better}`, regret('robust'), regret(better), 1.05)
      target(`excess against ${better}`, excess('robust'), excess(better), 1.3)
      target('regret against LinUCB with indicator', regret('robust'), regret('LinUCB with indicator'), 0.97)
      target('excess against plain IGW', excess('robust'), excess('IGW 10, same layer'), 0.7)
    }
    const mnar = excesses.get('MNAR+4')! / excesses.get('A')!
    verdicts.push({
      held: mnar <= 1.6,
      sentence: `Excess under MNAR is ${mnar.toFixed(2)} times that under MAR (target: at most 1.6).`,
    })
    const safety: string[][] = []
    for (const { actions, gap, mean, p95 } of BANDITS) {
      const policy: PolicySpec = { name: 'robust', kind: 'engine', sees: 'world', options: { profile: 'robust' } }
      const scenario = { ...scenarioFromName(`bandit?actions=${actions}&gap=${gap}`), name: `K=${actions}` }
      const rows = await runRows(
        { scenarios: [scenario], policies: [policy], rounds, repeats: replicates, seed: options.seed },
        { ...options, onProgress: within },
      )
      done++
      const regrets = regretsOf(rows, scenario.name, 'robust')
      const measured = summarise(regrets)
      const high = quantile(regrets, 0.95)
      const locked = regrets.filter((value) => value > (rounds * gap) / 2).length
      safety.push([
        `K = ${actions}, gap ${gap}`,
        measured.mean.toFixed(0),
        measured.standardError.toFixed(1),
        high.toFixed(0),
        quantile(regrets, 0.99).toFixed(0),
        String(locked),
      ])
      verdicts.push({
        held: !full || (measured.mean <= mean && high <= p95 && locked === 0),
        sentence: `Context-free, K = ${actions}, gap ${gap}, ${replicates} replicates: mean ${measured.mean.toFixed(0)} (target at 2^17: at most ${mean}), p95 ${high.toFixed(0)} (at most ${p95}), locked in ${locked} times.`,
      })
    }
    tables.push({
      title: `Context-free bandit, ${rounds.toLocaleString('en')} rounds, ${replicates} replicates`,
      header: ['bandit', 'regret', 'se', 'p95', 'p99', 'lock-ins'],
      rows: safety,
    })
    return {
      settings: { rounds, seeds: repeats, replicates, 'first seed': options.seed, scale: options.scale },
      tables,
      plots: [],
      verdicts,
    }
  },
}
