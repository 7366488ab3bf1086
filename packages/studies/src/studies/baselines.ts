// primo study baselines: environments A and B, the rows of method#main-table, each mean against the quoted one.

import type { ColorName, PolicySpec } from '@primo/lab'
import {
  formatFixed,
  referenceData,
  type StudyDotPlot,
  type Summary,
  scenarioFromName,
  studyDotPlot,
  summarise,
} from '@primo/lab'
import type { Study, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import { referencePolicies } from './reference-policies.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

interface Quoted {
  readonly policy: PolicySpec
  /** Mean and standard error (null: not quoted) of the independent implementation at T = 2^17; null where there is none. */
  readonly quoted: readonly [number, number | null] | null
}

type Pair = readonly [better: string, worse: string]

const COMPARED_ROUNDS = 2 ** 17

// LinUCB and LinTS of method#main-table used alpha = .3 and .17 without the noise's standard deviation .173; here alpha counts widths.
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
    { policy: policy('sees all values', { profile: 'primo' }, 'truth'), quoted: [1284, 5] },
    { policy: policy('sees all values, all data', { profile: 'primo', window: 'all' }, 'truth'), quoted: [911, 5] },
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
    { policy: policy('sees all values, all data', { profile: 'primo', window: 'all' }, 'truth'), quoted: [897, 7] },
  ]
}

/** What the claim says of each environment, as pairs of policies. */
const ORDERS: Readonly<Record<string, readonly Pair[]>> = {
  A: [
    ['sees all values', 'primo-cal'],
    ['primo-cal', 'primo'],
    ['primo', 'mean imputation'],
    ['primo', 'complete-case'],
    ['mean imputation', 'no-z'],
    ['no-z', 'uniform'],
  ],
  B: [
    ['sees all values, all data', 'primo-cal, all, swap'],
    ['primo-cal, all, swap', 'primo, all data'],
    ['primo, all data', 'mean imputation, all data'],
    ['primo, all data', 'complete-case, all data'],
  ],
}

/** With and without calibration, all else equal: what the title of the environment's plot is about. */
const CALIBRATED: Readonly<Record<string, Pair>> = {
  A: ['primo-cal', 'primo'],
  B: ['primo-cal, all, swap', 'primo, all data'],
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
    const plots: StudyDotPlot[] = []
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
        const off =
          quoted === null || !full ? null : (mean - quoted[0]) / Math.hypot(standardError, quoted[1] ?? standardError)
        const excesses = regrets.map((regret, i) => regret - floors[i]!)
        return { name: policy.name, regrets, mean, standardError, excesses, excess: summarise(excesses), quoted, off }
      })
      tables.push({
        title: `Environment ${name}, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds`,
        header: [...['policy', 'regret', 'se', 'excess', 'se'], ...(full ? ['quoted (2^17)', 'combined se off'] : [])],
        rows: measured.map((m) => [
          m.name,
          m.mean.toFixed(0),
          m.standardError.toFixed(1),
          m.excess.mean.toFixed(0),
          m.excess.standardError.toFixed(1),
          ...(full ? [quotedText(m.quoted), m.off === null ? '' : m.off.toFixed(1)] : []),
        ]),
      })
      const of = (policy: string) => measured.find((m) => m.name === policy)!
      const paired = ([better, worse]: Pair) =>
        summarise(of(worse).regrets.map((value, i) => value - of(better).regrets[i]!))
      const differences = ORDERS[name]!.map((pair) => ({ pair, difference: paired(pair) }))
      verdicts.push(full ? fullRanking(name, differences) : quickRanking(name, differences))
      const pair = CALIBRATED[name]!
      plots.push(
        studyDotPlot({
          title: `${name}: ${calibrationFinding(of(pair[0]).excess.mean, of(pair[1]).excess.mean, paired(pair))}`,
          subtitle: `Excess over the unavoidable regret by policy, best first; ${rounds.toLocaleString('en')} rounds, ${repeats} seeds, mean and 95% interval; in numbers ± one standard error`,
          xLabel: 'policy',
          less: '',
          more: 'more regret than unavoidable',
          rows: [...measured]
            .sort((a, b) => a.excess.mean - b.excess.mean)
            .map((m) => ({ name: m.name, color: familyColor(m.name), seeds: m.excesses })),
        }),
      )
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
      plots,
      verdicts,
    }
  },
}

interface PairDifference {
  readonly pair: Pair
  /** Regret of the worse minus regret of the better, by seed. */
  readonly difference: Summary
}

const beyond = ({ difference }: PairDifference) => difference.mean >= 3 * difference.standardError
const pairsText = (list: readonly PairDifference[]) =>
  list.map(({ pair: [better, worse] }) => `${better} < ${worse}`).join('; ')

export function fullRanking(name: string, differences: readonly PairDifference[]): Verdict {
  const broken = differences.filter((one) => !beyond(one))
  return {
    held: broken.length === 0,
    sentence:
      broken.length === 0
        ? `In ${name} each of these holds by more than three standard errors of the paired difference: ${pairsText(differences)}.`
        : `In ${name} the ranking does NOT hold by three standard errors for ${pairsText(broken)}.`,
  }
}

/** A few seeds can contradict a ranking, by more than one standard error the wrong way, but not settle it. */
export function quickRanking(name: string, differences: readonly PairDifference[]): Verdict {
  const contradicted = differences.filter(({ difference }) => difference.mean < -difference.standardError)
  const open = differences.filter((one) => !beyond(one))
  const count = differences.length
  const settled = `${count - open.length} of the ${count} are already beyond three standard errors${open.length === 0 ? '' : ` (not yet: ${pairsText(open)})`}; the full study decides`
  return {
    held: contradicted.length === 0,
    sentence:
      contradicted.length === 0
        ? `In ${name} this quick run contradicts none of the ${count} pairs of the ranking, and ${settled}.`
        : `In ${name} this quick run has the wrong sign by more than one standard error for ${pairsText(contradicted)}; ${settled}.`,
  }
}

function calibrationFinding(calibrated: number, plain: number, { mean, standardError }: Summary): string {
  const [without, calibratedText] = [formatFixed(plain, 0), formatFixed(calibrated, 0)]
  if (Math.abs(mean) < 3 * standardError)
    return `excess regret ${calibratedText} with calibration, ${without} without: not three standard errors apart`
  const share = formatFixed((100 * Math.abs(mean)) / plain, 0)
  return `calibration ${mean > 0 ? 'cuts' : 'RAISES'} the excess regret by ${share}%, from ${without} to ${calibratedText}`
}

function familyColor(policy: string): ColorName {
  if (policy.startsWith('primo-cal')) return 'navy'
  if (policy.startsWith('primo')) return 'red'
  return policy.startsWith('sees all values') ? 'ink' : 'grey'
}

export function quotedText(quoted: Quoted['quoted']): string {
  if (quoted === null) return ''
  return quoted[1] === null ? `${quoted[0]}` : `${quoted[0]} ± ${quoted[1]}`
}
