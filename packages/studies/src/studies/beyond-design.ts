// primo study beyond-design: the robust profile outside the environments it was designed on. Each world of the parametric family
// breaks one assumption; several draws of the world's parameters, policies paired on the same rounds. Where robust loses to
// PRIMO-Cal with the practical gamma or to LinUCB with a missing indicator, the verdict says so with the figure.

import type { FamilyScenario, PolicySpec } from '@primo/lab'
import { familyStructure, type StudyDotPlot, scenarioFromName, studyDotPlot, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { linUcbWithIndicator } from './linucb-with-indicator.js'
import { effectText, pairedEffect, shareText } from './paired-effect.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

export interface Setting {
  readonly label: string
  /** Dials of the family. */
  readonly dials: (rounds: number) => string
}

export const SETTINGS: readonly Setting[] = [
  { label: 'as designed', dials: () => '' },
  { label: 'F misspecified: waves in x', dials: () => 'misspecifiedReward=1' },
  { label: 'F misspecified: sine of z', dials: () => 'reward=nonlinear' },
  { label: 'G misspecified', dials: () => 'covariateMean=rough&misspecifiedImputer=0.3' },
  { label: 'rewards late by 500 rounds', dials: () => 'delayMean=500' },
  { label: 'rewards drift', dials: (rounds) => `driftPeriod=${rounds}` },
  { label: 'covariate drifts', dials: (rounds) => `staleAt=${rounds / 4}&staleOver=${rounds / 2}` },
  { label: 'rare action', dials: () => 'rareShare=0.02' },
  { label: 'correlated contexts', dials: () => 'correlation=0.8' },
]

const RIVALS = ['primo-cal', 'LinUCB with indicator'] as const

export interface BeyondDesignSize {
  readonly rounds: number
  readonly draws: number
  /** Default: all. */
  readonly worlds?: readonly Setting[]
}

/** Regrets of one setting by policy, one per draw. */
export interface SettingRegrets {
  readonly label: string
  readonly floor: number
  readonly robust: readonly number[]
  readonly rivals: Readonly<Record<(typeof RIVALS)[number], readonly number[]>>
}

export async function runBeyondDesign(
  options: StudyOptions,
  { rounds, draws, worlds = SETTINGS }: BeyondDesignSize,
): Promise<StudyResult> {
  const settings: SettingRegrets[] = []
  for (const [index, { label, dials }] of worlds.entries()) {
    const scenarios = Array.from({ length: draws }, (_, k): FamilyScenario => {
      const draw = options.seed + k
      const spec = scenarioFromName(`family?${dials(rounds)}&draw=${draw}`) as FamilyScenario
      return { ...spec, name: `draw ${draw}` }
    })
    const { interactions } = familyStructure(scenarios[0])
    const robust: PolicySpec = {
      name: 'robust',
      kind: 'engine',
      sees: 'world',
      options: { profile: 'robust' },
    }
    const policies = [robust, 'primo-cal', linUcbWithIndicator(interactions)]
    const rows = await runRows(
      { scenarios, policies, rounds, repeats: 1, seed: options.seed },
      { ...options, onProgress: (share) => options.onProgress?.((index + share) / worlds.length) },
    )
    const regrets = (policy: string) => scenarios.flatMap(({ name }) => regretsOf(rows, name!, policy))
    settings.push({
      label,
      floor: summarise(scenarios.flatMap(({ name }) => floorsOf(rows, name!, 'robust'))).mean,
      robust: regrets('robust'),
      rivals: { 'primo-cal': regrets('primo-cal'), 'LinUCB with indicator': regrets('LinUCB with indicator') },
    })
  }
  return {
    settings: { rounds, draws, 'first draw and seed': options.seed, scale: options.scale },
    tables: RIVALS.map((rival) => ({
      title: `robust against ${rival}: mean regret over ${draws} draws, ${rounds.toLocaleString('en')} rounds`,
      header: ['world', 'unavoidable', 'robust', rival, 'difference [95%]', 'share', 'draws won'],
      rows: settings.map(({ label, floor, robust, rivals }) => {
        const effect = pairedEffect(robust, rivals[rival])
        return [
          label,
          floor.toFixed(0),
          summarise(robust).mean.toFixed(0),
          summarise(rivals[rival]).mean.toFixed(0),
          effectText(effect),
          shareText(effect),
          `${effect.smaller} of ${effect.worlds}`,
        ]
      }),
    })),
    plots: RIVALS.map((rival) => plotAgainst(rival, settings, rounds)),
    verdicts: beyondDesignVerdicts(settings),
  }
}

/** One verdict per world and rival; it fails where robust has more regret and the interval excludes zero. */
export function beyondDesignVerdicts(settings: readonly SettingRegrets[]): readonly Verdict[] {
  return settings.flatMap(({ label, robust, rivals }) =>
    RIVALS.map((rival) => {
      const effect = pairedEffect(robust, rivals[rival])
      const figures = `${effectText(effect)}, ${shareText(effect)}; it wins ${effect.smaller} of ${effect.worlds} draws`
      if (effect.low > 0) return { held: false, sentence: `${label}: robust LOSES to ${rival} (${figures}).` }
      return {
        held: true,
        sentence:
          effect.high < 0
            ? `${label}: robust has less regret than ${rival} (${figures}).`
            : `${label}: robust and ${rival} cannot be told apart (${figures}).`,
      }
    }),
  )
}

function plotAgainst(
  rival: (typeof RIVALS)[number],
  settings: readonly SettingRegrets[],
  rounds: number,
): StudyDotPlot {
  return studyDotPlot({
    title: `Regret that robust saves against ${rival}, in per cent`,
    subtitle: `A dot is a draw of the world's parameters; ${rounds.toLocaleString('en')} rounds, mean and 95% interval; in numbers ± one standard error`,
    xLabel: 'world',
    less: 'robust loses',
    more: 'robust wins',
    rows: settings.map(({ label, robust, rivals }) => {
      const seeds = robust.map((value, i) => 100 * (1 - value / rivals[rival][i]!))
      return { name: label, color: summarise(seeds).mean >= 0 ? 'navy' : 'red', seeds }
    }),
  })
}

export const beyondDesign: Study = {
  name: 'beyond-design',
  title: 'The robust profile outside the worlds it was designed on',
  claim:
    'With a misspecified F or G, late rewards, drift, a rare action or correlated contexts, robust loses neither to primo-cal nor to LinUCB with a missing indicator.',
  run: (options) =>
    runBeyondDesign(options, options.scale === 'full' ? { rounds: 2 ** 16, draws: 12 } : { rounds: 2 ** 12, draws: 6 }),
}
