// primo study asking: truths of 2% of the missing values, asked for at random or where knowing is worth most (method#asking), where values
// are not missing at random. Excess: regret more than that of the same profile when it is told the truth of every missing value after the
// decision, which so knows the right correction. And whether the limits of the mean error, looked at after every end of an epoch, ever miss.

import type { AuditSpec, Problem } from '@primo/core'
import { auditReport, createEngine, type Engine, type EpochState, Observed, type RoundTable } from '@primo/core/engine'
import {
  createEnvironment,
  type Environment,
  scenarioFromName,
  simulate,
  studyDotPlot,
  summarise,
  type WorldBlock,
  worldOf,
} from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { BLOCK_ROUNDS } from '@primo/numeric'

const WORLDS = ['MNAR+4', 'B?mnarStrength=-4', 'dosing?mnarStrength=4', 'pricing?mnarStrength=-4'] as const
const SHARE = 0.02
/** What the value-driven audit may have of the excess of the random one, and in how many worlds. */
const TARGET = 0.8
const TARGET_WORLDS = 2
/** The limits are at 95%. */
const LEVEL = 0.05

const AUDITS: Readonly<Record<'none' | 'random' | 'by value' | 'all', AuditSpec | null>> = {
  none: null,
  random: { share: SHARE },
  'by value': { budget: SHARE },
  all: { share: 1 },
}
type AuditName = keyof typeof AUDITS

export interface AskingSize {
  readonly rounds: number
  readonly seeds: number
}

export interface AskingWorld {
  readonly world: string
  /** By seed, over the profile that is told everything. */
  readonly excess: Readonly<Record<'none' | 'random' | 'by value', readonly number[]>>
  /** Of the missing values, those that the value-driven audit asked for, by seed. */
  readonly asked: readonly number[]
  /** Runs of both audits, and those in which the limits ever missed the mean error. */
  readonly runs: number
  readonly missed: number
}

