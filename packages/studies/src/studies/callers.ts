// primo study callers: a thousand callers that decide in their own process, with policies of some age, uploads of some delay, and
// restarts. Regret of the robust profile against the age of policies, paired on the same rounds with callers that are always up to date.

import { createEngine } from '@primo/core/engine'
import { createEnvironment, scenarioFromName, simulate, studyDotPlot, summarise, worldOf } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { type CallersSpec, callersOf } from './callers-world.js'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'

export interface CallersSize {
  readonly rounds: number
  readonly draws: number
  readonly callers: number
}

interface Way extends CallersSpec {
  readonly name: string
  /** Largest share of regret that it may add; absent: it is only shown. */
  readonly most?: number
}

const UP_TO_DATE = 'always up to date'

function waysOf({ rounds, callers }: CallersSize): readonly Way[] {
  const at = (name: string, age: number, changes: Partial<Way> = {}): Way => ({
    name,
    callers,
    policyAge: age,
    uploadEvery: age,
    ...changes,
  })
  const T = rounds
  return [
    at(UP_TO_DATE, 0),
    at('age and uploads T/256', T / 256, { most: 0.1 }),
    at('age and uploads T/64', T / 64, { most: 0.2 }),
    at('age and uploads T/16', T / 16),
    at('age and uploads T/4', T / 4),
    at('age T/16, uploads at once', T / 16, { uploadEvery: 0 }),
    at('age 0, uploads T/16', 0, { uploadEvery: T / 16 }),
    at('T/64, restarts lose', T / 64, { restartEvery: T / 8, most: 0.25 }),
  ]
}

export async function runCallers(options: StudyOptions, size: CallersSize): Promise<StudyResult> {
  const ways = waysOf(size)
  const { rounds, draws, callers: count } = size
  const regrets = ways.map((): number[] => [])
  const lost = ways.map((): number[] => [])
  for (let draw = 0; draw < draws; draw++) {
    const seed = options.seed + draw
    const environment = createEnvironment(scenarioFromName(`family?draw=${seed}`))
    const world = [...worldOf(environment, seed, rounds)]
    const { min, max } = environment.problem.reward.mean ?? environment.problem.reward
    for (const [k, way] of ways.entries()) {
      const callers = callersOf(way, seed)
      const engine = createEngine(environment.problem, { profile: 'robust' })
      const { tally } = simulate({ engine, world: callers.world(world), seed, keeps: callers.keeps })
      regrets[k]!.push(tally.knownRegret! * (max - min))
      lost[k]!.push(callers.lost() / rounds)
      options.onProgress?.((draw + (k + 1) / ways.length) / draws)
    }
  }
  const plain = regrets[0]!
  const effects = regrets.map((own) => pairedEffect(own, plain))
  const shown = ways.map((way, k) => ({ way, effect: effects[k]!, regret: summarise(regrets[k]!), lost: lost[k]! }))
  return {
    settings: { rounds, draws, callers: count, 'first draw and seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Regret over ${draws} draws of the family, ${rounds.toLocaleString('en')} rounds (T) by ${count.toLocaleString('en')} callers`,
        header: ['callers', 'regret', 'standard error', 'difference [95%]', 'share', 'records lost'],
        rows: shown.map(({ way, effect, regret, lost: shares }, k) => [
          way.name,
          regret.mean.toFixed(0),
          regret.standardError.toFixed(0),
          k === 0 ? '' : effectText(effect),
          k === 0 ? '' : shareText(effect),
          `${(100 * summarise(shares).mean).toFixed(1)}%`,
        ]),
      },
    ],
    plots: [
      studyDotPlot({
        title: 'Regret that old policies and late uploads add, in per cent of the regret without',
        subtitle: `A dot is a draw of the world's parameters; ${rounds.toLocaleString('en')} rounds (T), mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'age of policies, delay of uploads, restarts',
        less: 'less regret',
        more: 'more regret',
        rows: shown.slice(1).map(({ way }, k) => ({
          name: way.name,
          seeds: regrets[k + 1]!.map((value, i) => 100 * (value / plain[i]! - 1)),
          color: effects[k + 1]!.mean <= 0 ? 'navy' : 'red',
        })),
      }),
    ],
    verdicts: shown.flatMap(({ way, effect }) => verdictOf(way, effect)),
  }
}

function verdictOf({ name, most }: Way, effect: PairedEffect): readonly Verdict[] {
  if (most === undefined) return []
  const figures = `${effectText(effect)}, ${shareText(effect)}`
  return [
    {
      held: effect.share < most,
      sentence: `${name}: regret changes by ${figures} (target: under +${100 * most}%).`,
    },
  ]
}

export const callers: Study = {
  name: 'callers',
  title: 'A thousand callers with policies of some age',
  claim:
    'Policies and uploads that are late by T/256 add less than 10% of regret, by T/64 less than 20%, and with records lost less than 25%.',
  run: (options) =>
    runCallers(
      options,
      options.scale === 'full'
        ? { rounds: 2 ** 15, draws: 12, callers: 1000 }
        : { rounds: 2 ** 13, draws: 6, callers: 1000 },
    ),
}
