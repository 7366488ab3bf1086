// primo study ablation: the robust profile with each of its parts switched off alone, in environments A, B and MNAR, paired by
// seed. The effect of a part is the regret without it minus the regret with it.

import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec } from '@primo/lab'
import { scenarioFromName, studyDotPlot, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

const ENVIRONMENTS = ['A', 'B', 'MNAR+4'] as const

interface Part {
  readonly part: string
  /** What stands in its place. */
  readonly instead: string
  readonly options: EngineOptions
}

export const PARTS: readonly Part[] = [
  {
    part: 'refits at 5% growth',
    instead: 'refits at doublings',
    options: { schedule: { kind: 'growth', factor: 2, counted: 'closed' } },
  },
  {
    part: 'all data',
    instead: 'the last epoch of doubling ones',
    options: { schedule: { kind: 'doubling', counted: 'closed' }, window: 'last' },
  },
  { part: 'refreshed imputations', instead: 'values as the decisions used them', options: { refresh: false } },
  { part: 'calibration', instead: 'g~ as it is', options: { calibration: false } },
  {
    part: 'hierarchical imputer',
    instead: 'the linear class, half split, weighted (Alg.2)',
    options: { calibration: { class: 'linear', split: 'half', weights: 'ipw' } },
  },
  { part: 'distributional imputation', instead: 'plug-in', options: { missing: 'plugin' } },
]

export interface AblationSize {
  readonly rounds: number
  readonly seeds: number
}

/** Effects of one part: regret without it minus regret with it, by environment. */
export interface PartEffects {
  readonly part: string
  readonly effects: readonly { readonly environment: string; readonly effect: PairedEffect }[]
}

export async function runAblation(options: StudyOptions, { rounds, seeds }: AblationSize): Promise<StudyResult> {
  const byPart = PARTS.map(({ part }) => ({ part, effects: [] as { environment: string; effect: PairedEffect }[] }))
  const differences = new Map<string, readonly number[]>()
  const levels: string[] = []
  for (const [index, environment] of ENVIRONMENTS.entries()) {
    const policy = (name: string, changes: EngineOptions): PolicySpec => ({
      name,
      kind: 'engine',
      sees: 'world',
      options: { profile: 'robust', ...changes },
    })
    const policies = [policy('robust', {}), ...PARTS.map(({ part, options: changes }) => policy(part, changes))]
    const rows = await runRows(
      { scenarios: [scenarioFromName(environment)], policies, rounds, repeats: seeds, seed: options.seed },
      { ...options, onProgress: (share) => options.onProgress?.((index + share) / ENVIRONMENTS.length) },
    )
    const whole = regretsOf(rows, environment, 'robust')
    const floor = summarise(floorsOf(rows, environment, 'robust')).mean
    levels.push(`${environment} ${summarise(whole).mean.toFixed(0)} (unavoidable ${floor.toFixed(0)})`)
    for (const one of byPart) {
      const without = regretsOf(rows, environment, one.part)
      one.effects.push({ environment, effect: pairedEffect(without, whole) })
      differences.set(
        `${environment}/${one.part}`,
        without.map((value, i) => value - whole[i]!),
      )
    }
  }
  return {
    settings: {
      rounds,
      seeds,
      'first seed': options.seed,
      scale: options.scale,
      'regret of robust': levels.join(', '),
    },
    tables: [
      {
        title: `Regret without a part minus regret with it, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds, 95% intervals`,
        header: ['part switched off', 'in its place', ...ENVIRONMENTS.flatMap((name) => [name, 'share'])],
        rows: byPart.map(({ part, effects }, k) => [
          part,
          PARTS[k]!.instead,
          ...effects.flatMap(({ effect }) => [effectText(effect), shareText(effect)]),
        ]),
      },
    ],
    plots: ENVIRONMENTS.map((environment) =>
      studyDotPlot({
        title: `Environment ${environment}: regret added when a part is switched off`,
        subtitle: `A dot is a seed; ${rounds.toLocaleString('en')} rounds, mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'part',
        less: 'better without',
        more: 'worse without',
        rows: PARTS.map(({ part }) => {
          const values = differences.get(`${environment}/${part}`)!
          return { name: part, color: summarise(values).mean >= 0 ? 'navy' : 'red', seeds: values }
        }),
      }),
    ),
    verdicts: ablationVerdicts(byPart),
  }
}

/** A part that costs more than this share of regret somewhere does not earn its place without a word. */
const TOLERATED = 0.02

export function ablationVerdicts(parts: readonly PartEffects[]): readonly Verdict[] {
  return parts.map(({ part, effects }) => {
    const where = (list: PartEffects['effects']) =>
      list.map(({ environment, effect }) => `${environment} ${effectText(effect)}, ${shareText(effect)}`).join('; ')
    const earns = effects.filter(({ effect }) => effect.low > 0)
    const costs = effects.filter(({ effect }) => effect.high < 0 && effect.share < -TOLERATED)
    if (costs.length > 0) {
      const also = earns.length > 0 ? ` It earns in ${where(earns)}.` : ''
      return { held: false, sentence: `Without ${part} regret is LOWER in ${where(costs)}.${also}` }
    }
    return {
      held: true,
      sentence:
        earns.length > 0
          ? `Without ${part} regret is higher in ${where(earns)}.`
          : `Without ${part} regret is nowhere measurably higher, nor lower by more than 2%: ${where(effects)}.`,
    }
  })
}

export const ablation: Study = {
  name: 'ablation',
  title: 'What each part of the robust profile is worth',
  claim:
    'No part of the robust profile costs more than 2% of regret in A, B or MNAR; most earn their place in one of them.',
  run: (options) =>
    runAblation(options, options.scale === 'full' ? { rounds: 2 ** 16, seeds: 10 } : { rounds: 2 ** 12, seeds: 4 }),
}