export async function runAsking(options: StudyOptions, { rounds, seeds }: AskingSize): Promise<StudyResult> {
  const found: AskingWorld[] = []
  let done = 0
  for (const name of WORLDS) {
    const environment = createEnvironment(scenarioFromName(name))
    const unit = unitOf(environment.problem)
    const excess = { none: [] as number[], random: [] as number[], 'by value': [] as number[] }
    const asked: number[] = []
    let missed = 0
    for (let seed = options.seed; seed < options.seed + seeds; seed++) {
      const world = [...worldOf(environment, seed, rounds)]
      const told = play(environment, 'all', world, seed).regret
      for (const audit of ['none', 'random', 'by value'] as const) {
        const run = play(environment, audit, world, seed)
        excess[audit].push(run.regret - told)
        if (audit !== 'none' && everMissed(run.engine, run.state, run.rounds, world, unit)) missed++
        if (audit === 'by value') asked.push(askedShare(run.rounds))
      }
      options.onProgress?.(++done / (WORLDS.length * seeds))
      // Lets the progress be drawn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    found.push({ world: name, excess, asked, runs: 2 * seeds, missed })
  }
  return {
    settings: { rounds, seeds, 'first seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Excess over being told every truth, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds (standard errors)`,
        header: [
          'world',
          'no audit',
          'random 2%',
          'by value 2%',
          'by value - random',
          'ratio',
          'asked',
          'limits ever missed',
        ],
        rows: found.map(({ world, excess, asked, runs, missed }) => [
          world,
          level(excess.none),
          level(excess.random),
          level(excess['by value']),
          level(differences(excess)),
          ratioOf(excess).toFixed(2),
          `${(100 * summarise(asked).mean).toFixed(2)}%`,
          `${missed} of ${runs}`,
        ]),
      },
    ],
    plots: [
      studyDotPlot({
        title: 'Regret that asking by value saves over asking at random',
        subtitle: `Same rounds, 2% of the missing values each; ${rounds.toLocaleString('en')} rounds, ${seeds} seeds, mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'world',
        less: 'costs',
        more: 'saves',
        rows: found.map(({ world, excess }) => {
          const saved = differences(excess).map((value) => -value)
          return { name: world, seeds: saved, color: summarise(saved).mean >= 0 ? 'navy' : 'red' }
        }),
      }),
    ],
    verdicts: askingVerdicts(found),
  }
}

function play(environment: Environment, audit: AuditName, world: readonly WorldBlock[], seed: number) {
  const { problem } = environment
  const engine = createEngine(audited(problem, AUDITS[audit]), { profile: 'robust' })
  const { tally, state, rounds } = simulate({ engine, world, seed })
  const { min, max } = problem.reward.mean ?? problem.reward
  return { regret: tally.knownRegret! * (max - min), engine, state, rounds }
}

function audited(problem: Problem, audit: AuditSpec | null): Problem {
  if (audit === null) return problem
  const covariates = Object.entries(problem.covariates).map(([name, spec]) => [name, { ...spec, audit }])
  return { ...problem, covariates: Object.fromEntries(covariates) }
}

/** Whether the limits of some report left out the mean of truth minus value used over the missing rows until then; one covariate. */
function everMissed(
  engine: Engine,
  { reports }: EpochState,
  rounds: RoundTable,
  world: readonly WorldBlock[],
  unit: number,
): boolean {
  let row = 0
  let sum = 0
  let missing = 0
  for (const { window } of reports) {
    for (; row < window.to; row++) {
      const block = rounds.block(row)
      const at = row % BLOCK_ROUNDS
      if (block.observed[at] === Observed.atDecision) continue
      missing++
      sum += world[Math.floor(row / BLOCK_ROUNDS)]!.truth[at]! - block.covariates[at]!
    }
    const limits = auditReport(rounds, window, engine, 0)?.limits
    if (limits == null) continue
    const mean = (unit * sum) / missing
    if (mean < limits.used.low || mean > limits.used.high) return true
  }
  return false
}

/** What 1 inside is in the units of the covariate. */
function unitOf({ covariates }: Problem): number {
  const [feature] = Object.values(covariates)
  return feature?.type === 'number' ? (feature.max - feature.min) / 2 : 1
}

function askedShare({ blocks, count }: RoundTable): number {
  let asked = 0
  let missing = 0
  for (const { index, observed } of blocks) {
    for (const flag of observed.subarray(0, count - index * BLOCK_ROUNDS)) {
      if (flag === Observed.atDecision) continue
      missing++
      if (flag !== Observed.missing) asked++
    }
  }
  return asked / missing
}

function differences(excess: AskingWorld['excess']): readonly number[] {
  return excess['by value'].map((value, i) => value - excess.random[i]!)
}

function ratioOf(excess: AskingWorld['excess']): number {
  return summarise(excess['by value']).mean / summarise(excess.random).mean
}

function level(values: readonly number[]): string {
  const { mean, standardError } = summarise(values)
  return `${mean.toFixed(1)} (${standardError.toFixed(1)})`
}

/** Asking by value must have clearly less excess in two worlds, be worse in none, keep to the budget, and its limits must cover. */
export function askingVerdicts(found: readonly AskingWorld[]): readonly Verdict[] {
  const better = found.filter(({ excess }) => summarise(excess.random).mean > 0 && ratioOf(excess) <= TARGET)
  const worse = found.filter(({ excess }) => {
    const { mean, standardError } = summarise(differences(excess))
    return mean > 2 * standardError
  })
  const most = Math.max(...found.map(({ asked }) => summarise(asked).mean))
  const runs = found.reduce((sum, one) => sum + one.runs, 0)
  const missed = found.reduce((sum, one) => sum + one.missed, 0)
  const names = (list: readonly AskingWorld[]) => list.map(({ world }) => world).join(', ') || 'none'
  const share = (part: number) => `${(100 * part).toFixed(2)}%`
  return [
    {
      held: better.length >= TARGET_WORLDS,
      sentence: `Asking by value has at most ${TARGET} times the excess of asking at random in ${better.length} of ${found.length} worlds: ${names(better)} (target: ${TARGET_WORLDS}).`,
    },
    {
      held: worse.length === 0,
      sentence: `Worlds in which it is worse by two standard errors: ${names(worse)} (target: none).`,
    },
    {
      held: most <= 1.1 * SHARE,
      sentence: `It asked for ${share(most)} of the missing values at most, on average over seeds (target: ${share(SHARE)}, a tenth more for chance).`,
    },
    {
      held: missed <= runs * LEVEL + 2 * Math.sqrt(runs * LEVEL * (1 - LEVEL)),
      sentence: `The limits of the mean error, looked at after every epoch, ever missed it in ${missed} of ${runs} runs (target: 5%, two standard errors more for chance).`,
    },
  ]
}

export const asking: Study = {
  name: 'asking',
  title: 'Where to ask for the truth of missing values',
  claim:
    'At 2% of the missing values, asking where knowing is worth most has at most 0.8 times the excess of asking at random in two of four worlds that are not missing at random, is worse in none, and its limits cover.',
  run: (options) =>
    runAsking(options, options.scale === 'full' ? { rounds: 2 ** 15, seeds: 16 } : { rounds: 2 ** 15, seeds: 2 }),
}
