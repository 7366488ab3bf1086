// primo study baselines: environments A and B, the rows of method#main-table, each mean against the quoted one.

import { type PolicySpec, referenceData, summarise } from '@primo/lab'
import type { StudyTable, Verdict } from '@primo/lab/node'
import type { Found } from '../runner/found.js'
import { playScenario } from '../runner/play.js'
import { dotPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { paired } from '../runner/statistics.js'
import type { Size, World } from '../runner/study-spec.js'
import { arm, column, mean, sizeText, table } from '../runner/tables.js'
import { distanceFrom, type Quoted, quotedText, reproduced } from '../runner/verdicts.js'
import { referencePolicies } from './reference-policies.js'

interface Line {
  readonly policy: PolicySpec
  /** Of the independent implementation at T = 2^17; null where there is none. */
  readonly quoted: Quoted | null
}

// LinUCB and LinTS of method#main-table used alpha = .3 and .17 without the noise's standard deviation .173; here
// alpha counts widths.
const OFTEN = { window: 'all', schedule: { kind: 'growth', first: 20, factor: 1.02 } } as const

function policiesA(): readonly Line[] {
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

function policiesB(): readonly Line[] {
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
const ORDERS: Readonly<Record<string, readonly (readonly [better: string, worse: string])[]>> = {
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

export const LINES: Readonly<Record<string, readonly Line[]>> = { A: policiesA(), B: policiesB() }

function quotedOf(world: string, name: string): Quoted | null {
  return LINES[world]!.find(({ policy }) => policy.name === name)!.quoted
}

export const baselines = defineStudy({
  name: 'baselines',
  title: 'Baselines in environments A and B',
  claim:
    'Calibration beats the pre-trained model as it is, which beats the ways of doing without it; figures agree with an independent implementation.',
  full: { rounds: 2 ** 17, repeats: 20 },
  quick: { rounds: 2 ** 14, repeats: 5 },
  worlds: () => [{ name: 'A' }, { name: 'B' }],
  measure: ({ name }, options) =>
    playScenario(
      name,
      LINES[name]!.map(({ policy }) => policy),
      options,
    ),
  tables: (found) => found.worlds.map(({ name }) => baselineTable(found, name)),
  plots: (found) =>
    found.worlds.map((world) =>
      dotPlot(found, {
        title: `${world.name}: excess over the unavoidable regret by policy, best first`,
        words: ['', 'more regret than unavoidable'],
        rows: found
          .places(undefined, [world])
          .toSorted((a, b) => a.mean('excess').mean - b.mean('excess').mean)
          .map((place) => ({
            name: place.arm,
            seeds: place.values('excess'),
            color: place.arm.startsWith('primo-cal') ? 'navy' : place.arm.startsWith('primo') ? 'red' : 'grey',
          })),
      }),
    ),
  verdicts: (found) =>
    found.worlds.flatMap(({ name }) =>
      found.full ? [ranking(found, name), reproducedIn(found, name)] : [ranking(found, name)],
    ),
})

export function baselineTable(found: Found<World, Size>, name: string): StudyTable {
  return table(`Environment ${name}, ${sizeText(found.size)}`, found.places(undefined, [{ name }]), [
    arm,
    ...mean('regret'),
    ...mean('excess'),
    column('quoted (2^17)', (place) => quotedText(quotedOf(name, place.arm))),
    column('combined se off', (place) => {
      const quoted = quotedOf(name, place.arm)
      return quoted === null || !found.full ? '' : distanceFrom(quoted, place, 'regret').toFixed(1)
    }),
  ])
}

export function reproducedIn(found: Found<World, Size>, name: string): Verdict {
  const quotes = found.places(undefined, [{ name }]).flatMap((place) => {
    const quoted = quotedOf(name, place.arm)
    return quoted === null ? [] : [{ place, quoted }]
  })
  return reproduced(name, quotes, 'regret')
}

/**
 * At full scale each pair must hold by three standard errors; a few seeds can contradict one, by one standard error,
 * not settle it.
 */
export function ranking(found: Found<World, Size>, name: string): Verdict {
  const pairs = ORDERS[name]!.map(([better, worse]) => {
    const lists = [found.values(name, worse, 'regret'), found.values(name, better, 'regret')]
    const { mean: gain, standardError } = summarise(paired(lists, (a, b) => a - b))
    return { text: `${better} < ${worse}`, settled: gain >= 3 * standardError, wrong: gain < -standardError }
  })
  const open = pairs.filter(({ settled }) => !settled)
  const wrong = pairs.filter((pair) => pair.wrong)
  const text = (list: typeof pairs) => list.map((pair) => pair.text).join('; ') || 'none'
  const settled = `In ${name} ${pairs.length - open.length} of ${pairs.length} pairs of the ranking hold by three standard errors of the paired difference, not: ${text(open)}`
  return found.full
    ? { held: open.length === 0, sentence: `${settled}.` }
    : {
        held: wrong.length === 0,
        sentence: `${settled}; wrong by one standard error: ${text(wrong)} (the full study decides).`,
      }
}
