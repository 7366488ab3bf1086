// primo study drift: forgetting in worlds that move, and its cost where nothing does. Draws of the parametric family; the robust
// profile with all rounds, with the memory that it chooses, and with a sliding window, paired on the same rounds.

import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec } from '@primo/lab'
import { scenarioFromName, studyDotPlot, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

const WORLDS = [
  { label: 'nothing drifts', moves: false, dials: () => '' },
  { label: 'rewards drift', moves: true, dials: (rounds: number) => `&driftPeriod=${rounds}` },
  { label: 'covariate jumps', moves: true, dials: (rounds: number) => `&staleAt=${rounds / 2}` },
] as const

/** The default's memory, against all rounds. */
const TESTED = 'chosen memory'

function forgetting(rounds: number): readonly { readonly name: string; readonly options: EngineOptions }[] {
  return [
    { name: TESTED, options: { memory: 'chosen' } },
    { name: 'window T/4', options: { window: { rounds: rounds / 4 } } },
  ]
}

export interface DriftSize {
  readonly rounds: number
  readonly draws: number
}

/** Regret with forgetting minus regret without. */
export interface DriftEffect {
  readonly label: string
  readonly moves: boolean
  readonly effect: PairedEffect
}

export async function runDrift(options: StudyOptions, { rounds, draws }: DriftSize): Promise<StudyResult> {
  const policy = (name: string, changes: EngineOptions): PolicySpec => ({
    name,
    kind: 'engine',
    sees: 'world',
    options: { profile: 'robust', ...changes },
  })
  const ways = forgetting(rounds)
  const policies = [
    policy('robust', { memory: 'all' }),
    ...ways.map(({ name, options: changes }) => policy(name, changes)),
  ]
  const table: string[][] = []
  const tested: DriftEffect[] = []
  const dots: { name: string; seeds: readonly number[] }[] = []
  for (const [index, { label, moves, dials }] of WORLDS.entries()) {
    const scenarios = Array.from({ length: draws }, (_, k) => {
      const draw = options.seed + k
      return { ...scenarioFromName(`family?draw=${draw}${dials(rounds)}`), name: `draw ${draw}` }
    })
    const rows = await runRows(
      { scenarios, policies, rounds, repeats: 1, seed: options.seed },
      { ...options, onProgress: (share) => options.onProgress?.((index + share) / WORLDS.length) },
    )
    const regrets = (name: string) => scenarios.flatMap((scenario) => regretsOf(rows, scenario.name, name))
    const plain = regrets('robust')
    const floor = summarise(scenarios.flatMap((scenario) => floorsOf(rows, scenario.name, 'robust'))).mean
    table.push([label, 'nothing forgotten', floor.toFixed(0), summarise(plain).mean.toFixed(0), '', '', ''])
    for (const { name } of ways) {
      const own = regrets(name)
      const effect = pairedEffect(own, plain)
      table.push([
        label,
        name,
        floor.toFixed(0),
        summarise(own).mean.toFixed(0),
        effectText(effect),
        shareText(effect),
        `${effect.smaller} of ${effect.worlds}`,
      ])
      dots.push({ name: `${label}: ${name}`, seeds: own.map((value, i) => 100 * (1 - value / plain[i]!)) })
      if (name === TESTED) tested.push({ label, moves, effect })
    }
  }
  return {
    settings: { rounds, draws, 'first draw and seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Mean regret over ${draws} draws, ${rounds.toLocaleString('en')} rounds (T)`,
        header: ['world', 'forgetting', 'unavoidable', 'regret', 'difference [95%]', 'share', 'draws won'],
        rows: table,
      },
    ],
    plots: [
      studyDotPlot({
        title: 'Regret that forgetting saves, in per cent of the regret without',
        subtitle: `A dot is a draw of the world's parameters; ${rounds.toLocaleString('en')} rounds, mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'world and way of forgetting',
        less: 'forgetting costs',
        more: 'forgetting saves',
        rows: dots.map((row) => ({ ...row, color: summarise(row.seeds).mean >= 0 ? 'navy' : 'red' })),
      }),
    ],
    verdicts: driftVerdicts(tested),
  }
}

const TOLERATED = 0.1

export function driftVerdicts(effects: readonly DriftEffect[]): readonly Verdict[] {
  return effects.map(({ label, moves, effect }) => {
    const figures = `${effectText(effect)}, ${shareText(effect)}`
    return moves
      ? {
          held: effect.high < 0,
          sentence: `${label}: a ${TESTED} changes regret by ${figures} (target: less regret, interval below zero).`,
        }
      : {
          held: effect.share < TOLERATED,
          sentence: `${label}: a ${TESTED} changes regret by ${figures} (target: under +10%).`,
        }
  })
}

export const drift: Study = {
  name: 'drift',
  title: 'Forgetting in worlds that move',
  claim: 'Where the world drifts a half-life lowers regret; where nothing drifts it costs less than 10%.',
  run: (options) =>
    runDrift(options, options.scale === 'full' ? { rounds: 2 ** 16, draws: 12 } : { rounds: 2 ** 14, draws: 8 }),
}
