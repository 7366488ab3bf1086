// primo study ensemble: two pre-trained models of the covariate, one good and one bad, behind one ensemble. Its regret next to that
// of the good one alone, whichever of the two is the good one; the good one is never named to the ensemble. Badness comes in two
// sorts: a systematic error, which calibration can mend, and noise, which it cannot.

import type { Problem } from '@primo/core'
import type { Environment, ImputerSpec, ScenarioSpec, WorldBlock } from '@primo/lab'
import { createEnvironment, runPolicy, scenarioFromName, studyDotPlot, summarise, worldOf } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'

const ENVIRONMENTS = ['A', 'B'] as const
const GOOD: ImputerSpec = { bias: 0.25, noise: 0 }
const BAD: readonly { readonly name: string; readonly imputer: ImputerSpec }[] = [
  { name: 'noise', imputer: { bias: 1, noise: 0.8 } },
  { name: 'bias and noise', imputer: { bias: 3, noise: 0.4 } },
]
/** The most regret that the ensemble may cost beyond the good model alone. */
const ALLOWED = 0.05

export interface EnsembleSize {
  readonly rounds: number
  readonly seeds: number
}

export interface Effect {
  readonly environment: string
  readonly bad: string
  /** Place of the good model among the members. */
  readonly place: 'first' | 'second'
  readonly effect: PairedEffect
}

export async function runEnsemble(options: StudyOptions, { rounds, seeds }: EnsembleSize): Promise<StudyResult> {
  const effects: Effect[] = []
  const table: string[][] = []
  const dots: { name: string; seeds: readonly number[] }[] = []
  const total = ENVIRONMENTS.length * BAD.length * seeds
  let done = 0
  for (const name of ENVIRONMENTS) {
    const good = environmentWith(name, GOOD)
    for (const { name: badness, imputer } of BAD) {
      const bad = environmentWith(name, imputer)
      const regrets = { good: [] as number[], bad: [] as number[], first: [] as number[], second: [] as number[] }
      for (let seed = options.seed; seed < options.seed + seeds; seed++) {
        const goodWorld = [...worldOf(good, seed, rounds)]
        const badWorld = [...worldOf(bad, seed, rounds)]
        const regretOf = (problem: Problem, world: readonly WorldBlock[]) => {
          const spec = {
            name: 'robust',
            kind: 'engine',
            sees: 'world',
            options: { profile: 'robust' },
          } as const
          return runPolicy({ spec, problem, world, seed }).regret!
        }
        regrets.good.push(regretOf(good.problem, goodWorld))
        regrets.bad.push(regretOf(bad.problem, badWorld))
        regrets.first.push(regretOf(together(good.problem), joined(goodWorld, badWorld)))
        regrets.second.push(regretOf(together(good.problem), joined(badWorld, goodWorld)))
        options.onProgress?.(++done / total)
        // Lets the progress be drawn.
        await new Promise((resolve) => setImmediate(resolve))
      }
      table.push([name, badness, 'good alone', ...levelText(regrets.good), '', ''])
      table.push([name, badness, 'bad alone', ...levelText(regrets.bad), ...against(regrets.bad, regrets.good)])
      for (const place of ['first', 'second'] as const) {
        const effect = pairedEffect(regrets[place], regrets.good)
        effects.push({ environment: name, bad: badness, place, effect })
        table.push([
          name,
          badness,
          `ensemble, good ${place}`,
          ...levelText(regrets[place]),
          ...against(regrets[place], regrets.good),
        ])
        dots.push({
          name: `${name}, ${badness}, good ${place}`,
          seeds: regrets[place].map((value, i) => regrets.good[i]! - value),
        })
      }
    }
  }
  return {
    settings: { rounds, seeds, 'first seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Regret, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds`,
        header: ['environment', 'bad model', 'models', 'regret', 'se', 'minus good alone [95%]', 'share'],
        rows: table,
      },
    ],
    plots: [
      studyDotPlot({
        title: 'Two models instead of the good one',
        subtitle: `Regret of the good model alone minus regret of the ensemble on the same rounds; ${rounds.toLocaleString('en')} rounds, ${seeds} seeds, mean and 95% interval`,
        xLabel: 'environment, what is bad about the other model, place of the good one',
        less: 'costs',
        more: 'saves',
        rows: dots.map((row) => ({ ...row, color: summarise(row.seeds).mean >= 0 ? 'navy' : 'red' })),
      }),
    ],
    verdicts: ensembleVerdicts(effects),
  }
}

function environmentWith(name: string, imputer: ImputerSpec): Environment {
  return createEnvironment({ ...scenarioFromName(name), imputer } as ScenarioSpec)
}

function together(problem: Problem): Problem {
  return {
    ...problem,
    covariates: Object.fromEntries(
      Object.entries(problem.covariates).map(([name, spec]) => [
        name,
        {
          ...spec,
          imputer: { kind: 'ensemble', members: { one: { kind: 'column' }, two: { kind: 'column' } } } as const,
        },
      ]),
    ),
  }
}

/** The same rounds with the predictions of both; the environments differ in their models only. */
function joined(one: readonly WorldBlock[], two: readonly WorldBlock[]): WorldBlock[] {
  return one.map((block, index) => {
    const other = two[index]!
    if (block.truth.some((value, i) => value !== other.truth[i]))
      throw new Error('the two models must predict the same rounds')
    const members = new Float64Array(2 * block.pretrained.length)
    block.pretrained.forEach((value, i) => {
      members[2 * i] = value
      members[2 * i + 1] = other.pretrained[i]!
    })
    return { ...block, pretrained: new Float64Array(block.pretrained.length).fill(Number.NaN), members }
  })
}

function levelText(values: readonly number[]): [string, string] {
  const { mean, standardError } = summarise(values)
  return [mean.toFixed(0), standardError.toFixed(1)]
}

function against(own: readonly number[], other: readonly number[]): [string, string] {
  const effect = pairedEffect(own, other)
  return [effectText(effect), shareText(effect)]
}

export function ensembleVerdicts(effects: readonly Effect[]): readonly Verdict[] {
  return effects.map(({ environment, bad, place, effect }) => ({
    held: effect.share <= ALLOWED,
    sentence: `${environment}, bad by ${bad}, good model ${place}: regret differs from the good model alone by ${effectText(effect)}, ${shareText(effect)} (target: at most +${100 * ALLOWED}%).`,
  }))
}

export const ensemble: Study = {
  name: 'ensemble',
  title: 'A good and a bad model together',
  claim:
    'An ensemble of a good and a bad model has at most 5% more regret than the good model alone, whichever of the two it is.',
  run: (options) =>
    runEnsemble(options, options.scale === 'full' ? { rounds: 2 ** 14, seeds: 20 } : { rounds: 2 ** 12, seeds: 4 }),
}
