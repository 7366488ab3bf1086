// primo study reference: environment A with the exact settings of the reference runs, the four main policies and the
// printed theory gammas, against the figures of method#main-table.

import type { PolicySpec } from '@primo/lab'
import { referenceData, scenarioFromName, summarise } from '@primo/lab'
import type { Study } from '@primo/lab/node'
import { referencePolicies } from './reference-policies.js'
import { regretsOf, runRows } from './run-rows.js'

/** Mean and standard error over 20 seeds at T = 2^17. */
const QUOTED: Readonly<Record<string, readonly [number, number]>> = {
  uniform: [14383, 5],
  'sees all values': [1284, 5],
  primo: [2588, 6],
  'primo-cal': [2272, 6],
  'primo, theory gamma': [14280, 5],
  'primo-cal, theory gamma': [14325, 5],
}

export function referenceLineup(): readonly PolicySpec[] {
  const { policy, calibration, theoryGamma } = referencePolicies(referenceData('A'))
  const cal = { profile: 'primo-cal', calibration: calibration() } as const
  return [
    { name: 'uniform', kind: 'uniform' },
    policy('sees all values', { profile: 'primo' }, 'truth'),
    policy('primo', { profile: 'primo' }),
    policy('primo-cal', cal),
    policy('primo, theory gamma', { profile: 'primo', gamma: theoryGamma }),
    policy('primo-cal, theory gamma', { ...cal, gamma: theoryGamma }),
  ]
}

export const reference: Study = {
  name: 'reference',
  title: 'The paper’s algorithms against an independent implementation',
  claim:
    'Regret in environment A agrees with the reference figures within three combined standard errors; printed theory gammas play within 1% of uniform.',
  run: async (options) => {
    const full = options.scale === 'full'
    const rounds = full ? 2 ** 17 : 2 ** 14
    const repeats = full ? 20 : 5
    const policies = referenceLineup()
    const rows = await runRows(
      { scenarios: [scenarioFromName('A')], policies, rounds, repeats, seed: options.seed },
      options,
    )
    const uniform = summarise(regretsOf(rows, 'A', 'uniform')).mean
    const measured = policies.map(({ name }) => {
      const { mean, standardError } = summarise(regretsOf(rows, 'A', name))
      const [quoted, quotedError] = QUOTED[name]!
      return {
        name,
        mean,
        standardError,
        quoted,
        quotedError,
        off: (mean - quoted) / Math.hypot(standardError, quotedError),
      }
    })
    const theory = measured.filter(({ name }) => name.endsWith('theory gamma'))
    const far = measured.filter(({ off }) => Math.abs(off) > 3)
    const close = theory.every(({ mean }) => Math.abs(mean / uniform - 1) <= 0.01)
    return {
      settings: {
        environment: 'A',
        rounds,
        seeds: repeats,
        'first seed': options.seed,
        c: 10,
        window: 'last epoch',
        scale: options.scale,
      },
      tables: [
        {
          title: `Regret in environment A, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds`,
          header: ['policy', 'regret', 'se', 'of uniform', ...(full ? ['quoted', 'combined se off'] : [])],
          rows: measured.map((m) => [
            m.name,
            m.mean.toFixed(1),
            m.standardError.toFixed(1),
            `${((100 * m.mean) / uniform).toFixed(1)}%`,
            ...(full ? [`${m.quoted} ± ${m.quotedError}`, m.off.toFixed(1)] : []),
          ]),
        },
      ],
      plots: [],
      verdicts: [
        ...(full
          ? [
              {
                held: far.length === 0,
                sentence:
                  far.length === 0
                    ? 'All six figures are reproduced within three combined standard errors.'
                    : `NOT reproduced within three combined standard errors: ${far.map(({ name, off }) => `${name} (${off.toFixed(1)})`).join(', ')}.`,
              },
            ]
          : []),
        {
          held: close,
          sentence: `With the printed theory gamma, regret is ${theory.map(({ mean }) => `${((100 * mean) / uniform).toFixed(1)}%`).join(' and ')} of uniform play: ${close ? 'within' : 'NOT within'} 1%.`,
        },
      ],
    }
  },
}
