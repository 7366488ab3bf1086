// primo study mechanisms: how the value goes missing decides whether calibration helps. Environment A under MCAR, MAR, in
// blocks, with drift, and MNAR of either sign; PRIMO and PRIMO-Cal with all data, paired by seed.

import { referenceData, scenarioFromName, studyDotPlot, summarise } from '@primo/lab'
import type { Study } from '@primo/lab/node'
import { referencePolicies } from './reference-policies.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

/** Name of the scenario, whether missingness depends on the context (or nothing) only. */
const MECHANISMS: readonly {
  readonly scenario: (rounds: number) => string
  readonly label: string
  readonly ignorable: boolean
}[] = [
  { scenario: () => 'A?mechanism=mcar&share=0.5', label: 'MCAR, half missing', ignorable: true },
  { scenario: () => 'A', label: 'MAR (environment A)', ignorable: true },
  { scenario: () => 'A?mechanism=blocks&share=0.5&length=50', label: 'missing in blocks of 50', ignorable: true },
  {
    scenario: (rounds) => `A?mechanism=drift&from=0.2&to=0.8&over=${rounds}`,
    label: 'missing share drifts from .2 to .8',
    ignorable: true,
  },
  { scenario: () => 'MNAR+4', label: 'MNAR, strength +4', ignorable: false },
  { scenario: () => 'MNAR+4 mild bias', label: 'MNAR +4, better model', ignorable: false },
  { scenario: () => 'MNAR-4', label: 'MNAR, strength -4', ignorable: false },
  { scenario: () => 'MNAR-4 mild bias', label: 'MNAR -4, better model', ignorable: false },
]

export const mechanisms: Study = {
  name: 'mechanisms',
  title: 'How the value goes missing',
  claim:
    'Calibration lowers regret when missingness depends on the context only; when it depends on the hidden value it can raise it.',
  run: async (options) => {
    const full = options.scale === 'full'
    const rounds = full ? 2 ** 17 : 2 ** 14
    const repeats = full ? 10 : 4
    const rows: string[][] = []
    const effects: { label: string; ignorable: boolean; mean: number; error: number; seeds: readonly number[] }[] = []
    for (const [index, { scenario: make, label, ignorable }] of MECHANISMS.entries()) {
      const scenario = { ...scenarioFromName(make(rounds)), name: label }
      const { policy, calibration } = referencePolicies(referenceData(ignorable ? 'A' : make(rounds)))
      const policies = [
        policy('primo', { profile: 'primo', window: 'all' }),
        policy('primo-cal', {
          profile: 'primo-cal',
          window: 'all',
          refresh: true,
          calibration: calibration({ split: 'swap' }),
        }),
        policy('sees all values', { profile: 'primo', window: 'all' }, 'truth'),
      ]
      const result = await runRows(
        { scenarios: [scenario], policies, rounds, repeats, seed: options.seed },
        { ...options, onProgress: (share) => options.onProgress?.((index + share) / MECHANISMS.length) },
      )
      const regrets = policies.map(({ name }) => regretsOf(result, label, name))
      const seeds = regrets[0]!.map((value, i) => value - regrets[1]![i]!)
      const gain = summarise(seeds)
      effects.push({ label, ignorable, mean: gain.mean, error: gain.standardError, seeds })
      const floor = summarise(floorsOf(result, label, 'primo')).mean
      rows.push([
        label,
        floor.toFixed(0),
        ...regrets.map((values) => summarise(values).mean.toFixed(0)),
        `${gain.mean >= 0 ? '+' : ''}${gain.mean.toFixed(0)} ± ${gain.standardError.toFixed(0)}`,
      ])
    }
    const helped = effects.filter(({ ignorable }) => ignorable)
    const failed = helped.filter(({ mean, error }) => mean < 3 * error)
    const hidden = effects.length - helped.length
    const hurt = effects.filter(({ ignorable, mean, error }) => !ignorable && mean < -3 * error)
    return {
      settings: { rounds, seeds: repeats, 'first seed': options.seed, c: 10, window: 'all', scale: options.scale },
      tables: [
        {
          title: `Regret by mechanism, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds`,
          header: ['mechanism', 'unavoidable', 'primo', 'primo-cal', 'sees all values', 'earned by calibration'],
          rows,
        },
      ],
      plots: [
        studyDotPlot({
          title: `Calibration lowers regret under ${helped.length - failed.length} of ${helped.length} mechanisms that depend on the context only, and raises it under ${hurt.length} of ${hidden} that depend on the hidden value`,
          subtitle: `Regret of primo minus that of primo-cal on the same rounds; blue: context only, red: hidden value (MNAR); ${rounds.toLocaleString('en')} rounds, ${repeats} seeds, mean and 95% interval; in numbers ± one standard error`,
          xLabel: 'mechanism',
          less: 'costs',
          more: 'earns',
          rows: [...effects]
            .sort((a, b) => b.mean - a.mean)
            .map(({ label, ignorable, seeds }) => ({ name: label, color: ignorable ? 'navy' : 'red', seeds })),
        }),
      ],
      verdicts: [
        {
          held: failed.length === 0,
          sentence:
            failed.length === 0
              ? `Calibration lowers regret by more than three standard errors under all ${helped.length} mechanisms that depend on the context only.`
              : `Calibration does NOT lower regret by three standard errors under ${failed.map(({ label }) => label).join(', ')}.`,
        },
        {
          held: hurt.length > 0,
          sentence:
            hurt.length > 0
              ? `It raises regret under ${hurt.map(({ label, mean }) => `${label} (by ${(-mean).toFixed(0)})`).join(', ')}: there it learns the observed values, not the missing ones.`
              : 'It raised regret by three standard errors under none of the MNAR mechanisms; the warning was NOT confirmed at this size.',
        },
      ],
    }
  },
}
