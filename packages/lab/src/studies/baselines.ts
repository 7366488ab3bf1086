// primo study baselines: environments A and B, the rows of SPEC D2 and D3, each mean against the quoted one.

import { referenceData } from '../environments/reference.js'
import { scenarioFromName } from '../environments/scenario-name.js'
import type { PolicySpec } from '../policies/policy-spec.js'
import { summarise } from '../report/statistics.js'
import { referencePolicies } from './reference-policies.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'
import type { Study, StudyResult, StudyTable, Verdict } from './study.js'

interface Quoted {
  readonly policy: PolicySpec
  /** Mean and standard error (null: not quoted) of the independent implementation at T = 2^17; null where there is none. */
  readonly quoted: readonly [number, number | null] | null
}

const COMPARED_ROUNDS = 2 ** 17

// LinUCB and LinTS of SPEC D used alpha = .3 and .17 without the noise's standard deviation .173; here alpha counts widths.
const OFTEN = { window: 'all', schedule: { kind: 'growth', first: 20, factor: 1.02 } } as const

function policiesA(): readonly Quoted[] {
  const { policy, calibration, theoryGamma } = referencePolicies(referenceData('A'))
  const cal = { profile: 'primo-cal', calibration: calibration() } as const
  const swapAll = { profile: 'primo-cal', window: 'all', calibration: calibration({ split: 'swap' }) } as const
  const pointwise = { oracle: { width: 'pointwise' } } as const
  return [
    { policy: { name: 'uniform', kind: 'uniform' }, quoted: [14383, 5] },
    { policy: policy('primo, theory gamma', { profile: 'primo', gamma: theoryGamma }), quoted: [14280, 5] },
    { policy: policy('primo-cal, theory gamma', { ...cal, gamma: theoryGamma }), quoted: [14325, 5] },
    { policy: policy('no-z', { profile: 'primo' }, 'none'), quoted: [5198, 55] },
    { policy: policy('complete-case', { profile: 'primo', rows: 'complete' }), quoted: [3692, 27] },
    { policy: policy('mean imputation', { profile: 'primo', imputation: 'mean' }), quoted: [3634, 16] },
    { policy: policy('zero fill', { profile: 'primo', imputation: 'zero' }), quoted: null },
    { policy: policy('primo', { profile: 'primo' }), quoted: [2588, 6] },
    { policy: policy('primo, all data', { profile: 'primo', window: 'all' }), quoted: [2216, 6] },
    { policy: policy('primo-cal', cal), quoted: [2272, 6] },
    { policy: policy('primo-cal, swap', { ...cal, calibration: calibration({ split: 'swap' }) }), quoted: [2264, 6] },
    {
      policy: policy('primo-cal, swap, refresh', {
        ...cal,
        refresh: true,
        calibration: calibration({ split: 'swap' }),
      }),
      quoted: [2252, 5],
    },
    { policy: policy('primo-cal, all, swap', swapAll), quoted: [1881, 3] },
    { policy: policy('primo-cal, all, swap, refresh', { ...swapAll, refresh: true }), quoted: [1874, 3] },
    {
      policy: policy('primo-cal, all, swap, refresh, half ball', {
        ...swapAll,
        refresh: true,
        calibration: calibration({ split: 'swap', delta0: referenceData('A').constants.delta0 / 2 }),
      }),
      quoted: [1959, 4],
    },
    {
      policy: policy('primo-cal, all, swap, refresh, indicator', {
        ...swapAll,
        refresh: true,
        oracle: { indicator: 'interacted' },
      }),
      quoted: [2212, 5],
    },
    {
      policy: policy('primo, all, indicator', { profile: 'primo', window: 'all', oracle: { indicator: 'interacted' } }),
      quoted: [2256, 6],
    },
    { policy: policy('oracle that sees z', { profile: 'primo' }, 'truth'), quoted: [1284, 5] },
    { policy: policy('oracle that sees z, all data', { profile: 'primo', window: 'all' }, 'truth'), quoted: [911, 5] },
    {
      policy: policy('LinUCB', {
        ...OFTEN,
        ...pointwise,
        profile: 'primo',
        exploration: { kind: 'linucb', alpha: 1.73 },
      }),
      quoted: [1401, 4],
    },
    {
      policy: policy('LinTS', { ...OFTEN, ...pointwise, profile: 'primo', exploration: { kind: 'lints', spread: 1 } }),
      quoted: [1451, 4],
    },
  ]
}

