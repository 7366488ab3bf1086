// primo study audit: the excess of the robust profile with and without an audit that asks for a share of the missing values, where
// values are not missing at random and where they are. What comes back calibrates on missing rows without assuming MAR
// (method#audits). An audit only teaches: the decision was made before the truth came.

import type { Problem } from '@primo/core'
import { createEnvironment, runPolicy, scenarioFromName, studyDotPlot, summarise, worldOf } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'

const ENVIRONMENTS = [
  { name: 'MNAR+4', atRandom: false },
  { name: 'MNAR-4', atRandom: false },
  { name: 'A', atRandom: true },
] as const

const SHARES = [0.02, 0.05] as const

const GUARDS = [{ label: 'robust' }] as const

export interface AuditSize {
  readonly rounds: number
  readonly seeds: number
}

/** Excess with the audit minus excess without. */
export interface AuditEffect {
  readonly environment: string
  readonly atRandom: boolean
  readonly guard: string
  readonly share: number
  readonly effect: PairedEffect
}

export async function runAudit(options: StudyOptions, { rounds, seeds }: AuditSize): Promise<StudyResult> {
  const effects: AuditEffect[] = []
  const table: string[][] = []
  const dots: { name: string; seeds: readonly number[] }[] = []
  const total = ENVIRONMENTS.length * seeds
  let done = 0
  for (const { name, atRandom } of ENVIRONMENTS) {
    const environment = createEnvironment(scenarioFromName(name))
    const excesses = new Map<string, number[]>()
    for (let seed = options.seed; seed < options.seed + seeds; seed++) {
      const world = [...worldOf(environment, seed, rounds)]
      for (const { label } of GUARDS) {
        for (const share of [0, ...SHARES]) {
          const row = runPolicy({
            spec: {
              name: label,
              kind: 'engine',
              sees: 'world',
              options: { profile: 'robust' },
            },
            problem: share === 0 ? environment.problem : audited(environment.problem, share),
            world,
            seed,
          })
          const key = `${label}/${share}`
          excesses.set(key, [...(excesses.get(key) ?? []), row.regret! - row.floor!])
        }
      }
      options.onProgress?.(++done / total)
      // Lets the progress be drawn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { label } of GUARDS) {
      const without = excesses.get(`${label}/0`)!
      table.push([name, label, 'none', ...levelText(without), '', ''])
      for (const share of SHARES) {
        const own = excesses.get(`${label}/${share}`)!
        const effect = pairedEffect(own, without)
        effects.push({ environment: name, atRandom, guard: label, share, effect })
        table.push([name, label, percent(share), ...levelText(own), effectText(effect), shareText(effect)])
        dots.push({
          name: `${name}, ${label}, ${percent(share)}`,
          seeds: own.map((value, i) => without[i]! - value),
        })
      }
    }
  }
  return {
    settings: { rounds, seeds, 'first seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Excess over the unavoidable regret, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds`,
        header: ['environment', 'guards', 'audit', 'excess', 'se', 'difference [95%]', 'share'],
        rows: table,
      },
    ],
    plots: [
      studyDotPlot({
        title: 'Regret that an audit saves',
        subtitle: `Excess without the audit minus excess with it on the same rounds; ${rounds.toLocaleString('en')} rounds, ${seeds} seeds, mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'environment, guards and share asked for',
        less: 'costs',
        more: 'saves',
        rows: dots.map((row) => ({ ...row, color: summarise(row.seeds).mean >= 0 ? 'navy' : 'red' })),
      }),
    ],
    verdicts: auditVerdicts(effects),
  }
}

/** The problem with an audit of a share of each covariate. */
export function audited(problem: Problem, share: number): Problem {
  return {
    ...problem,
    covariates: Object.fromEntries(
      Object.entries(problem.covariates).map(([name, spec]) => [name, { ...spec, audit: { share } }]),
    ),
  }
}

function levelText(values: readonly number[]): [string, string] {
  const { mean, standardError } = summarise(values)
  return [mean.toFixed(0), standardError.toFixed(1)]
}

function percent(share: number): string {
  return `${100 * share}%`
}

/** The audit must help under MNAR; nowhere may it do harm beyond chance. */
export function auditVerdicts(effects: readonly AuditEffect[]): readonly Verdict[] {
  return effects.map(({ environment, atRandom, guard, share, effect }) => {
    const must = !atRandom
    const target = must ? 'less excess, interval below zero' : 'not more than chance allows'
    return {
      held: must ? effect.high < 0 : effect.low <= 0,
      sentence: `${environment}, ${guard}, audit of ${percent(share)}: excess changes by ${effectText(effect)}, ${shareText(effect)} (target: ${target}).`,
    }
  })
}

export const audit: Study = {
  name: 'audit',
  title: 'What asking for a few of the missing values is worth',
  claim: 'Under MNAR an audit of 2% or 5% lowers the excess, and it does no harm under MAR.',
  run: (options) =>
    runAudit(options, options.scale === 'full' ? { rounds: 2 ** 16, seeds: 10 } : { rounds: 2 ** 13, seeds: 4 }),
}
