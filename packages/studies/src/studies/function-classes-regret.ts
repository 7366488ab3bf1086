// Regret of primo-cal and robust with each function class for rewards (F), corrections (G) and missingness (T) at once, in an
// environment where everything is bent. Classes differ in what a fit costs, so refits come at every 25% growth for all.

import type { ClassOptions } from '@primo/core'
import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec } from '@primo/lab'
import { bendsEnvironment, pairedRatio, scenarioFromName, summarise } from '@primo/lab'
import type { StudyOptions, StudyTable, Verdict } from '@primo/lab/node'
import { floorsOf, regretsOf, runRows } from './run-rows.js'

type OtherClass = Exclude<ClassOptions, { readonly kind: 'linear' }>

/** The classes that the claim is about. */
const RICH: readonly OtherClass[] = [
  { kind: 'trees', rounds: 60 },
  { kind: 'kernel', landmarks: 60, exact: 60, folds: 2 },
]

const OTHERS: readonly OtherClass[] = [
  { kind: 'spline', segments: 12 },
  { kind: 'network', steps: 400, hidden: 8 },
  { kind: 'lipschitz', bound: 4, centres: 150 },
  { kind: 'convex', bound: 6, bins: 30 },
  { kind: 'isotonic' },
  {
    kind: 'select',
    ladder: [{ kind: 'linear' }, { kind: 'spline', segments: 12 }, { kind: 'trees', rounds: 40 }],
    folds: 3,
  },
]

const PROFILES = ['primo-cal', 'robust'] as const

/** One class in all three roles. */
export function classPolicy(profile: (typeof PROFILES)[number], own: OtherClass | null): PolicySpec {
  const refits: EngineOptions =
    profile === 'robust' ? { schedule: { kind: 'growth', factor: 1.25, counted: 'closed' } } : {}
  const options: EngineOptions =
    own === null
      ? { oracle: { interactions: bendsEnvironment().interactions } }
      : { oracle: own, calibration: { class: own, observation: { model: own } } }
  return {
    name: `${profile}, ${own?.kind ?? 'linear'}`,
    kind: 'engine',
    sees: 'world',
    options: { profile, ...refits, ...options },
  }
}

export interface ClassRegret {
  readonly tables: readonly StudyTable[]
  readonly verdicts: readonly Verdict[]
}

export async function classRegret(
  options: StudyOptions,
  { rounds, repeats, otherRepeats }: { rounds: number; repeats: number; otherRepeats: number },
): Promise<ClassRegret> {
  const scenario = scenarioFromName('bends')
  const main = PROFILES.flatMap((profile) => [null, ...RICH].map((own) => classPolicy(profile, own)))
  const others = PROFILES.flatMap((profile) => OTHERS.map((own) => classPolicy(profile, own)))
  const run = (policies: readonly PolicySpec[], count: number, from: number, share: number) =>
    runRows(
      { scenarios: [scenario], policies, rounds, repeats: count, seed: options.seed },
      { ...options, onProgress: (done) => options.onProgress?.(from + share * done) },
    )
  const rows = [...(await run(main, repeats, 0, 0.6)), ...(await run(others, otherRepeats, 0.6, 0.4))]
  const name = scenario.name!
  const regret = (policy: string) => regretsOf(rows, name, policy)
  const verdicts = PROFILES.flatMap((profile) =>
    RICH.map(({ kind }) => {
      const { ratio, standardError } = pairedRatio(regret(`${profile}, ${kind}`), regret(`${profile}, linear`))
      return {
        held: ratio + 3 * standardError < 1,
        sentence: `${profile}: regret with ${kind} for rewards, corrections and missingness is ${ratio.toFixed(3)} ± ${standardError.toFixed(3)} of that with linear classes (claimed: below 1 by three standard errors).`,
      }
    }),
  )
  return {
    tables: [
      {
        title: `Environment bends, ${rounds.toLocaleString('en')} rounds, ${repeats} seeds (${otherRepeats} for classes beyond linear, trees and kernel)`,
        header: ['policy', 'regret', 'se', 'excess over the unavoidable regret', 'se'],
        rows: [...main, ...others].map((policy) => {
          const r = summarise(regret(policy.name))
          const e = summarise(regret(policy.name).map((value, i) => value - floorsOf(rows, name, policy.name)[i]!))
          return [policy.name, ...[r.mean, r.standardError, e.mean, e.standardError].map((value) => value.toFixed(0))]
        }),
      },
    ],
    verdicts,
  }
}