function policiesB(): readonly Quoted[] {
  const { policy, calibration } = referencePolicies(referenceData('B'))
  const swapAll = { profile: 'primo-cal', window: 'all', calibration: calibration({ split: 'swap' }) } as const
  return [
    { policy: { name: 'uniform', kind: 'uniform' }, quoted: null },
    {
      policy: policy('complete-case, all data', { profile: 'primo', window: 'all', rows: 'complete' }),
      quoted: [2858, null],
    },
    {
      policy: policy('mean imputation, all data', { profile: 'primo', window: 'all', imputation: 'mean' }),
      quoted: [2211, null],
    },
    { policy: policy('primo, all data', { profile: 'primo', window: 'all' }), quoted: [1802, 7] },
    { policy: policy('primo-cal', { profile: 'primo-cal', calibration: calibration() }), quoted: [2102, 12] },
    { policy: policy('primo-cal, all, swap', swapAll), quoted: [1687, 7] },
    { policy: policy('primo-cal, all, swap, refresh', { ...swapAll, refresh: true }), quoted: [1678, 9] },
    {
      policy: policy('primo-cal, all, swap, refresh, indicator', {
        ...swapAll,
        refresh: true,
        oracle: { indicator: 'interacted' },
      }),
      quoted: [1910, 8],
    },
    { policy: policy('oracle that sees z, all data', { profile: 'primo', window: 'all' }, 'truth'), quoted: [897, 7] },
  ]
}

export const baselines: Study = {
  name: 'baselines',
  title: 'Baselines in environments A and B',
  claim:
    'Calibration beats the pre-trained model as it is, which beats the ways of doing without it; figures agree with an independent implementation.',
  run: async (options): Promise<StudyResult> => {
    const full = options.scale === 'full'
    const rounds = full ? COMPARED_ROUNDS : 2 ** 14
    const repeats = full ? 20 : 5
    const tables: StudyTable[] = []
    const verdicts: Verdict[] = []
    const environments = [
      { name: 'A', policies: policiesA() },
      { name: 'B', policies: policiesB() },
    ]
    let done = 0
    for (const { name, policies } of environments) {
      const share = policies.length / environments.reduce((sum, one) => sum + one.policies.length, 0)
      const spec = {
        scenarios: [scenarioFromName(name)],
        policies: policies.map(({ policy }) => policy),
        rounds,
        repeats,
        seed: options.seed,
      }
      const rows = await runRows(spec, { ...options, onProgress: (part) => options.onProgress?.(done + share * part) })
      done += share
      const measured = policies.map(({ policy, quoted }) => {
        const regrets = regretsOf(rows, name, policy.name)
        const floors = floorsOf(rows, name, policy.name)
        const { mean, standardError } = summarise(regrets)
        const excess = summarise(regrets.map((regret, i) => regret - floors[i]!))
        const off =
          quoted === null || !full ? null : (mean - quoted[0]) / Math.hypot(standardError, quoted[1] ?? standardError)
        return { name: policy.name, regrets, mean, standardError, excess, quoted, off }
      })
      tables.push({
        title: `Environment ${name}, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds`,
        header: ['policy', 'regret', 'se', 'excess over floor', 'se', 'quoted (2^17)', 'combined se off'],
        rows: measured.map((m) => [
          m.name,
          m.mean.toFixed(0),
          m.standardError.toFixed(1),
          m.excess.mean.toFixed(0),
          m.excess.standardError.toFixed(1),
          m.quoted === null ? '' : `${m.quoted[0]} ± ${m.quoted[1] ?? '?'}`,
          m.off === null ? '' : m.off.toFixed(1),
        ]),
      })
      const regret = (policy: string) => measured.find((m) => m.name === policy)!
      const order: [string, string][] =
        name === 'A'
          ? [
              ['oracle that sees z', 'primo-cal'],
              ['primo-cal', 'primo'],
              ['primo', 'mean imputation'],
              ['primo', 'complete-case'],
              ['mean imputation', 'no-z'],
              ['no-z', 'uniform'],
            ]
          : [
              ['oracle that sees z, all data', 'primo-cal, all, swap'],
              ['primo-cal, all, swap', 'primo, all data'],
              ['primo, all data', 'mean imputation, all data'],
              ['primo, all data', 'complete-case, all data'],
            ]
      const broken = order.filter(([better, worse]) => {
        const difference = summarise(regret(worse).regrets.map((value, i) => value - regret(better).regrets[i]!))
        return difference.mean < 3 * difference.standardError
      })
      verdicts.push({
        held: broken.length === 0,
        sentence:
          broken.length === 0
            ? `In ${name} each of these holds by more than three standard errors of the paired difference: ${order.map(([better, worse]) => `${better} < ${worse}`).join('; ')}.`
            : `In ${name} the ranking does NOT hold by three standard errors for ${broken.map(([better, worse]) => `${better} < ${worse}`).join(', ')}.`,
      })
      if (full) {
        const compared = measured.filter((m) => m.off !== null)
        const far = compared.filter((m) => Math.abs(m.off!) > 3)
        verdicts.push({
          held: far.length === 0,
          sentence: `In ${name} ${compared.length - far.length} of ${compared.length} quoted means are reproduced within three combined standard errors${far.length === 0 ? '.' : `; NOT: ${far.map((m) => `${m.name} (${m.off!.toFixed(1)})`).join(', ')}.`}`,
        })
      }
    }
    return {
      settings: { rounds, seeds: repeats, 'first seed': options.seed, scale: options.scale },
      tables,
      plots: [],
      verdicts,
    }
  },
}
